import IdentityHTTP
import IdentityKit

/// Holds, refuses or watches operations by their names.
struct NamedOperations: HTTPTransport {
    let inner: CurlTransport
    var before: @Sendable (_ body: String) async throws(HTTPTransportError) -> Void = { _ in }
    var after: @Sendable (_ body: String) async -> Void = { _ in }

    init() throws {
        inner = try CurlTransport()
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        try await before(body)
        let response = try await inner.send(request)
        await after(body)
        return response
    }

    /// Calls a closure after the response to an operation was received and before its caller gets it.
    static func after(_ operation: String, _ action: @escaping @Sendable () async -> Void) throws -> NamedOperations {
        var operations = try NamedOperations()
        operations.after = { body in if body.contains(operation) { await action() } }
        return operations
    }
}

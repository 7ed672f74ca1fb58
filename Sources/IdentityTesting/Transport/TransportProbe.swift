internal import IdentityHTTP
internal import IdentityLoopback
internal import Synchronization

struct TransportProbe: Sendable {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    final class Log: Sendable {
        private let requests = Mutex<[LoopbackRequest]>([])

        var all: [LoopbackRequest] { requests.withLock { $0 } }

        func add(_ request: LoopbackRequest) { requests.withLock { $0.append(request) } }
    }

    /// Limits for requests that must not time out, even on a busy machine.
    static let patient = HTTPLimits(
        connectTimeout: .seconds(50),
        firstByteTimeout: .seconds(50),
        totalTimeout: .seconds(50)
    )

    let transport: any HTTPTransport

    func withServer<Value>(
        _ handler: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse,
        _ body: (LoopbackServer, Log) async throws -> Value
    ) async throws -> Value {
        let log = Log()
        let server = try await LoopbackServer.start { request in
            log.add(request)
            return await handler(request)
        }
        do {
            let value = try await body(server, log)
            await server.stop()
            return value
        } catch {
            await server.stop()
            throw error
        }
    }

    func request(
        _ server: LoopbackServer,
        _ method: HTTPMethod = .get,
        path: String = "/",
        body: [UInt8]? = nil,
        limits: HTTPLimits = TransportProbe.patient
    ) throws -> HTTPRequest {
        let url = try HTTPURL(server.origin + path)
        return HTTPRequest(method: method, url: url, body: body, limits: limits, allowsLoopbackHTTP: true)
    }

    func response(
        answering response: LoopbackResponse,
        _ method: HTTPMethod = .get,
        limits: HTTPLimits = TransportProbe.patient
    ) async throws -> HTTPResponse {
        try await withServer({ _ in response }) { server, _ in
            try await transport.send(request(server, method, limits: limits))
        }
    }

    func expect(_ response: HTTPResponse, status: Int = 200, body: [UInt8]) throws {
        try expect(response.status == status, "status \(response.status) instead of \(status)")
        try expect(
            response.body == body,
            "the response body has \(response.body.count) bytes and differs from the \(body.count) bytes that the server sent"
        )
    }

    /// Sends a request, and throws a ``Violation`` if it does not fail with this code in this phase.
    func expect(
        _ code: HTTPTransportError.Code,
        _ phase: HTTPTransportError.Phase,
        from request: HTTPRequest
    ) async throws {
        do {
            let response = try await transport.send(request)
            throw Violation(description: "got status \(response.status) instead of the error \(code.rawValue)")
        } catch let error as HTTPTransportError {
            try expect(error.code == code, "got the error \(error.code.rawValue) instead of \(code.rawValue)")
            try expect(error.phase == phase, "the error's phase is \(error.phase) instead of \(phase)")
        }
    }

    /// Sends a request to a server that sends `response`, and throws unless the request fails with this code in the phase `ambiguous`.
    func expect(
        _ code: HTTPTransportError.Code,
        answering response: LoopbackResponse,
        limits: HTTPLimits = TransportProbe.patient
    ) async throws {
        try await withServer({ _ in response }) { server, _ in
            try await expect(code, .ambiguous, from: request(server, limits: limits))
        }
    }

    func expect(_ condition: Bool, _ observation: @autoclosure () -> String) throws {
        if !condition { throw Violation(description: observation()) }
    }

    /// Throws if an operation takes 20 seconds or longer, because then the transport waited for the server instead of ending the request.
    func withinBounds(_ operation: () async throws -> Void) async throws {
        let start = ContinuousClock.now
        try await operation()
        try expect(ContinuousClock.now - start < .seconds(20), "the request did not end within 20 seconds")
    }
}

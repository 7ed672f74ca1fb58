public import IdentityWeb

/// The conformance suite for adapters between a server framework and `IdentityWeb`.
///
/// Mount ``handler`` behind the adapter, and run every case against the server:
///
/// ```swift
/// @Test(arguments: WebAdapterConformance.cases)
/// func conformance(_ testCase: WebAdapterConformance.Case) async throws {
///     let server = try await MyServer.start(handler: WebAdapterConformance.handler)
///     try await testCase.run { try await WebAdapterConformance.exchange($0, port: server.port) }
///     await server.stop()
/// }
/// ```
public struct WebAdapterConformance: Sendable {
    /// Sends the bytes of a request to the server, and returns all bytes of the response.
    public typealias Exchange = @Sendable ([UInt8]) async throws -> [UInt8]

    /// One behaviour that every adapter must have; its subject sends requests to the server behind the adapter.
    public typealias Case = ConformanceCase<Exchange>

    /// The handler to mount behind the adapter.
    ///
    /// Its response describes the request. The two paths below `/conformance/` have fixed responses.
    public static let handler: @Sendable (WebRequest) async -> WebResponse = { request in
        switch request.path {
        case "/conformance/redirect":
            var headers = HTTPHeaders()
            try? headers.append("Location", "https://id.example/authorize?state=%2Fa+b&x=1")
            try? headers.append("Set-Cookie", "one=1; Path=/; Secure; HttpOnly; SameSite=Lax")
            try? headers.append("Set-Cookie", "two=2, 3; Path=/; Max-Age=0")
            return WebResponse(status: 303, headers: headers)
        case "/conformance/bytes":
            return WebResponse(status: 503, body: (0...255).map { UInt8($0) })
        default:
            var lines = ["\(request.method) \(request.target)", "client \(request.clientAddress ?? "unknown")"]
            for name in Set(request.headers.names.map { $0.lowercased() }).sorted() {
                lines += request.headers.values(for: name).map { "\(name): \($0)" }
            }
            lines.append(
                "body \(request.body.count) \(request.body.map { String($0, radix: 16) }.joined(separator: "."))"
            )
            return .html(lines.joined(separator: "\n"))
        }
    }

    /// All cases.
    public static let cases: [Case] = requestCases + responseCases
}

extension ConformanceCase<WebAdapterConformance.Exchange> {
    /// Runs the case against a server on which ``WebAdapterConformance/handler`` is mounted; throws the errors of `exchange`.
    public func run(_ exchange: @escaping WebAdapterConformance.Exchange) async throws {
        try await body(exchange)
    }
}

public import IdentityHTTP
internal import IdentityKit
internal import IdentityLoopback
public import IdentityWeb

/// An HTTP server for development, examples and tests.
///
/// It listens on 127.0.0.1 and, if possible, on [::1], so other machines reach it only through a tunnel or proxy on this machine. In
/// production, call the same handler from a server framework.
///
/// ```swift
/// let server = try await DevelopmentServer.start(port: 8080) { origin in
///     let routes = try SignInRoutes(sessions: sessions, configuration: .init(publicOrigin: origin))
///     return { request in
///         await routes.handle(request) { context in
///             let session = try await context.requireSession()
///             return .html("<p>You are signed in with \(session.provider).</p>")
///         }
///     }
/// }
/// print("Open \(server.origin)")
/// await server.run()
/// ```
public final class DevelopmentServer: Sendable {
    /// Returns the response to a request.
    public typealias Handler = @Sendable (WebRequest) async -> WebResponse

    /// The largest accepted body, in bytes.
    public static let maximumBodyBytes = 1 << 20

    /// The origin of the server on IPv4: `http://127.0.0.1:PORT`.
    public let origin: String
    /// The origin of the server on IPv6: `http://[::1]:PORT`; nil if the server cannot listen there, for example without IPv6.
    public let origin6: String?
    private let servers: [LoopbackServer]

    private init(_ first: LoopbackServer, _ second: LoopbackServer?) {
        servers = [first, second].compactMap(\.self)
        origin = first.origin
        origin6 = second?.origin
    }

    /// Starts a server.
    ///
    /// If the `Host` of a request names neither 127.0.0.1, [::1] nor `publicOrigin`, the response has status 421.
    ///
    /// - Parameters:
    ///   - port: The port, by default 8080; with 0 the system chooses a free port.
    ///   - publicOrigin: The origin of a tunnel or proxy that leads to the port, such as `https://lab.example`; by default none.
    ///   - makeHandler: Creates the handler of all requests. Pass its argument to `SignInRoutes`: it is `publicOrigin`, or ``origin`` if
    ///     `publicOrigin` is nil.
    /// - Returns: The running server. It stops with ``stop()``, at the end of ``run()``, or when its last reference is released.
    /// - Throws: `IdentityError` if the server cannot listen on 127.0.0.1, for example because another program uses the port; the error of
    ///   `makeHandler`.
    public static func start(
        port: UInt16 = 8080,
        publicOrigin: String? = nil,
        _ makeHandler: (_ origin: String) async throws -> Handler
    ) async throws -> DevelopmentServer {
        // Browsers write an origin in lowercase, without a default port and without a slash at the end. A text that is not an origin stays
        // unchanged, so that `SignInRoutes` throws an error for this text.
        let publicOrigin = publicOrigin.map { HTTPURL(origin: $0)?.origin ?? $0 }
        let first = try await listen(port, .v4)
        let both = DevelopmentServer(first, try? await listen(first.port, .v6))
        do {
            let app = AppHandler(publicOrigin, try await makeHandler(publicOrigin ?? first.origin))
            for server in both.servers { server.serve(app.answer) }
        } catch {
            await both.stop()
            throw error
        }
        return both
    }

    /// Waits until the calling task is cancelled, then stops the server and gives running requests up to 5 seconds.
    public func run() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        await forEachServer { await $0.finish(within: .seconds(5)) }
    }

    /// Closes the ports and all connections.
    public func stop() async {
        await forEachServer { await $0.stop() }
    }

    private func forEachServer(_ stop: @escaping @Sendable (LoopbackServer) async -> Void) async {
        await withTaskGroup { group in
            for server in servers { group.addTask { await stop(server) } }
        }
    }

    private static func listen(_ port: UInt16, _ address: LoopbackAddress) async throws -> LoopbackServer {
        var limits = LoopbackLimits()
        limits.bodyBytes = maximumBodyBytes
        do {
            return try await LoopbackServer.start(port: port, address: address, limits: limits)
        } catch {
            let advice =
                port == 0
                ? "Check that this process may open more files and start more threads."
                : "End the program that uses the port, or use another port: 1024 or higher, or 0 for a free one."
            throw IdentityError(
                configuration: "The development server cannot listen on \(port == 0 ? "a free port" : "port \(port)").",
                hint: "Read the error's cause. " + advice,
                cause: error
            )
        }
    }
}

private struct AppHandler: Sendable {
    private let publicOrigin: HTTPURL?
    private let handler: DevelopmentServer.Handler

    init(_ publicOrigin: String?, _ handler: @escaping DevelopmentServer.Handler) {
        self.publicOrigin = publicOrigin.flatMap { HTTPURL(origin: $0) }
        self.handler = handler
    }

    func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
        guard isKnown(request.header("Host") ?? "") else {
            let text =
                "This server accepts only requests to 127.0.0.1 or [::1], and to its public origin, if it has one.\n"
            return .message(status: 421, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
        }
        var headers = HTTPHeaders()
        for (name, value) in request.headers {
            guard (try? headers.append(name, value)) != nil else { return .message(status: 400) }
        }
        let response = await handler(
            WebRequest(
                method: HTTPMethod(rawValue: request.method),
                target: request.target,
                headers: headers,
                body: request.body,
                clientAddress: "127.0.0.1"
            )
        )
        let fields = response.headers.map { ($0.name, $0.value) }
        return .message(status: response.status, headers: fields, body: response.body)
    }

    /// Permits only loopback hosts and the public origin, because any web site can let its own name resolve to 127.0.0.1 (DNS rebinding).
    private func isKnown(_ host: String) -> Bool {
        if let publicOrigin, HTTPURL(origin: "\(publicOrigin.scheme)://\(host)/")?.origin == publicOrigin.origin {
            return true
        }
        return ["127.0.0.1", "[::1]"].contains { address in
            guard host.utf8.starts(with: address.utf8) else { return false }
            let port = host.utf8.dropFirst(address.utf8.count)
            return port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(ASCII.isDigit)
        }
    }
}

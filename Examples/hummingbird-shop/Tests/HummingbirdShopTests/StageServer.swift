import Hummingbird
import IdentityTesting
import IdentityWeb
import Logging
import NIOCore
import Synchronization

@testable import hummingbird_shop

/// The shop's application on a free port: it replaces the development server of the root package in the browser tests.
final class StageServer: Sendable {
    typealias Handler = @Sendable (WebRequest) async -> WebResponse

    /// `http://127.0.0.1:PORT`, like the development server's origin; the browser tests replace 127.0.0.1 with `[::1]`.
    let origin: String
    let port: Int
    private let running: Task<Void, any Error>

    private init(port: Int, running: Task<Void, any Error>) {
        self.port = port
        self.running = running
        origin = "http://127.0.0.1:\(port)"
    }

    /// Starts the shop's application at [::1], or at another address.
    ///
    /// `makeHandler` is called when the port is known. Until it returns, the response to every request is status 503.
    static func start(
        port: UInt16 = 0,
        address: String = "::1",
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ makeHandler: (_ origin: String) async throws -> Handler
    ) async throws -> StageServer {
        let box = HandlerBox()
        let server = try await launch { onServerRunning in
            shopApplication(
                at: .hostname(address, port: Int(port)),
                logger: logger,
                onServerRunning: onServerRunning,
                answer: { await box.answer($0) }
            )
        }
        do {
            box.set(try await makeHandler(server.origin))
        } catch {
            await server.stop()
            throw error
        }
        return server
    }

    /// Starts an application, and waits until it listens.
    static func launch(
        _ make: (_ onServerRunning: @escaping @Sendable (any Channel) async -> Void)
            -> some ApplicationProtocol
    ) async throws -> StageServer {
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let application = make { started.yield($0.localAddress?.port ?? 0) }
        let running = Task {
            defer { started.finish() }
            try await application.run()
        }
        guard let found = await ports.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return StageServer(port: found, running: running)
    }

    /// Sends the bytes of a request with `Connection: close`, and returns the bytes of the response.
    func exchange(_ request: String) async throws -> String {
        let answer = try await WebAdapterConformance.exchange(Array(request.utf8), port: UInt16(port))
        return String(decoding: answer, as: UTF8.self)
    }

    func stop() async {
        running.cancel()
        _ = await running.result
    }
}

private final class HandlerBox: Sendable {
    private let handler = Mutex<StageServer.Handler?>(nil)

    func set(_ new: @escaping StageServer.Handler) { handler.withLock { $0 = new } }

    func answer(_ request: WebRequest) async -> WebResponse {
        guard let handler = handler.withLock(\.self) else { return WebResponse(status: 503) }
        return await handler(request)
    }
}

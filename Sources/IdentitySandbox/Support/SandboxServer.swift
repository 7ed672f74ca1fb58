internal import IdentityHTTP
internal import IdentityKit
internal import IdentityLoopback
internal import Synchronization

/// The server of one loopback origin: it records requests, applies faults and sends the responses.
///
/// It listens before ``open(_:)`` sets the routes, because their handlers need the origins of all servers with their ports.
final class SandboxServer: Sendable {
    typealias Router = @Sendable (_ path: String) -> SandboxRoute

    /// Contains the router, so that the loopback server's handler does not keep the `SandboxServer` alive.
    private final class RouterBox: Sendable {
        let router = Mutex<Router?>(nil)
    }

    let origin: String
    private let server: LoopbackServer
    private let routerBox: RouterBox

    private init(server: LoopbackServer, routerBox: RouterBox) {
        self.server = server
        self.routerBox = routerBox
        origin = server.origin
    }

    /// Starts to listen at a port; 0 lets the system choose.
    ///
    /// A response without `Date` gets one with the time of the configuration's clock.
    static func listen(
        port: UInt16,
        _ configuration: SandboxConfiguration = SandboxConfiguration()
    ) async throws -> SandboxServer {
        let routerBox = RouterBox()
        let server = try await LoopbackServer.start(port: port) { request in
            guard let router = routerBox.router.withLock({ $0 }) else { return .message(status: 503) }
            return await SandboxServer.respond(to: request, router(request.path), configuration)
        }
        return SandboxServer(server: server, routerBox: routerBox)
    }

    func open(_ router: @escaping Router) {
        routerBox.router.withLock { $0 = router }
    }

    func stop() async {
        await server.stop()
    }

    private static func respond(
        to message: LoopbackRequest,
        _ route: SandboxRoute,
        _ configuration: SandboxConfiguration
    ) async -> LoopbackResponse {
        let request = SandboxRequest(
            endpoint: route.endpoint,
            method: message.method,
            path: message.path,
            query: message.query,
            headers: message.headers,
            body: message.body
        )
        let call = SandboxCall(request: request, fault: route.journal.record(request))
        let effects = call.fault?.effects ?? []
        for effect in effects {
            switch effect {
            case .before(let action): await action()
            case .reset(afterActing: false):
                configuration.onResponse?(request, nil)
                return .script([.reset])
            case .raw(let bytes):
                configuration.onResponse?(request, nil)
                return .script([.send(bytes), .close])
            default: continue
            }
        }
        let replacement = effects.lazy.compactMap { if case .replace(let response) = $0 { response } else { nil } }
            .first
        var sent = if let replacement { replacement } else { await route.handle(call) }
        if !sent.headers.contains(where: { $0.name.lowercased() == "date" }) {
            sent.headers.append(("Date", HTTPDate.text(secondsSince1970: configuration.clock.now.epochSeconds)))
        }
        for effect in effects {
            if case .edit(let change) = effect { change(&sent) }
        }
        let isLost = effects.contains { if case .reset = $0 { true } else { false } }
        configuration.onResponse?(request, isLost ? nil : sent.status)
        return await Self.deliver(sent, effects)
    }
}

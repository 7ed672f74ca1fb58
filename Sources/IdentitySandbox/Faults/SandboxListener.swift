internal import IdentityKit
internal import IdentityLoopback
internal import Synchronization

/// A server of the attacker: it returns configured responses and saves the requests.
///
/// Use ``origin`` in a redirect, in a `jku` or in the endpoints of metadata. Most tests expect ``SandboxService/requests`` to be empty,
/// because the client must not contact the attacker.
public final class SandboxListener: SandboxService {
    /// The record of requests, and the planned faults; every request counts as a request to ``SandboxEndpoint/other``.
    public let journal = SandboxJournal()
    private let server: LoopbackServer
    private let responses = Mutex<[String: SandboxResponse]>([:])

    private init(_ server: LoopbackServer) {
        self.server = server
    }

    /// Starts a server on 127.0.0.1, at a port that the system chooses.
    ///
    /// - Throws: An error if the process has no more sockets or threads.
    public static func start() async throws -> SandboxListener {
        let listener = SandboxListener(try await LoopbackServer.start())
        listener.open()
        return listener
    }

    private func open() {
        // The closure captures the journal and a weak `self`. With a strong `self`, listener and server would keep each other alive.
        let journal = journal
        server.serve { [weak self] request in
            let route = SandboxRoute(journal: journal, endpoint: .other) { call in
                let response = self?.responses.withLock { $0[call.request.path] }
                return response ?? .json(["error": .string("not_found")], status: 404)
            }
            return await route.respond(to: request, SandboxConfiguration())
        }
    }

    /// The origin of the server: `http://127.0.0.1:PORT`, without a slash at the end.
    public var origin: String { server.origin }

    /// Sets the response at a path; a path without a response returns 404.
    public func answer(_ path: String, with response: SandboxResponse) {
        responses.withLock { $0[path] = response }
    }

    /// Closes the port, and returns when it is closed.
    public func stop() async {
        await server.stop()
    }
}

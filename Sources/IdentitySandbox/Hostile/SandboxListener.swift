internal import IdentityKit
internal import Synchronization

/// A server of the attacker: it returns configured responses and saves the requests.
///
/// Point a redirect, a `jku` or an endpoint in metadata at it. Most tests end with ``SandboxService/requests`` being empty.
public final class SandboxListener: SandboxService {
    /// Where requests are noted and misbehaviours planned; every path is ``SandboxEndpoint/other``.
    public let journal = SandboxJournal()
    private let site: SandboxSite
    private let answers = Mutex<[String: SandboxAnswer]>([:])

    private init(_ site: SandboxSite) {
        self.site = site
    }

    /// Starts a server on 127.0.0.1, at a port that the system chooses.
    ///
    /// - Throws: When the process has no more sockets or threads.
    public static func start() async throws -> SandboxListener {
        let listener = SandboxListener(try await SandboxSite.listen(port: 0))
        listener.open()
        return listener
    }

    private func open() {
        // The site must not keep its owner alive, which keeps the site.
        let journal = journal
        site.open { [weak self] path in
            SandboxRoute(journal: journal, endpoint: .other) { _ in
                self?.answers.withLock { $0[path] } ?? .json(["error": .string("not_found")], status: 404)
            }
        }
    }

    /// `http://127.0.0.1:PORT`, without a slash.
    public var origin: String { site.origin }

    /// Answers at a path from now on; until then there is nothing.
    public func answer(_ path: String, with answer: SandboxAnswer) {
        answers.withLock { $0[path] = answer }
    }

    /// Closes the port; returns when that is done.
    public func stop() async {
        await site.stop()
    }
}

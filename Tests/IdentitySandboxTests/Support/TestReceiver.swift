import IdentityHTTP
import IdentityLoopback
import Synchronization

/// A server of the app that records requests and returns configured responses.
final class TestReceiver: Sendable {
    private final class Box: Sendable { let requests = Mutex<[LoopbackRequest]>([]) }

    private let box: Box
    private let server: LoopbackServer

    private init(_ server: LoopbackServer, _ box: Box) {
        self.server = server
        self.box = box
    }

    var url: String { server.origin + "/callback" }
    var requests: [LoopbackRequest] { box.requests.withLock { $0 } }

    static func start(_ answer: LoopbackResponse = .message(status: 204)) async throws -> TestReceiver {
        let box = Box()
        let server = try await LoopbackServer.start { request in
            box.requests.withLock { $0.append(request) }
            return answer
        }
        return TestReceiver(server, box)
    }

    func stop() async { await server.stop() }
}

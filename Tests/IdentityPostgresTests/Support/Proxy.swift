#if PostgreSQL
import IdentityKit
import IdentityPlatform
import Synchronization
import TestPostgres
import TestProcesses

/// A proxy between a store and its server that drops responses on demand.
///
/// A request whose response is dropped takes effect, and the client cannot know that. The proxy can also drop a COMMIT, which then has
/// no effect.
final class Proxy: Sendable {
    private struct State {
        /// The number of responses that pass before one is dropped; nil for all.
        var remaining: Int?
        var lost = 0
        /// When this flag is raised, the next COMMIT is dropped; nil if none is dropped.
        var commitFlag: Flag?
        var heldCommits = 0
    }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let state = Mutex(State())

    init(to server: TestPostgresServer) throws {
        target = server.port
        listener = Platform.socket(AF_INET, Platform.streamSocket, 0)
        port = Int(try LoopbackPort.bind(listener))
        guard listen(listener, 64) == 0 else { throw TestPostgresServer.Failure(text: "the proxy cannot listen") }
        _ = DedicatedThread.start { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    /// Drops the response to the next request and closes the connection.
    func loseNextResponse() {
        loseResponse(after: 0)
    }

    /// Drops a response after the given number of responses; the requests must be sequential.
    func loseResponse(after count: Int) {
        state.withLock { $0.remaining = count }
    }

    /// Keeps the next COMMIT until the flag is raised, then drops it and closes the connection: the server rolls the transaction back.
    func loseNextCommit(after flag: Flag) {
        state.withLock { $0.commitFlag = flag }
    }

    var heldCommits: Int { state.withLock { $0.heldCommits } }

    var lost: Int { state.withLock { $0.lost } }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        IdentityPlatform.close(listener)
    }

    func connection(_ server: TestPostgresServer) -> Secret {
        Secret(
            "postgresql://\(TestPostgresServer.user):\(TestPostgresServer.password)@127.0.0.1:\(port)/postgres?sslmode=disable"
        )
    }

    private func serve(_ client: Int32) {
        let server = Platform.socket(AF_INET, Platform.streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(target).bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            IdentityPlatform.close(server)
            IdentityPlatform.close(client)
            return
        }
        // The thread that ends last closes both descriptors, because a reused descriptor number must not be touched by
        // the other thread.
        let ends = Ends(client, server)
        // A response may arrive in several pieces; the next response begins after the next request.
        let isAsked = Flag()
        _ = DedicatedThread.start { [self] in
            Self.pump(from: client, to: server) { request in
                isAsked.raise()
                return !dropsCommit(request)
            }
            ends.leave()
        }
        _ = DedicatedThread.start { [self] in
            Self.pump(from: server, to: client) { _ in
                guard isAsked.lower() else { return true }
                return state.withLock { state in
                    guard let remaining = state.remaining else { return true }
                    state.remaining = remaining > 0 ? remaining - 1 : nil
                    guard remaining == 0 else { return true }
                    state.lost += 1
                    return false
                }
            }
            ends.leave()
        }
    }

    private func dropsCommit(_ request: ArraySlice<UInt8>) -> Bool {
        let flag: Flag? = state.withLock { state in
            guard let flag = state.commitFlag, request.contains([0] + Array("COMMIT".utf8) + [0]) else { return nil }
            state.commitFlag = nil
            state.heldCommits += 1
            return flag
        }
        guard let flag else { return false }
        while !flag.isRaised { usleep(1_000) }
        return true
    }

    private final class Ends: Sendable {
        private let descriptors: [Int32]
        private let users = Mutex(2)

        init(_ descriptors: Int32...) { self.descriptors = descriptors }

        func leave() {
            let isLast = users.withLock { users in
                users -= 1
                return users == 0
            }
            if isLast { for descriptor in descriptors { IdentityPlatform.close(descriptor) } }
        }
    }

    private static func pump(from source: Int32, to sink: Int32, while goesOn: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(source, &buffer, buffer.count, 0)
            guard count > 0, goesOn(buffer[..<count]) else { break }
            var sent = 0
            while sent < count {
                let written = unsafe buffer.withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return -1 }
                    return unsafe send(sink, base + sent, count - sent, Platform.sendFlags)
                }
                guard written > 0 else { break }
                sent += written
            }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
    }
}
#endif

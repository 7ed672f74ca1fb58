import IdentityPlatform
import Testing

@Suite("Waiting for sockets")
struct SocketPollTests {
    @Test("a wait reports the events that were set last for a socket, and none of a socket that is ignored")
    func watching() throws {
        let sockets = try #require(SocketPoll())
        defer { sockets.close() }
        var pair: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Platform.streamSocket, 0, &pair) == 0)
        defer { for socket in pair { close(socket) } }
        #expect(sockets.watch(pair[0], for: .read))
        #expect(events(of: pair[0], sockets).isEmpty)
        var byte: UInt8 = 1
        #expect(unsafe write(pair[1], &byte, 1) == 1)
        #expect(events(of: pair[0], sockets) == .read)
        #expect(sockets.watch(pair[0], for: .write))
        #expect(events(of: pair[0], sockets) == .write)
        sockets.ignore(pair[0])
        #expect(events(of: pair[0], sockets).isEmpty)
        #expect(!sockets.watch(-1, for: .read))
    }

    @Test("a wake-up ends one wait, also one that begins later")
    func waking() throws {
        let sockets = try #require(SocketPoll())
        defer { sockets.close() }
        sockets.wake()
        sockets.wait(milliseconds: -1) { _, _ in Issue.record("A wake-up is no event of a socket.") }
        _ = DedicatedThread.start { sockets.wake() }
        sockets.wait(milliseconds: -1) { _, _ in Issue.record("A wake-up is no event of a socket.") }
    }

    private func events(of socket: Int32, _ sockets: SocketPoll) -> SocketPoll.Events {
        var found: SocketPoll.Events = []
        sockets.wait(milliseconds: 0) { ready, events in if ready == socket { found.formUnion(events) } }
        return found
    }
}

import CIdentityCurl
import IdentityPlatform
import Testing

@testable import IdentityHTTP

@Suite("Sockets that libcurl waits for")
struct CurlSocketsTests {
    private let poll: SocketPoll
    private let sockets: CurlSockets
    /// One end of a connection, to whose other end the test has written a byte.
    private let connection: Int32
    private let other: Int32

    init() throws {
        poll = try #require(SocketPoll())
        sockets = CurlSockets(poll, mayBeHTTP2: false)
        var pair: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Platform.streamSocket, 0, &pair) == 0)
        (connection, other) = (pair[0], pair[1])
        var byte: UInt8 = 1
        try #require(unsafe write(other, &byte, 1) == 1)
    }

    @Test("an idle connection that the server closes is reported once, and not again by each wait")
    func closedWhileIdle() {
        sockets.opened(connection)
        change(to: CURL_POLL_IN)
        #expect(wanted() == [true])
        change(to: CURL_POLL_REMOVE)
        close(other)
        #expect(wanted() == [false])
        #expect(wanted().isEmpty)
        end()
    }

    @Test("a connection that is used again gets its events, for HTTP/2 also after data arrived while it was idle")
    func usedAgain() {
        let sockets = CurlSockets(poll, mayBeHTTP2: true)
        sockets.opened(connection)
        change(to: CURL_POLL_IN, sockets)
        change(to: CURL_POLL_REMOVE, sockets)
        change(to: CURL_POLL_IN, sockets)
        #expect(wanted(sockets) == [true])
        // While the HTTP/2 connection is idle, an event ends the registration of its socket in the poll.
        change(to: CURL_POLL_REMOVE, sockets)
        #expect(wanted(sockets) == [false])
        change(to: CURL_POLL_IN, sockets)
        #expect(wanted(sockets) == [true])
        end()
    }

    @Test("data that arrive on an idle HTTP/1.1 connection end it, and cannot be read any more")
    func dataWhileIdle() {
        sockets.opened(connection)
        change(to: CURL_POLL_IN)
        #expect(wanted() == [true])
        change(to: CURL_POLL_REMOVE)
        #expect(wanted() == [false])
        #expect(wanted().isEmpty)
        var byte: UInt8 = 0
        #expect(unsafe recv(connection, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
        #expect(unsafe recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
        end()
    }

    @Test("an idle connection without data stays open, also if libcurl last waited until it was writable")
    func writableWhileIdle() {
        var byte: UInt8 = 0
        #expect(unsafe read(connection, &byte, 1) == 1)
        sockets.opened(connection)
        change(to: CURL_POLL_OUT)
        change(to: CURL_POLL_REMOVE)
        #expect(wanted() == [false])
        #expect(wanted().isEmpty)
        #expect(unsafe send(other, &byte, 1, Platform.sendFlags) == 1)
        #expect(wanted() == [false])
        #expect(unsafe recv(connection, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
        end()
    }

    @Test(
        "a socket gets its events even if an earlier socket with the same number was registered for them",
        arguments: [true, false]
    )
    func numberUsedAgain(isConnection: Bool) throws {
        let number = connection
        if isConnection { sockets.opened(number) }
        change(to: CURL_POLL_IN)
        change(to: CURL_POLL_REMOVE)
        // libcurl closes the sockets of connections with the callback, and its other sockets itself.
        if isConnection {
            let context = unsafe Unmanaged.passUnretained(sockets).toOpaque()
            #expect(unsafe CurlSockets.close(context, number) == 0)
        }
        var pair: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Platform.streamSocket, 0, &pair) == 0)
        defer { for socket in pair { close(socket) } }
        #expect(dup2(pair[0], number) == number)
        var byte: UInt8 = 1
        #expect(unsafe write(pair[1], &byte, 1) == 1)
        change(to: CURL_POLL_IN)
        #expect(wanted() == [true])
        end()
    }

    /// Calls the callback with which libcurl says which events of the connection it wants.
    private func change(to change: Int32, _ sockets: CurlSockets? = nil) {
        let context = unsafe Unmanaged.passUnretained(sockets ?? self.sockets).toOpaque()
        #expect(unsafe CurlSockets.changed(nil, connection, change, context, nil) == 0)
    }

    /// Waits once, and returns for each event of the connection whether libcurl wants it.
    private func wanted(_ sockets: CurlSockets? = nil) -> [Bool] {
        let sockets = sockets ?? self.sockets
        var found: [Bool] = []
        poll.wait(milliseconds: 0) { socket, _ in if socket == connection { found.append(sockets.wants(socket)) } }
        return found
    }

    private func end() {
        close(connection)
        poll.close()
    }
}

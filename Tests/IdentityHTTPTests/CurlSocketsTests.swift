import CIdentityCurl
import IdentityPlatform
import Testing

@testable import IdentityHTTP

@Suite("Sockets that libcurl waits for")
struct CurlSocketsTests {
    private let poll: SocketPoll
    private let sockets: CurlSockets
    /// A connection and its other end, where a byte waits for the reader.
    private let connection: Int32
    private let other: Int32

    init() throws {
        poll = try #require(SocketPoll())
        sockets = CurlSockets(poll)
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

    @Test("the events of a connection that is used again arrive")
    func usedAgain() {
        sockets.opened(connection)
        change(to: CURL_POLL_IN)
        change(to: CURL_POLL_REMOVE)
        change(to: CURL_POLL_IN)
        #expect(wanted() == [true])
        // The wait between two requests found data, and ended the registration.
        change(to: CURL_POLL_REMOVE)
        #expect(wanted() == [false])
        change(to: CURL_POLL_IN)
        #expect(wanted() == [true])
        end()
    }

    @Test(
        "a socket gets events although an earlier one with its number was registered for the same",
        arguments: [true, false]
    )
    func numberUsedAgain(isConnection: Bool) throws {
        let number = connection
        if isConnection { sockets.opened(number) }
        change(to: CURL_POLL_IN)
        change(to: CURL_POLL_REMOVE)
        // libcurl closes the sockets of connections by the callback, and others by itself.
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

    /// Does what libcurl's callback does.
    private func change(to change: Int32) {
        let context = unsafe Unmanaged.passUnretained(sockets).toOpaque()
        #expect(unsafe CurlSockets.changed(nil, connection, change, context, nil) == 0)
    }

    /// Waits once, and returns for each event of the connection whether libcurl wants it.
    private func wanted() -> [Bool] {
        var found: [Bool] = []
        poll.wait(milliseconds: 0) { socket, _ in if socket == connection { found.append(sockets.wants(socket)) } }
        return found
    }

    private func end() {
        close(connection)
        poll.close()
    }
}

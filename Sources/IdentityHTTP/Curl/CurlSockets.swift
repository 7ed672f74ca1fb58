internal import CIdentityCurl
internal import IdentityPlatform

/// The sockets of libcurl that the transport's thread waits for.
///
/// libcurl ends its interest in a connection after each response and begins it again with the next request. The socket stays
/// registered in between, which saves two system calls for each request.
///
/// For the transport's thread only. The loop owns it, and it lives longer than the multi handle, whose callbacks have unretained pointers
/// to it.
final class CurlSockets {
    /// The state of the socket with one number.
    private struct Entry {
        /// The events that libcurl wants; nil if it wants none.
        var wanted: SocketPoll.Events?
        /// The events for which the socket is registered; nil if it is not.
        var registered: SocketPoll.Events?
        /// Whether the socket belongs to a connection.
        ///
        /// Other sockets, such as those of the name resolver, do not stay registered, because libcurl does not report that it closes them.
        var isConnection = false
    }

    private let poll: SocketPoll
    private let mayBeHTTP2: Bool
    private var entries: [Entry] = []

    /// - Parameters:
    ///   - poll: What the thread waits for.
    ///   - mayBeHTTP2: Whether connections may be HTTP/2, on which a server may send frames at any time.
    init(_ poll: SocketPoll, mayBeHTTP2: Bool) {
        self.poll = poll
        self.mayBeHTTP2 = mayBeHTTP2
    }

    /// Notes that a new connection has this socket.
    func opened(_ socket: Int32) {
        update(socket) { $0 = Entry(isConnection: true) }
    }

    /// Called by libcurl to close the socket of a connection; the system ends its registration.
    static let close: curl_closesocket_callback = { context, socket in
        if let context = unsafe context {
            unsafe Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().update(socket) { $0 = Entry() }
        }
        return IdentityPlatform.close(socket)
    }

    /// Called by libcurl when it wants other events of a socket.
    static let changed: curl_socket_callback = { _, socket, change, context, _ in
        guard let context = unsafe context else { return 0 }
        unsafe Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().change(socket, to: change)
        return 0
    }

    private func change(_ socket: Int32, to change: Int32) {
        let wanted: SocketPoll.Events? =
            switch change {
            case CURL_POLL_IN: .read
            case CURL_POLL_OUT: .write
            case CURL_POLL_INOUT: [.read, .write]
            default: nil
            }
        update(socket) { entry in
            entry.wanted = wanted
            guard let wanted else {
                if !entry.isConnection { ignore(socket, &entry) }
                return
            }
            guard entry.registered != wanted else { return }
            // If the system has no memory to watch the socket, the request ends at its deadline.
            entry.registered = poll.watch(socket, for: wanted) ? wanted : nil
        }
    }

    /// Whether libcurl wants the events of a socket.
    ///
    /// If it does not, the connection is idle. The server has closed it or has sent something, so no request may use it again. libcurl
    /// 7.88 would: it sees unread bytes and takes the connection as alive. Then a TLS closure (close_notify) makes the next request
    /// fail, and a second response is read as the response to it.
    ///
    /// Any byte ends the connection, because its meaning cannot be seen from outside: TLS 1.3 encrypts the type of a record too. A
    /// session ticket, the only harmless record, comes before the first response, and a late one costs a handshake and no request.
    /// If HTTP/2 is offered, libcurl decides: the versions that do so by default end HTTP/1.1 connections with unread bytes.
    func wants(_ socket: Int32) -> Bool {
        guard entries.indices.contains(Int(socket)) else { return false }
        guard entries[Int(socket)].wanted == nil else { return true }
        update(socket) { entry in
            if !mayBeHTTP2, entry.isConnection, let registered = entry.registered {
                guard CurlSockets.hasInput(socket) else {
                    // The socket is writable, or its event was found before libcurl read the last bytes.
                    if registered != .read { entry.registered = poll.watch(socket, for: .read) ? .read : nil }
                    return
                }
                CurlSockets.end(socket)
            }
            // Otherwise each wait would report it.
            ignore(socket, &entry)
        }
        return false
    }

    /// Whether the socket has bytes to read, an error, or the end of the connection.
    private static func hasInput(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Ends a connection so that libcurl sees its end before it would use it again.
    private static func end(_ socket: Int32) {
        // First, so that nothing arrives behind the bytes that are discarded.
        shutdown(socket, Int32(SHUT_RDWR))
        unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            while unsafe recv(socket, room.baseAddress, room.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
    }

    private func ignore(_ socket: Int32, _ entry: inout Entry) {
        poll.ignore(socket)
        entry.registered = nil
    }

    private func update(_ socket: Int32, _ body: (inout Entry) -> Void) {
        guard socket >= 0 else { return }
        while entries.count <= Int(socket) { entries.append(Entry()) }
        body(&entries[Int(socket)])
    }
}

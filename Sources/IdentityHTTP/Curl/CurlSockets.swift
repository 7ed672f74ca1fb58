internal import CIdentityCurl
internal import IdentityPlatform

/// The sockets of libcurl that the transport's thread waits for.
///
/// After each response, libcurl reports that it no longer waits for the connection's socket, and with the next request that it waits
/// again. The socket stays registered meanwhile, which saves two system calls for each request.
///
/// Only the transport's thread uses it. ``CurlLoop`` owns it. The callbacks of the multi handle have unretained pointers to it, so
/// ``CurlLoop`` frees the multi handle first.
final class CurlSockets {
    /// The state of one socket; the socket's number is the index in `entries`.
    private struct Entry {
        /// The events that libcurl wants; nil if it wants none.
        var wanted: SocketPoll.Events?
        /// The events for which the socket is registered in `poll`; nil if it is not registered.
        var registered: SocketPoll.Events?
        /// Whether the socket belongs to a connection.
        ///
        /// Other sockets, such as those of the name resolver, do not stay registered, because libcurl does not report that it closes them.
        var isConnection = false
    }

    private let poll: SocketPoll
    private let mayBeHTTP2: Bool
    private var entries: [Entry] = []

    /// Creates the state, without sockets.
    ///
    /// - Parameters:
    ///   - poll: The sockets that the thread waits for.
    ///   - mayBeHTTP2: Whether connections may be HTTP/2, on which a server may send frames at any time.
    init(_ poll: SocketPoll, mayBeHTTP2: Bool) {
        self.poll = poll
        self.mayBeHTTP2 = mayBeHTTP2
    }

    /// Notes that a new connection has this socket.
    func opened(_ socket: Int32) {
        update(socket) { $0 = Entry(isConnection: true) }
    }

    /// Called by libcurl to close the socket of a connection; the close also ends its registration in `poll`.
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
            // If the system cannot watch the socket, for example without memory, the request ends at its deadline.
            entry.registered = poll.watch(socket, for: wanted) ? wanted : nil
        }
    }

    /// Whether libcurl wants the events of a socket.
    ///
    /// An event that libcurl does not want usually means that the server closed an idle connection or sent bytes on it. This function
    /// then ends the connection, because no request may use it again. libcurl 7.88 would use it, because it takes a connection with
    /// unread bytes as alive. If the bytes are a TLS closure (close_notify), the next request would fail. If they are a second response,
    /// libcurl would read it as the response to the next request.
    ///
    /// Any unread byte ends the connection, because TLS 1.3 encrypts the type of a record too. The only harmless record is a session
    /// ticket, which usually comes before the first response. A later ticket costs a new handshake, but no request fails.
    /// If HTTP/2 is offered, libcurl decides: the versions of libcurl for which ``CurlTransport/Configuration/offersHTTP2`` is true by
    /// default end HTTP/1.1 connections with unread bytes themselves.
    func wants(_ socket: Int32) -> Bool {
        guard entries.indices.contains(Int(socket)) else { return false }
        guard entries[Int(socket)].wanted == nil else { return true }
        update(socket) { entry in
            if !mayBeHTTP2, entry.isConnection, let registered = entry.registered {
                guard CurlSockets.hasInput(socket) else {
                    // There is no input: the event was that the socket is writable, or libcurl has read the bytes meanwhile.
                    if registered != .read { entry.registered = poll.watch(socket, for: .read) ? .read : nil }
                    return
                }
                CurlSockets.end(socket)
            }
            // Without this call, each wait would report the socket again.
            ignore(socket, &entry)
        }
        return false
    }

    /// Whether the socket has bytes to read, an error, or the end of the connection.
    private static func hasInput(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Shuts a connection down and discards its unread bytes, so that libcurl sees its end and does not use it again.
    private static func end(_ socket: Int32) {
        // The shutdown comes first, so that no bytes arrive after those that are discarded below.
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

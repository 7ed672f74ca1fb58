internal import CIdentityCurl
internal import IdentityPlatform

/// The sockets of libcurl that the transport's thread waits for.
///
/// Between two requests on a connection, libcurl does not wait for the socket. The socket nevertheless stays registered in `poll`, which
/// saves two system calls for each request.
///
/// Only the transport's thread uses this object, and ``CurlLoop`` owns it. libcurl's callbacks have unretained pointers to this object, so
/// ``CurlLoop`` frees the multi handle before it releases this object.
final class CurlSockets {
    /// The state of one socket; the socket's number is the index in `entries`.
    private struct Entry {
        /// The events that libcurl waits for; nil if libcurl does not wait for the socket.
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

    /// `mayBeHTTP2`: whether connections may be HTTP/2, on which a server may send frames at any time.
    init(_ poll: SocketPoll, mayBeHTTP2: Bool) {
        self.poll = poll
        self.mayBeHTTP2 = mayBeHTTP2
    }

    func opened(_ socket: Int32) {
        update(socket) { $0 = Entry(isConnection: true) }
    }

    /// libcurl's callback that closes the socket of a connection; closing a socket also ends its registration in `poll`.
    static let close: curl_closesocket_callback = { context, socket in
        if let context = unsafe context {
            unsafe Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue().update(socket) { $0 = Entry() }
        }
        return IdentityPlatform.close(socket)
    }

    /// libcurl's callback that says for which events of a socket libcurl waits from now on.
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
            // If `watch` fails, for example because memory is exhausted, the request ends at its deadline.
            entry.registered = poll.watch(socket, for: wanted) ? wanted : nil
        }
    }

    /// Whether libcurl wants the events of a socket.
    ///
    /// If libcurl does not want the events, the connection is idle. If an idle connection has input, this method ends the connection,
    /// because libcurl 7.88 would use it again. After a TLS closure (close_notify), the next request would fail. A second response would
    /// become the response to the next request. A late session ticket of TLS 1.3 looks like other input, so it costs a new handshake. If
    /// HTTP/2 is offered, this method ends no connection, because newer versions of libcurl end such connections themselves
    /// (``CurlTransport/Configuration/isHTTP2Reliable``).
    func wants(_ socket: Int32) -> Bool {
        guard entries.indices.contains(Int(socket)) else { return false }
        guard entries[Int(socket)].wanted == nil else { return true }
        update(socket) { entry in
            if !mayBeHTTP2, entry.isConnection, let registered = entry.registered {
                guard CurlSockets.hasInput(socket) else {
                    // The socket was only writable, or libcurl has already read the bytes.
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

    /// Shuts a connection down and discards the unread bytes, so that libcurl sees the end of the connection and does not use it again.
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

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
    private var entries: [Entry] = []

    init(_ poll: SocketPoll) {
        self.poll = poll
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
    /// If it does not, the socket is not waited for any longer: the server has closed an idle connection, and each wait would report it.
    func wants(_ socket: Int32) -> Bool {
        guard entries.indices.contains(Int(socket)) else { return false }
        guard entries[Int(socket)].wanted == nil else { return true }
        update(socket) { ignore(socket, &$0) }
        return false
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

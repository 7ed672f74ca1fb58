internal import IdentityPlatform

package struct LoopbackServerError: Error, Sendable, CustomStringConvertible {
    package let operation: String
    /// The `errno` of the system call; `EAGAIN` for `pthread_create`, whose error `DedicatedThread` does not return.
    package let number: Int32
    /// The requested port if `bind` failed; nil after any other failure, or if the system was to choose the port.
    package var port: UInt16?

    package var description: String {
        let target = port.map { " to port \($0)" } ?? ""
        let reason = operation == "bind" ? " The port is in use or forbidden, or the address does not exist." : ""
        return "The loopback server could not start: \(operation)\(target) failed (errno \(number)).\(reason)"
    }
}

package enum LoopbackAddress: Sendable {
    case v4
    case v6
}

enum LoopbackSocket {
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        case ended
    }

    /// Creates a listening, non-blocking socket; returns the socket and its port.
    static func listen(on address: LoopbackAddress, port: UInt16) throws(LoopbackServerError) -> (Int32, UInt16) {
        let family = address == .v4 ? AF_INET : AF_INET6
        let socket = IdentityPlatform.socket(family, Platform.streamSocket, 0)
        guard socket >= 0 else { throw LoopbackServerError(operation: "socket", number: errno) }
        guard Descriptor.prepare(socket) else { throw failure("fcntl", socket) }
        var one: Int32 = 1
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        let bound = address == .v4 ? bind4(socket, port) : bind6(socket, port)
        guard bound == 0 else {
            var error = failure("bind", socket)
            if port != 0 { error.port = port }
            throw error
        }
        guard IdentityPlatform.listen(socket, 1024) == 0 else { throw failure("listen", socket) }
        guard let port = localPort(socket) else { throw failure("getsockname", socket) }
        return (socket, port)
    }

    static func accept(_ listener: Int32) -> Int32 {
        let socket = IdentityPlatform.accept(listener, nil, nil)
        guard socket >= 0 else { return -1 }
        guard Descriptor.prepare(socket) else {
            close(socket)
            return -1
        }
        var one: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        return socket
    }

    /// Whether a socket is readable; for a listening socket, whether a client waits for `accept`.
    static func hasInput(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0
    }

    static func receive(_ socket: Int32, into room: inout [UInt8]) -> Transfer {
        let count = unsafe room.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wouldBlock : .ended
    }

    static func send(_ socket: Int32, _ bytes: [UInt8], from offset: Int) -> Transfer {
        // SIGPIPE is suppressed, because a client that has closed its connection must not end the process.
        let count = unsafe bytes[offset...].withUnsafeBytes {
            unsafe IdentityPlatform.send(socket, $0.baseAddress, $0.count, Platform.sendFlags)
        }
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .wouldBlock : .ended
    }

    /// Makes the next `close` of the socket send RST instead of FIN.
    static func resetOnClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func failure(_ operation: String, _ socket: Int32) -> LoopbackServerError {
        let error = LoopbackServerError(operation: operation, number: errno)
        close(socket)
        return error
    }

    private static func bind4(_ socket: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return bind(socket, to: address)
    }

    private static func bind6(_ socket: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return bind(socket, to: address)
    }

    private static func bind<Address>(_ socket: Int32, to address: Address) -> Int32 {
        unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) {
                unsafe IdentityPlatform.bind(socket, $0.baseAddress, socklen_t(bytes.count))
            }
        }
    }

    // The port has the same offset in `sockaddr_in` and `sockaddr_in6`, so both can be read as a `sockaddr_in6`.
    private static func localPort(_ socket: Int32) -> UInt16? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                guard let base = pointer.baseAddress else { return Int32(-1) }
                return unsafe getsockname(socket, base, &length)
            }
        }
        return result == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }
}

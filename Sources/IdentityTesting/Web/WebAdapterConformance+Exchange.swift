internal import IdentityLoopback
internal import IdentityPlatform

extension WebAdapterConformance {
    /// Sends bytes to a server on 127.0.0.1, and reads until the server closes the connection or sends nothing for ten seconds.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of a request with `Connection: close`.
    ///   - port: The server's port.
    /// - Returns: All bytes of the response.
    /// - Throws: An error with the number of a failed system call, for example when nothing listens on the port, or when the first byte of
    ///   the response does not arrive within ten seconds.
    public static func exchange(_ bytes: [UInt8], port: UInt16) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            // The socket calls block, so they run on a separate thread.
            let started = DedicatedThread.start { continuation.resume(with: Result { try connection(bytes, port) }) }
            if !started {
                continuation.resume(throwing: ExchangeError(operation: "pthread_create", number: EAGAIN))
            }
        }
    }

    private static func connection(_ bytes: [UInt8], _ port: UInt16) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Platform.streamSocket, 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) {
                unsafe connect(descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ExchangeError(operation: "connect", number: errno) }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Platform.sendFlags)
            }
            // The server may refuse a large body before it has read all of it. Then `send` fails, and the code below reads the response.
            guard count > 0 else { break }
            sent += count
        }
        var answer: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe recv(descriptor, &room, room.count, 0)
            guard count > 0 else {
                if count < 0, answer.isEmpty { throw ExchangeError(operation: "recv", number: errno) }
                return answer
            }
            answer += room[..<count]
        }
    }
}

private struct ExchangeError: Error, CustomStringConvertible {
    let operation: String
    let number: Int32

    var description: String {
        let reason =
            switch operation {
            case "connect": " Check that the server listens on this port of 127.0.0.1."
            case "recv": " The server sent no response within ten seconds, or reset the connection."
            default: ""
            }
        return "\(operation) failed (errno \(number)).\(reason)"
    }
}

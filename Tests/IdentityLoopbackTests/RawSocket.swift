import IdentityPlatform

@testable import IdentityLoopback

/// A client that sends raw bytes.
final class RawSocket: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Platform.streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let (descriptor, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
        let result = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { unsafe connect(descriptor, $0.baseAddress, size) }
        }
        guard result == 0 else { throw LoopbackServerError(operation: "connect", number: errno) }
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) {
        _ = unsafe IdentityPlatform.send(descriptor, bytes, bytes.count, Platform.sendFlags)
    }

    /// Reads until the server closes or resets the connection, `size` bytes at a time, with a pause in microseconds after each read.
    func readToEnd(by size: Int = 4096, pausing pause: UInt32 = 0) async -> String {
        await read(by: size, pausing: pause).text
    }

    /// Reads until the server closes or resets the connection, and returns whether the server has reset it.
    func readToReset() async -> Bool {
        await read(by: 4096, pausing: 0).wasReset
    }

    /// Reads on a dedicated thread, because a thread of the cooperative pool must not block.
    private func read(by size: Int, pausing pause: UInt32) async -> (text: String, wasReset: Bool) {
        await withCheckedContinuation { continuation in
            let started = DedicatedThread.start {
                var all: [UInt8] = []
                var wasReset = false
                var room = [UInt8](repeating: 0, count: size)
                while true {
                    let count = unsafe recv(self.descriptor, &room, room.count, 0)
                    if count < 0 { wasReset = errno == ECONNRESET }
                    guard count > 0 else { break }
                    all += room[..<count]
                    if pause > 0 { usleep(pause) }
                }
                continuation.resume(returning: (String(decoding: all, as: UTF8.self), wasReset))
            }
            if !started { continuation.resume(returning: ("no thread", false)) }
        }
    }
}

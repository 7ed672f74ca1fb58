internal import IdentityPlatform

package enum LoopbackPort {
    package struct Failure: Error {}

    /// A port that no process uses now.
    package static func free() throws -> UInt16 {
        let descriptor = Platform.socket(AF_INET, Platform.streamSocket, 0)
        defer { close(descriptor) }
        return try bind(descriptor)
    }

    /// Binds a socket to a port that the system chooses, and returns the port.
    package static func bind(_ descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe IdentityPlatform.bind(descriptor, pointer, length) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw Failure() }
        return UInt16(bigEndian: address.sin_port)
    }
}

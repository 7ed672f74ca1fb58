package enum Descriptor {
    /// Writes all bytes, and waits while a non-blocking descriptor accepts none; false if a write fails.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe IdentityPlatform.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                wait(for: Int16(POLLOUT), on: descriptor)
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until a descriptor has one of the events, fails, or is a pipe without a reader.
    package static func wait(for events: Int16, on descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
    }
}

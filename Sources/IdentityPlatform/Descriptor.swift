package enum Descriptor {
    /// Makes a descriptor non-blocking, and closes it in programs that this process starts (close-on-exec); false on failure, see `errno`.
    package static func prepare(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    /// Writes all bytes at an offset of a file, or at the current position, and waits while a non-blocking descriptor accepts none.
    ///
    /// - Returns: False if a write fails, see `errno`; it is ENOSPC if a write accepted no byte.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int? = nil) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                guard let offset else { return unsafe IdentityPlatform.write(descriptor, $0.baseAddress, $0.count) }
                return unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + rest.startIndex))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                wait(for: Int16(POLLOUT), on: descriptor)
                continue
            }
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a file from an offset, until the array is full or the file ends.
    ///
    /// - Returns: The number of bytes; nil if a read fails, see `errno`.
    package static func read(_ descriptor: Int32, at offset: Int = 0, into bytes: inout [UInt8]) -> Int? {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, off_t(offset + done))
            }
            if count == 0 { break }
            if count < 0, errno != EINTR { return nil }
            done += max(0, count)
        }
        return done
    }

    /// Waits until a descriptor has one of the events, fails, or is a pipe without a reader.
    package static func wait(for events: Int16, on descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
    }
}

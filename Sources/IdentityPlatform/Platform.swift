internal import CIdentityPlatform

/// Constants and calls that differ between platforms, or that Swift's C library modules leave out.
///
/// Only Linux with glibc is built and tested. The `#if` branches for other platforms are a start for a port.
package enum Platform {
    #if canImport(Glibc)
    package static let streamSocket = Int32(SOCK_STREAM.rawValue)
    private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
    #else
    package static let streamSocket = Int32(SOCK_STREAM)
    #endif
    #if canImport(Musl)
    private static let closeOnExec = Int32(SOCK_CLOEXEC)
    #endif

    #if canImport(Darwin)
    /// No flag, because older versions of Darwin have no MSG_NOSIGNAL; a port must set SO_NOSIGPIPE on each socket instead.
    package static let sendFlags: Int32 = 0
    package static let spawnSetSession: Int32 = 0x400
    #else
    /// The flags of a send that must not raise SIGPIPE.
    package static let sendFlags = Int32(MSG_NOSIGNAL)
    /// POSIX_SPAWN_SETSID, which starts the program in a new POSIX session (setsid(2)); glibc's headers declare it only under _GNU_SOURCE.
    package static let spawnSetSession: Int32 = 0x80
    #endif

    /// Creates a socket that programs started by this process do not inherit (close-on-exec); -1 on failure, see `errno`.
    package static func socket(_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 {
        #if canImport(Darwin)
        let descriptor = Darwin.socket(family, type, `protocol`)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
        #else
        return IdentityPlatform.socket(family, type | closeOnExec, `protocol`)
        #endif
    }

    /// How often the current thread has waited, for example for the disk; on other systems than Linux, the result counts all threads.
    package static func threadWaits() -> Int {
        identity_thread_waits()
    }
}

extension stat {
    /// When the content was last changed, in seconds since 1970.
    package var modificationTime: Int {
        #if canImport(Darwin)
        st_mtimespec.tv_sec
        #else
        st_mtim.tv_sec
        #endif
    }
}

extension Platform {
    #if canImport(Darwin)
    private static let setFileDescriptionLock: Int32 = 90
    #else
    // F_OFD_SETLK, which glibc's headers declare only under _GNU_SOURCE.
    private static let setFileDescriptionLock: Int32 = 37
    #endif

    /// Locks or unlocks one byte of a file for an open file description, without waiting.
    ///
    /// - Returns: 0 on success; EAGAIN or EACCES if another open file description has locked the byte; otherwise the `errno` of `fcntl`,
    ///   for example if the file system does not support these locks.
    package static func setLock(_ descriptor: Int32, byte: Int64, isLocked: Bool) -> Int32 {
        var lock = flock()
        lock.l_type = Int16(isLocked ? F_WRLCK : F_UNLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return unsafe fcntl(descriptor, setFileDescriptionLock, &lock) == 0 ? 0 : errno
    }
}

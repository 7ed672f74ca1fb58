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

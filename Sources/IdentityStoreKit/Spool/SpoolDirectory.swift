internal import IdentityCrypto
package import IdentityKit
internal import IdentityPlatform

/// A directory of small files that only the owner can use.
///
/// A file gets its final name after it was written completely, so each file that ``names()`` returns is complete.
///
/// Every call opens the directory again. This is cheap, because the directory usually does not exist: a call that reads or removes then
/// makes only one system call.
package struct SpoolDirectory: Sendable {
    private static let temporarySuffix = ".tmp"

    private let path: String
    private let maximumFileSize: Int

    /// Creates a value; the first ``write(_:to:)`` creates the directory itself, with mode 0700.
    ///
    /// Files of more than `maximumFileSize` bytes are not read.
    package init(path: String, maximumFileSize: Int) {
        self.path = path
        self.maximumFileSize = maximumFileSize
    }

    /// Writes a file durably, and replaces a file of the same name.
    package func write(_ bytes: [UInt8], to name: String) throws(IdentityError) {
        try make()
        guard let directory = try open() else { throw failed("was removed", ENOENT) }
        defer { close(directory) }
        let temporary = name + "." + (try Self.randomName()) + Self.temporarySuffix
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(directory, temporary, flags, 0o600)
        guard file >= 0 else { throw failed("cannot be written", errno) }
        var error = Descriptor.write(bytes, to: file) ? 0 : errno
        if error == 0, fsync(file) != 0 { error = errno }
        if close(file) != 0, error == 0 { error = errno }
        if error == 0, unsafe renameat(directory, temporary, directory, name) != 0 { error = errno }
        guard error == 0 else {
            _ = unsafe unlinkat(directory, temporary, 0)
            throw failed("cannot be written", error)
        }
        guard fsync(directory) == 0 else { throw failed("cannot be written", errno) }
    }

    package func read(_ name: String) throws(IdentityError) -> [UInt8]? {
        guard let directory = try open() else { return nil }
        defer { close(directory) }
        // With O_NONBLOCK, opening a named pipe does not wait for a writer.
        let file = unsafe openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            let error = errno
            if error == ENOENT { return nil }
            if error == ELOOP { throw refused("its file \(name) is a symbolic link") }
            throw failed("cannot be read", error)
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw failed("cannot be read", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw refused("its entry \(name) is not a regular file") }
        guard status.st_nlink <= 1 else { throw refused("its file \(name) has more than one hard link") }
        try check(status, "its file \(name)")
        guard status.st_size <= maximumFileSize else { throw damaged(name) }
        var bytes = [UInt8](repeating: 0, count: maximumFileSize + 1)
        guard let count = Descriptor.read(file, into: &bytes) else { throw failed("cannot be read", errno) }
        guard count <= maximumFileSize else { throw damaged(name) }
        return Array(bytes[..<count])
    }

    /// The names of the complete files.
    package func names() throws(IdentityError) -> [String] {
        try entries().filter { !$0.hasSuffix(Self.temporarySuffix) }
    }

    /// Removes a file, if it exists.
    package func remove(_ name: String) throws(IdentityError) {
        guard let directory = try open() else { return }
        defer { close(directory) }
        guard unsafe unlinkat(directory, name, 0) == 0 else {
            if errno == ENOENT { return }
            throw failed("cannot be changed", errno)
        }
        guard fsync(directory) == 0 else { throw failed("cannot be changed", errno) }
    }

    /// Removes incomplete files that crashed processes left more than a day ago.
    ///
    /// The write of such a file never succeeded, so no caller relies on the file. `now` is the time in seconds since 1970.
    package func removeLeftovers(at now: Int) throws(IdentityError) {
        guard let directory = try open() else { return }
        defer { close(directory) }
        for name in try entries() where name.hasSuffix(Self.temporarySuffix) {
            var status = stat()
            guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            if status.modificationTime < now - 86_400 { _ = unsafe unlinkat(directory, name, 0) }
        }
    }

    // MARK: The directory

    /// Throws if the directory cannot be used, or if it does not exist and cannot be created; changes nothing.
    package func check() throws(IdentityError) {
        let directory = try open()
        if let directory { close(directory) }
        guard unsafe access(directory == nil ? parent : path, W_OK | X_OK) == 0 else {
            throw failed(directory == nil ? "cannot be created" : "cannot be written", errno)
        }
    }

    private var parent: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        return (path.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
    }

    private func make() throws(IdentityError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw failed("cannot be created", errno)
        }
        let directory = unsafe IdentityPlatform.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failed("cannot be created", errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw failed("cannot be created", errno) }
    }

    /// The descriptor of the open directory; nil if the directory does not exist.
    private func open() throws(IdentityError) -> Int32? {
        let directory = unsafe IdentityPlatform.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else {
            let error = errno
            if error == ENOENT { return nil }
            if error == ELOOP || error == ENOTDIR {
                throw refused("the path does not lead to a directory, or its last component is a symbolic link")
            }
            throw failed("cannot be opened", error)
        }
        var status = stat()
        do throws(IdentityError) {
            guard unsafe fstat(directory, &status) == 0 else { throw failed("cannot be opened", errno) }
            try check(status, "it")
        } catch {
            close(directory)
            throw error
        }
        return directory
    }

    private func entries() throws(IdentityError) -> [String] {
        guard let directory = try open() else { return [] }
        guard let stream = unsafe fdopendir(directory) else {
            let error = errno
            close(directory)
            throw failed("cannot be read", error)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // readdir returns NULL at the end and after an error.
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let error = errno
                guard error == 0 else { throw failed("cannot be read", error) }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
    }

    // MARK: Files

    private func check(_ status: stat, _ what: String) throws(IdentityError) {
        guard status.st_uid == geteuid() else { throw refused("\(what) belongs to another user") }
        guard status.st_mode & 0o077 == 0 else { throw refused("users other than the owner have access to \(what)") }
    }

    private static func randomName() throws(IdentityError) -> String {
        do {
            return Hexadecimal.encode(try SecureRandom.bytes(8))
        } catch {
            throw .sealingUnavailable(error)
        }
    }

    // MARK: Errors

    func damaged(_ name: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            storeCorrupt: "The file \(name) in the store's spool \(path) is damaged. The file was not changed.",
            hint: "Move the file to another directory. The buyer of the file's session may then have to sign in again.",
            cause: cause
        )
    }

    private func refused(_ reason: String) -> IdentityError {
        IdentityError(
            configuration: "The store's spool directory \(path) cannot be used: \(reason).",
            hint: """
                Make the spool a directory of the process's user with mode 0700, and not a link. Make each file in the spool a regular \
                file of this user with mode 0600 and one hard link. Correct the owner and the mode, but do not delete a file: a file in \
                the spool may contain the newest tokens of a session.
                """
        )
    }

    private func failed(_ what: String, _ error: Int32) -> IdentityError {
        let (kind, code, hint): (IdentityError.Kind, IdentityError.Code, String) =
            switch error {
            case ENOSPC, EDQUOT, EFBIG:
                (
                    .retryLater, .storeFull,
                    """
                    Free space on the disk of the spool directory. If the disk has space, raise the disk quota or the limit of file sizes \
                    (ulimit -f).
                    """
                )
            case EROFS, EACCES, EPERM:
                (
                    .configuration, .storeReadOnly,
                    """
                    Make the process's user the owner of the spool directory (mode 0700) and of its files (mode 0600). Give this user \
                    write access to the directory that contains the spool. Check that the file system is mounted for writing.
                    """
                )
            default:
                (
                    .retryLater, .storeFailed,
                    """
                    Check that the directory that contains the spool exists and that the disk works. Check the limit of open files \
                    (ulimit -n). Read the system's log for disk errors.
                    """
                )
            }
        return IdentityError(kind, code, "The store's spool directory \(path) \(what) (errno \(error)).", hint: hint)
    }
}

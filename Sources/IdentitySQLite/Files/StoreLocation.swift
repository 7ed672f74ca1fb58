internal import Glibc
internal import IdentityKit
internal import IdentityStoreKit

/// Where a store's files are, and whether they may be used.
struct StoreLocation: Sendable {
    /// The database file, by its real path: the lock file beside it must be the same one for everybody.
    let database: String
    let directory: String

    var journal: String { database + "-journal" }
    var locks: String { database + ".locks" }
    /// The write-ahead log.
    var log: String { database + "-wal" }
    var sharedMemory: String { database + "-shm" }
    var spool: String { database + ".spool" }

    /// What is at the database's path.
    enum Content: Sendable, Equatable {
        case missing, empty, present
    }

    /// Finds the directory.
    ///
    /// - Parameters:
    ///   - path: The path of the database file.
    ///   - creates: Whether it is made (mode 0700) where it is missing.
    /// - Throws: `IdentityError` when the directory is missing or unsafe.
    init(_ path: String, creates: Bool) throws(IdentityError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw Self.invalid("The store's path is empty or has a NUL in it.", hint: "Name a file.")
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last, !path.hasSuffix("/"), name != ".", name != ".." else {
            throw Self.invalid("The store's path names a directory.", hint: "Name a file in it.")
        }
        let parent = (path.hasPrefix("/") ? "/" : "./") + parts.dropLast().joined(separator: "/")
        if creates { try Self.makeDirectory(parent) }
        guard let resolved = unsafe realpath(parent, nil) else {
            throw errno == ENOENT ? Self.missing(path) : Self.unreachable(parent, errno)
        }
        defer { unsafe free(resolved) }
        directory = unsafe String(cString: resolved)
        database = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
    }

    /// Looks at the files and refuses those that others may read, or that belong to somebody else.
    ///
    /// - Returns: What is there, and whether the mode bits and the file system let us write; bits that root could override
    ///   count too, since whoever took them away meant it.
    func inspect() throws(IdentityError) -> (content: Content, isWritable: Bool) {
        var directoryStatus = stat()
        guard unsafe stat(directory, &directoryStatus) == 0 else { throw Self.unreachable(directory, errno) }
        var isWritable = unsafe directoryStatus.st_mode & S_IWUSR != 0 && access(directory, W_OK) == 0
        for path in [journal, locks, log, sharedMemory] { _ = try Self.check(path) }
        guard let status = try Self.check(database) else { return (.missing, isWritable) }
        if unsafe status.st_mode & S_IWUSR == 0 || access(database, W_OK) != 0 { isWritable = false }
        return (status.st_size == 0 ? .empty : .present, isWritable)
    }

    /// Refuses to make a store beside a spool with sessions: they belong to a database that was lost or moved.
    func refuseOrphanedSpool() throws(IdentityError) {
        let count = try SpoolDirectory(path: spool, maximumCount: 0).names().count
        guard count == 0 else {
            throw Self.invalid(
                "There is no database at \(database), but \(spool) holds the newest tokens of \(count) sessions.",
                hint: """
                    Put the database file back, or restore its newest backup. To begin with an empty store, move the spool directory \
                    away: the buyers whose tokens it holds have to sign in again.
                    """
            )
        }
    }

    /// There is no database, and none may be made.
    static func missing(_ path: String) -> IdentityError {
        invalid(
            "There is no database at \(path), and it must not be created.",
            hint: """
                Check the path, and that its disk is mounted. If the file is lost, restore the newest backup. If this is a new store, set \
                `createsStore` for its first start; with identity-lab, sign in once.
                """
        )
    }

    /// Makes the empty database file, mode 0600; one that is there already is left alone.
    func createDatabase() throws(IdentityError) {
        // mknod rather than open: no descriptor whose closing would drop SQLite's POSIX locks on the file.
        guard unsafe mknod(database, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else {
            let error = errno
            if error == EACCES || error == EROFS { throw .storeReadOnly() }
            if error == ENOSPC || error == EDQUOT { throw .storeFull() }
            throw Self.unreachable(database, error)
        }
    }

    /// The length of the database file.
    func databaseLength() throws(IdentityError) -> Int64 {
        Int64(try Self.check(database)?.st_size ?? 0)
    }

    /// Whether there is a write-ahead log with something in it.
    func hasLog() throws(IdentityError) -> Bool {
        try Self.check(log).map { $0.st_size > 0 } ?? false
    }

    private static func makeDirectory(_ path: String) throws(IdentityError) {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return }
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") where part != "." {
            made += "/\(part)"
            guard unsafe mkdir(made, 0o700) == 0 || errno == EEXIST else { throw unreachable(made, errno) }
        }
    }

    private static func check(_ path: String) throws(IdentityError) -> stat? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw unreachable(path, errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw invalid("\(path) is no regular file.", hint: "Links, devices and directories are refused.")
        }
        guard status.st_uid == geteuid() else {
            throw invalid("\(path) belongs to another user.", hint: "Run chown on it, or run as its owner.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw invalid("Others than its owner may use \(path).", hint: "Run chmod 600 on it.")
        }
        return status
    }

    private static func invalid(_ message: String, hint: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, message, hint: hint)
    }

    private static func unreachable(_ path: String, _ error: Int32) -> IdentityError {
        if error == EROFS { return .storeReadOnly() }
        return IdentityError(
            .configuration,
            .storeFailed,
            "\(path) cannot be reached or made (errno \(error)).",
            hint: "Check the path and the rights of its directories."
        )
    }
}

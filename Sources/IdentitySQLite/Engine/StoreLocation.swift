internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

/// The paths of a store's files, and the checks of their owner and mode.
struct StoreLocation: Sendable {
    /// The path of the database file or of a backup; symbolic links in its directory are resolved.
    ///
    /// So all processes use the same lock file, also if they reach the directory through different links.
    let database: String
    let directory: String

    var journal: String { database + "-journal" }
    var locks: String { database + ".locks" }
    var log: String { database + "-wal" }
    var sharedMemory: String { database + "-shm" }
    var spool: String { database + ".spool" }
    var logins: String { database + ".logins" }

    enum Content: Sendable, Equatable {
        case missing, empty, present
    }

    /// Resolves the path of a database file or of a backup; if `creates` is true, a missing directory is created with mode 0700.
    init(_ path: String, creates: Bool) throws(IdentityError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw IdentityError(
                configuration: "The path of the database file, or of its backup, is empty or contains NUL.",
                hint: "Set the path of a file."
            )
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last, !path.hasSuffix("/"), name != ".", name != ".." else {
            throw IdentityError(
                configuration: "The path \(path) names a directory, not a file.",
                hint: "Set the path of a file."
            )
        }
        let parent = (path.hasPrefix("/") ? "/" : "./") + parts.dropLast().joined(separator: "/")
        if creates { try Self.makeDirectory(parent) }
        guard let resolved = unsafe realpath(parent, nil) else {
            let error = errno
            guard error == ENOENT else { throw Self.unreachable(parent, error) }
            throw creates ? Self.danglingLink(parent) : Self.missing(path)
        }
        defer { unsafe free(resolved) }
        directory = unsafe String(cString: resolved)
        database = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
    }

    /// Checks the database file, its journals and the lock file with ``check(_:)``.
    ///
    /// `isWritable` tells whether the process may write to the file and its directory. It is false, even for root, if the owner's write bit
    /// is not set: an administrator who removes this bit wants a read-only store.
    func inspect() throws(IdentityError) -> (content: Content, isWritable: Bool) {
        var directoryStatus = stat()
        guard unsafe stat(directory, &directoryStatus) == 0 else { throw Self.unreachable(directory, errno) }
        var isWritable = unsafe directoryStatus.st_mode & S_IWUSR != 0 && access(directory, W_OK) == 0
        for path in [journal, locks, log, sharedMemory] { _ = try Self.check(path) }
        guard let status = try Self.check(database) else { return (.missing, isWritable) }
        if unsafe status.st_mode & S_IWUSR == 0 || access(database, W_OK) != 0 { isWritable = false }
        return (status.st_size == 0 ? .empty : .present, isWritable)
    }

    /// Throws if `type`, the file system type from `statfs`, is a network file system, on which locks are not reliable.
    func refuseNetwork(type: Int64) throws(IdentityError) {
        guard let name = FileSystem.networkName(ofType: type) else { return }
        throw IdentityError(
            configuration:
                "\(directory) is on a file system that several machines can share (\(name)), where locks are not reliable.",
            hint: """
                Put the store on a local disk. If several machines need the same sessions, use a `PostgresStore`. To use this directory \
                at your own risk, set `SQLiteStore.Configuration.allowsNetworkFileSystem` in the app.
                """
        )
    }

    private static func danglingLink(_ directory: String) -> IdentityError {
        IdentityError(
            configuration:
                "The directory \(directory) does not exist and cannot be created, for example because it is a link to a missing directory.",
            hint: "Check the path. If a part of the path is a link to a missing directory, create that directory."
        )
    }

    static func missing(_ path: String) -> IdentityError {
        IdentityError(
            configuration: "There is no database at \(path), and createsStore is false.",
            hint: """
                Check the store's path and that its disk is mounted. If the file is lost, restore the newest backup. For a new store, set \
                createsStore to true in the app for the first start, or run identity-lab login.
                """
        )
    }

    /// Creates an empty database file with mode 0600; an existing file is not changed.
    func createDatabase() throws(IdentityError) {
        // Unlike `open`, `mknod` opens no descriptor. Closing a descriptor of the file would release SQLite's POSIX locks on the file.
        guard unsafe mknod(database, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else {
            let error = errno
            if error == EACCES || error == EROFS { throw .storeReadOnly() }
            if error == ENOSPC || error == EDQUOT { throw .storeFull() }
            throw Self.unreachable(database, error)
        }
    }

    func databaseLength() throws(IdentityError) -> Int64 {
        Int64(try Self.check(database)?.st_size ?? 0)
    }

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

    /// Throws if the path is not a regular file, belongs to another user, gives other users access, or cannot be examined.
    ///
    /// Returns nil if nothing exists at the path.
    static func check(_ path: String) throws(IdentityError) -> stat? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw unreachable(path, errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw IdentityError(
                configuration: "\(path) is not a regular file.",
                hint: """
                    Set the store's path to a regular file: a link, device or directory is not accepted. The store's other files, for \
                    example the file with the suffix -journal, must be regular files too.
                    """
            )
        }
        try checkOwner(of: path, status)
        return status
    }

    /// Throws unless the path is a directory of the process's user to which no other user has access.
    static func checkDirectory(_ path: String) throws(IdentityError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw unreachable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw IdentityError(
                configuration: "\(path) is not a directory.",
                hint: "Move the file or link away. The store creates the directory."
            )
        }
        try checkOwner(of: path, status)
    }

    private static func checkOwner(of path: String, _ status: stat) throws(IdentityError) {
        guard status.st_uid == geteuid() else {
            throw IdentityError(
                configuration: "\(path) belongs to another user.",
                hint: "Change the owner of this path with chown, or run the process as the path's owner."
            )
        }
        guard status.st_mode & 0o077 == 0 else {
            throw IdentityError(
                configuration: "Users other than the owner have access to \(path).",
                hint: "Run chmod go= on this path."
            )
        }
    }

    private static func unreachable(_ path: String, _ error: Int32) -> IdentityError {
        if error == EROFS { return .storeReadOnly() }
        return IdentityError(
            .configuration,
            .storeFailed,
            "\(path) cannot be opened or created (errno \(error)).",
            hint: "Check the path, the permissions of its directories, and the disk's free space and file system."
        )
    }
}

internal import CIdentitySQLite
internal import IdentityKit
internal import IdentityPlatform

/// An error of SQLite, which contains neither SQL nor a value.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// The likely `errno` behind `SQLITE_IOERR` or `SQLITE_CANTOPEN`; 0 for other errors, and if it is not known.
    var systemError: Int32 = 0

    var primary: Int32 { code & 0xFF }

    /// Whether a lock of another connection caused this error.
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    private var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(systemError) }

    var description: String {
        let text = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "unknown"
        return systemError == 0 ? "SQLite \(code) (\(text))" : "SQLite \(code) (\(text)), errno \(systemError)"
    }

    var identityError: IdentityError {
        switch primary {
        case SQLITE_BUSY, SQLITE_LOCKED: .storeBusy(cause: self)
        case SQLITE_CORRUPT: .storeCorrupt("The store's file is damaged.", cause: self)
        case SQLITE_NOTADB: .storeCorrupt("The store's file is damaged, or it is not a SQLite database.", cause: self)
        case SQLITE_FULL: .storeFull(cause: self)
        case SQLITE_IOERR where isFull, SQLITE_CANTOPEN where isFull: .storeFull(cause: self)
        // SQLITE_READONLY_DBMOVED, a macro that Swift does not import.
        case SQLITE_READONLY where code == SQLITE_READONLY | (4 << 8):
            failed(
                .configuration,
                "The store's file was moved or deleted while it was in use.",
                """
                Stop every process that uses the store. If the store's file was moved, put it back. If the file was deleted, put the \
                newest backup in its place. Then start the processes.
                """
            )
        case SQLITE_READONLY, SQLITE_PERM: .storeReadOnly(cause: self)
        case SQLITE_CONSTRAINT:
            failed(
                .rejected,
                "SQLite rejected a value that breaks a constraint of its table.",
                """
                If another program has changed the store's tables, restore the store from a backup. Otherwise report this error with \
                its cause, because it is a defect in IdentityKit.
                """
            )
        case SQLITE_CANTOPEN where systemError == EMFILE || systemError == ENFILE:
            failed(
                .retryLater,
                "The database file cannot be opened: too many files are open.",
                systemError == EMFILE
                    ? "Raise the process's limit of open files (ulimit -n)."
                    : "Raise the machine's limit of open files (fs.file-max)."
            )
        case SQLITE_CANTOPEN, SQLITE_AUTH, SQLITE_NOLFS:
            failed(
                .configuration,
                "The database file or its journal cannot be opened.",
                """
                Check the store's path, the permissions of the file and its directory, and the free space of the disk. Check also the \
                limit of open files (ulimit -n).
                """
            )
        default:
            failed(
                .retryLater,
                "The database failed: \(self).",
                primary == SQLITE_IOERR
                    ? "Check that the disk has space and works, and read the system's log for disk errors."
                    : "Check that the process has enough memory, and that no other program has changed the store's tables."
            )
        }
    }

    private func failed(_ kind: IdentityError.Kind, _ message: String, _ hint: String) -> IdentityError {
        IdentityError(kind, .storeFailed, message, hint: hint, cause: self)
    }
}

extension IdentityError {
    static func storeBusy(cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeBusy,
            "The store is locked by another process or connection.",
            hint: """
                Try again. If the error persists, look for a suspended process, and for a backup program or shell that keeps a transaction \
                open. Look also for a process that opened the store with another journal mode. End each process that you find.
                """,
            cause: cause
        )
    }

    static func storeCorrupt(_ message: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            storeCorrupt: message,
            hint: """
                Check the store's path. If the path is right, stop all processes that use the store. Move the store's file and its \
                -journal, -wal and -shm files away, and put a backup in its place. To start with an empty store instead, move the store's \
                .spool directory away too, and open the store with createsStore set to true, or run identity-lab login.
                """,
            cause: cause
        )
    }

    static func storeReadOnly(cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .configuration,
            .storeReadOnly,
            "The store's files or their directory are read-only for this process.",
            hint: """
                Give the process's user write access to the directory and to the files of the store in it, and check that the disk is \
                mounted for writing. Then restart the process.
                """,
            cause: cause
        )
    }

    static func storeFull(cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeFull,
            "The store cannot be written: the disk is full, or a quota or the limit of file sizes is reached.",
            hint: """
                Free space on the disk of the store, or raise the quota or limit. Until then, logins and other saves may fail. New tokens \
                of a session can usually be saved if they fit into the session's row.
                """,
            cause: cause
        )
    }

    /// The error of a system call that failed with `error` (`errno`) on a file of the store.
    static func fileFailed(_ message: String, _ error: Int32, hint: String) -> IdentityError {
        switch error {
        case ENOSPC, EDQUOT, EFBIG: .storeFull()
        case EROFS, EACCES, EPERM: .storeReadOnly()
        default: IdentityError(.retryLater, .storeFailed, "\(message) (errno \(error)).", hint: hint)
        }
    }

    static var notWritable: IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            "SQLite opened the store's file or its write-ahead log only for reading, although the store's file is writable.",
            hint: """
                If the store has -wal and -shm files, check their permissions. Check that the disk has space and works, and read the \
                system's log for disk errors.
                """
        )
    }
}

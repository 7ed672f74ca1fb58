internal import Dispatch
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

extension Database {
    /// The number of pages (2 MiB) in one copy step; queued saves run between the steps.
    private static let pagesAtOnce: Int32 = 256
    /// How often writes of other processes may restart the copy; after that, all saves wait, or the backup of a read-only store fails.
    private static let allowedRestarts = 5

    /// Copies the database into a new file; `locks` is the path of this store's lock file.
    nonisolated func backUp(to location: StoreLocation, locks: String) async throws {
        let temporary = location.database + ".\(Hexadecimal.encode(try SystemRandom().bytes(8))).partial"
        try location.createCopy(temporary)
        do {
            try await copy(to: temporary, locks: locks)
            try await Self.onAnotherThread { try location.publishCopy(temporary) }
        } catch {
            _ = unsafe unlink(temporary)
            throw (error as? SQLiteFailure)?.identityError ?? error
        }
    }

    private func copy(to path: String, locks: String) async throws {
        guard let connection else { throw IdentityError.storeClosed }
        let target = try Connection(path: path, forWriting: true)
        guard !target.isReadOnly else {
            throw IdentityError.notWritable.recast(
                message:
                    "SQLite opened the file of the backup only for reading, although the file's permissions allow writing.",
                hint:
                    "Check that the disk of the backup has space and works, and read the system's log for disk errors."
            )
        }
        // A failed backup deletes this file, so the file needs no journal.
        try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        let copy = try connection.copy(to: target)
        var restarts = 0
        var remaining = Int32.max
        while true {
            guard self.connection === connection else { throw IdentityError.storeClosed }
            if restarts > Self.allowedRestarts {
                guard writer != nil else { throw IdentityError.busyDuringBackup }
                // `exclusively` can pause while it holds its lock. In that pause, a save of this process could take `writer` too, and
                // then release it for other processes. So the backup has its own lock.
                try await exclusively(WriterLock(try LockDescriptor(path: locks))) {
                    while try !copy.step(Self.pagesAtOnce) {}
                }
                break
            }
            if try await retryingWhileBusy({ try copy.step(Self.pagesAtOnce) }) { break }
            // After a write of another process, the step restarts at the first page. Then the number of remaining pages does not decrease.
            if copy.remaining >= remaining { restarts += 1 }
            remaining = copy.remaining
            try await queue.pause()
        }
        try copy.finish()
        _ = try target.texts("PRAGMA journal_mode = DELETE")
        try target.execute("UPDATE store SET is_copy = 1")
    }

    /// Runs a long body on a global dispatch queue, because on the database's own thread it would block all saves.
    static func onAnotherThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

extension StoreLocation {
    /// Creates an empty file for the copy; throws if this file or a file at the backup's final path exists.
    fileprivate func createCopy(_ path: String) throws(IdentityError) {
        var status = stat()
        guard unsafe lstat(database, &status) != 0 else { throw Self.alreadyThere }
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.cannotCopy(errno) }
        close(file)
    }

    /// Makes a copy durable and gives it its final name; throws if a file already has this name.
    fileprivate func publishCopy(_ path: String) throws(IdentityError) {
        try Self.synchronize(path, O_RDONLY)
        guard unsafe link(path, database) == 0 else {
            let error = errno
            throw error == EEXIST ? Self.alreadyThere : Self.cannotCopy(error)
        }
        _ = unsafe unlink(path)
        do throws(IdentityError) {
            try Self.synchronize(directory, O_RDONLY | O_DIRECTORY)
        } catch {
            // Without `fsync` of the directory, a power loss could remove the backup's name. So the call fails and removes the backup.
            _ = unsafe unlink(database)
            throw error
        }
    }

    private static func synchronize(_ path: String, _ flags: Int32) throws(IdentityError) {
        let file = unsafe open(path, flags | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw cannotCopy(errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw cannotCopy(errno) }
    }

    private static var alreadyThere: IdentityError {
        IdentityError(
            configuration: "There is already a file, directory or link at the path of the backup.",
            hint: "Choose the path of a new file. Nothing was overwritten."
        )
    }

    private static func cannotCopy(_ error: Int32) -> IdentityError {
        .fileFailed(
            "The backup cannot be written",
            error,
            hint: "Check the path of the backup, and that its disk works."
        )
    }
}

extension IdentityError {
    var ofBackup: IdentityError {
        switch code {
        case .storeFull:
            recast(
                message:
                    "The backup cannot be written: the disk is full, or a quota or the limit of file sizes is reached.",
                hint: "Free space on the disk of the backup, or raise the quota or limit. Then make the backup again."
            )
        case .storeReadOnly:
            recast(
                message:
                    "The backup cannot be written: its directory is not writable, or its file system does not offer hard links.",
                hint:
                    "Give the process's user write access to the directory of the backup, or choose a directory on another file system."
            )
        default: self
        }
    }

    /// The error of a backup of a store that is open only for reading, and so has no writer lock to stop the writes of other processes.
    fileprivate static var busyDuringBackup: IdentityError {
        storeBusy().recast(
            message: "The backup cannot be completed, because other processes write to the store too often.",
            hint: "Make the backup when there is less load, or in a process that opened the store for writing."
        )
    }
}

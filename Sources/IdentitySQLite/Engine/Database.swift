internal import IdentityKit
internal import IdentityStoreKit

/// Writes to the database file on its own serial queue.
///
/// Saves that arrive during a transaction share the next transaction and its `fdatasync` (group commit).
actor Database: BatchWorker {
    nonisolated let queue: WorkQueue
    nonisolated let reader: DatabaseReader
    nonisolated let direct: DirectReader
    var connection: Connection?
    /// Nil while the file is not open, and while it is open only for reading.
    var writer: WriterLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.executor.asUnownedSerialExecutor() }

    init(clock: any IdentityClock, wait: Duration) {
        queue = WorkQueue(clock: clock, wait: wait)
        reader = DatabaseReader(clock: clock, wait: wait)
        direct = DirectReader(clock: clock)
    }

    /// Reads on the thread of ``DatabaseReader``; with a rollback journal, a read waits while a transaction is being committed.
    nonisolated func read<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await reader.perform(body)
    }

    /// Reads single rows by their keys, on the caller's thread if this is possible at once.
    ///
    /// If ``DatabaseReader`` already has calls, this read joins them, because a shared transaction costs less.
    nonisolated func readRow<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        if reader.queue.isIdle, let result = try direct.read(body) { return result }
        return try await read(body)
    }

    /// Runs a body on the thread of the database, and returns when its changes are durable.
    nonisolated func write<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await perform(body)
    }

    /// Completes the queued calls, then closes the file; later calls fail.
    func close() async {
        direct.close()
        await reader.close()
        await queue.close()
        if let connection, connection.mayUseLog, let writer, (try? writer.tryAcquire()) == true {
            // The checkpoint has an effect only with a write-ahead log. If it fails, no data is lost.
            _ = try? connection.texts("PRAGMA wal_checkpoint(TRUNCATE)")
            writer.release()
        }
        connection = nil
        writer = nil
    }

    func becameIdle() {
        writer?.leaveQueue()
    }

    // MARK: Writing

    func run(_ batch: [PendingWork]) -> Bool {
        guard let connection, let writer else {
            let error = connection == nil ? IdentityError.storeClosed : .storeReadOnly()
            for work in batch { work.fail(error) }
            return false
        }
        do {
            guard let answers = try write(batch, on: connection, under: writer) else {
                queue.postpone(batch)
                return true
            }
            // The callers get their results after the writer lock is released, so that the lock is free for their next calls.
            for answer in answers { answer() }
            return false
        } catch {
            for work in batch { work.fail(error) }
            return false
        }
    }

    /// Runs a batch in one transaction; if a transaction of several calls fails, each call runs again in its own transaction.
    ///
    /// A thrown error concerns the whole batch. The result is nil if another process or a reader locks the file.
    private func write(
        _ batch: [PendingWork],
        on connection: Connection,
        under writer: WriterLock
    ) throws -> [@Sendable () -> Void]? {
        guard try writer.tryAcquire() else { return nil }
        defer { writer.release() }
        do {
            try connection.begin()
        } catch let failure as SQLiteFailure where failure.isBusy {
            return nil
        }
        do {
            return try transact(batch, on: connection)
        } catch let failure as SQLiteFailure where failure.isBusy {
            // A reader blocked the commit. No call of the batch caused this, so the worker tries the whole batch again later.
            return nil
        } catch {
            guard batch.count > 1 else { throw error }
            var answers: [@Sendable () -> Void] = []
            for (index, work) in batch.enumerated() {
                do {
                    try connection.begin()
                    answers += try transact([work], on: connection)
                } catch let failure as SQLiteFailure where failure.isBusy {
                    // A reader blocks the file and would block each remaining call too.
                    queue.postpone(batch[index...])
                    break
                } catch {
                    work.fail(error)
                }
            }
            return answers
        }
    }

    /// Runs a batch in the open transaction, and commits if a row changed.
    ///
    /// The commit waits for readers until the earliest deadline of the batch, but at least 0.1 seconds: in this time, readers of this
    /// process usually finish, even on a busy machine.
    private func transact(_ batch: [PendingWork], on connection: Connection) throws -> [@Sendable () -> Void] {
        do {
            let changes = connection.changes
            let answers = try batch.map { try $0.run(connection) }
            // A commit without a changed row would still write to the disk in WAL mode, because `begin` has incremented `commits`.
            guard connection.changes != changes else {
                connection.rollback()
                return answers
            }
            let rest = (batch.lazy.map(\.deadline).min() ?? .zero) - queue.clock.elapsed
            try connection.commit(pauses: Int(min(max(rest / .milliseconds(2), 50), 1_000_000)))
            return answers
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// Truncates the rollback journal, which contains the earlier content of changed pages.
    ///
    /// Commits of other calls keep the length of the journal file, so that a save on a full disk can reuse its space.
    func truncateJournal() async throws {
        guard writer != nil, let connection else { return }
        try connection.execute("PRAGMA journal_size_limit = 0")
        defer { try? connection.execute("PRAGMA journal_size_limit = -1") }
        // SQLite applies the limit at the end of a transaction that changes a page, so this statement changes a row.
        _ = try await write { try $0.run(.countCommit) }
    }

    // MARK: Opening

    /// Repeats a body while SQLite reports a lock of another connection: until `deadline`, or for the store's `lockWait` if it is nil.
    func retryingWhileBusy<R>(until deadline: Duration? = nil, _ body: () async throws -> R) async throws -> R {
        let deadline = deadline ?? queue.clock.elapsed + queue.wait
        while true {
            do {
                return try await body()
            } catch let failure as SQLiteFailure {
                guard failure.isBusy, queue.clock.elapsed < deadline else { throw failure.identityError }
                try await queue.pause()
            }
        }
    }

    /// Runs a body while this process holds the writer lock, so that no other process writes.
    func exclusively<R>(_ writer: WriterLock, _ body: () async throws -> R) async throws -> R {
        let deadline = queue.clock.elapsed + queue.wait
        defer { writer.leaveQueue() }
        while try !writer.tryAcquire() {
            guard queue.clock.elapsed < deadline else { throw IdentityError.storeBusy() }
            try await queue.pause()
        }
        defer { writer.release() }
        return try await retryingWhileBusy(until: deadline, body)
    }

    /// Runs `PRAGMA integrity_check` on a separate connection, and returns at most 100 problems.
    ///
    /// With a rollback journal, a store that is open for writing holds the writer lock during the check. Otherwise a commit would take
    /// SQLite's PENDING lock, wait for the end of the check, and block new reads in this time.
    func problems(in location: StoreLocation) async throws -> [String] {
        func check() async throws -> [String] {
            try await Self.onAnotherThread {
                try Self.connection(location, forWriting: false).texts("PRAGMA integrity_check(100)")
            }
        }
        let mayBlock = try writer != nil && connection?.texts("PRAGMA journal_mode") != ["wal"]
        let lines =
            if mayBlock {
                try await exclusively(WriterLock(try LockDescriptor(path: location.locks)), check)
            } else {
                try await retryingWhileBusy(check)
            }
        return lines == ["ok"] ? [] : lines
    }
}

internal import IdentityKit

/// The one who writes, on a thread of its own.
///
/// Saves that come while it is at work share the next transaction, and pay once for the `fdatasync` (group commit).
actor Database: BatchWorker {
    nonisolated let lane: WorkLane
    nonisolated let reader: DatabaseReader
    /// Nil until the file is open, and again when it is closed.
    var connection: Connection?
    /// Nil where the file can only be read.
    var writer: WriterLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.executor.asUnownedSerialExecutor() }

    init(clock: any IdentityClock, wait: Duration) {
        lane = WorkLane(clock: clock, wait: wait)
        reader = DatabaseReader(clock: clock, wait: wait)
    }

    /// Reads; waits while a transaction is being committed.
    nonisolated func read<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await reader.perform(body)
    }

    /// Writes durably; what has been handed in is done even if the caller is cancelled.
    nonisolated func write<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await perform(body)
    }

    /// Lets what waits be done, then closes the file; calls after it fail.
    func close() async {
        await reader.close()
        await lane.queue.close()
        if let connection, let writer, (try? writer.tryAcquire()) == true {
            // Nothing to do but for a write-ahead log, and nothing lost where it fails.
            _ = try? connection.texts("PRAGMA wal_checkpoint(TRUNCATE)")
            writer.release()
        }
        connection = nil
        writer = nil
    }

    func becameIdle() {
        writer?.leaveLine()
    }

    // MARK: Writing

    /// Writes, and tells whether the file was locked.
    func run(_ batch: [PendingWork]) -> Bool {
        guard let connection, let writer else {
            let error = connection == nil ? IdentityError.storeClosed : .storeReadOnly()
            for work in batch { work.fail(error) }
            return false
        }
        do {
            guard let answers = try write(batch, on: connection, under: writer) else {
                lane.postpone(batch)
                return true
            }
            // Only now, so that whoever hears of a write does not find its lock still taken.
            for answer in answers { answer() }
            return false
        } catch {
            for work in batch { work.fail(with: error) }
            return false
        }
    }

    /// Makes one transaction of a batch.
    ///
    /// - Returns: What tells the callers, to be called when the lock has been given back; nil when it is not to be had yet.
    /// - Throws: When none of the batch was done.
    private func write(
        _ batch: [PendingWork],
        on connection: Connection,
        under writer: WriterLock
    ) throws -> [@Sendable () -> Void]? {
        guard try writer.tryAcquire() else { return nil }
        defer { writer.release() }
        do {
            try connection.begin()
        } catch {
            guard error.isBusy else { throw error }
            return nil
        }
        do {
            return try transact(batch, on: connection)
        } catch {
            guard batch.count > 1 else { throw error }
            // One of them spoils it for all: each gets a transaction and an answer of its own.
            var answers: [@Sendable () -> Void] = []
            for work in batch {
                do {
                    try connection.begin()
                    answers += try transact([work], on: connection)
                } catch {
                    work.fail(with: error)
                }
            }
            return answers
        }
    }

    /// Runs a batch inside the transaction that has begun, commits, and gives what tells the callers.
    private func transact(_ batch: [PendingWork], on connection: Connection) throws -> [@Sendable () -> Void] {
        do {
            let answers = try batch.map { try $0.run(connection) }
            try connection.commit(pauses: Int(min(lane.wait / .milliseconds(2), 1_000_000)))
            return answers
        } catch {
            connection.rollback()
            throw error
        }
    }

    // MARK: Opening

    /// Runs a body again while it fails as busy, until the wait is over.
    func retryingWhileBusy<R>(_ body: () async throws -> R) async throws -> R {
        let deadline = lane.clock.elapsed + lane.wait
        while true {
            do {
                return try await body()
            } catch let failure as SQLiteFailure {
                guard failure.isBusy, lane.clock.elapsed < deadline else { throw failure.identityError }
                try await lane.pause()
            }
        }
    }

    /// Runs a body while no other process writes.
    func exclusively<R>(_ writer: WriterLock, _ body: () throws -> R) async throws -> R {
        let deadline = lane.clock.elapsed + lane.wait
        defer { writer.leaveLine() }
        while try !writer.tryAcquire() {
            guard lane.clock.elapsed < deadline else { throw IdentityError.storeBusy() }
            try await lane.pause()
        }
        defer { writer.release() }
        return try await retryingWhileBusy(body)
    }
}

internal import IdentityKit

/// The one who talks to SQLite, on a thread of its own.
///
/// Calls that come while it is at work share the next transaction: readers pay once for SQLite's locks, writers once for the
/// `fdatasync` (group commit).
actor Database {
    /// How many calls share a transaction at most: bounds the journal, and how long others wait.
    private static let batchLimit = 256

    private let executor = SerialQueueExecutor()
    private let clock: any IdentityClock
    private let wait: Duration
    private let reads = WorkQueue()
    private let writes = WorkQueue()
    /// Nil until the file is open, and again when it is closed.
    var connection: Connection?
    /// Nil where the file can only be read.
    var writer: WriterLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(clock: any IdentityClock, wait: Duration) {
        self.clock = clock
        self.wait = wait
    }

    private enum Lane {
        case reading, writing
    }

    /// Reads; waits while another process commits.
    nonisolated func read<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await perform(body, .reading)
    }

    /// Writes durably; what has been handed in is done even if the caller is cancelled.
    nonisolated func write<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await perform(body, .writing)
    }

    /// Lets what waits be done, then closes the file; calls after it fail.
    func close() async {
        await reads.close()
        await writes.close()
        if let connection, let writer, (try? writer.tryAcquire()) == true {
            // Nothing to do but for a write-ahead log, and nothing lost where it fails.
            _ = try? connection.texts("PRAGMA wal_checkpoint(TRUNCATE)")
            writer.release()
        }
        connection = nil
        writer = nil
    }

    private nonisolated func perform<R: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> R,
        _ lane: Lane
    ) async throws -> R {
        let deadline = clock.elapsed + wait
        return try await withCheckedThrowingContinuation { continuation in
            add(PendingWork(deadline: deadline, continuation: continuation, body: body), lane)
        }
    }

    private nonisolated func add(_ work: PendingWork, _ lane: Lane) {
        switch queue(lane).add(work) {
        case .first: schedule(lane)
        case .queued: break
        case .refused: work.fail(IdentityError.storeClosed)
        }
    }

    private nonisolated func queue(_ lane: Lane) -> WorkQueue {
        lane == .reading ? reads : writes
    }

    private nonisolated func schedule(_ lane: Lane) {
        executor.enqueue { self.assumeIsolated { $0.drain(lane) } }
    }

    /// Makes one transaction of what waits, then goes on: at once when others had their turn, or after a pause when the file was
    /// locked.
    private func drain(_ lane: Lane) {
        let batch = queue(lane).take(upTo: Self.batchLimit)
        let isBusy = lane == .reading ? read(batch) : write(batch)
        guard !queue(lane).finishIfEmpty() else {
            if lane == .writing { writer?.leaveLine() }
            return
        }
        guard isBusy else { return schedule(lane) }
        Task {
            try? await pause()
            schedule(lane)
        }
    }

    /// Puts back what may still wait, and disappoints the rest.
    private func postpone(_ batch: some Collection<PendingWork>, in queue: WorkQueue) {
        let now = clock.elapsed
        queue.putBack(batch.filter { $0.deadline > now })
        for work in batch where work.deadline <= now { work.fail(IdentityError.storeBusy()) }
    }

    // MARK: Reading

    /// Reads, and tells whether the file was locked before all were done.
    private func read(_ batch: [PendingWork]) -> Bool {
        guard let connection else {
            for work in batch { work.fail(IdentityError.storeClosed) }
            return false
        }
        // One statement is a transaction of its own.
        let isShared = batch.count > 1 && (try? connection.run(.beginRead)) != nil
        defer { if isShared { connection.rollback() } }
        for (index, work) in batch.enumerated() {
            do {
                try work.run(connection)()
            } catch let failure as SQLiteFailure where failure.isBusy {
                postpone(batch[index...], in: reads)
                return true
            } catch {
                work.fail(Self.identityError(error))
            }
        }
        return false
    }

    // MARK: Writing

    /// Writes, and tells whether the file was locked.
    private func write(_ batch: [PendingWork]) -> Bool {
        guard let connection, let writer else {
            let error = connection == nil ? IdentityError.storeClosed : .storeReadOnly()
            for work in batch { work.fail(error) }
            return false
        }
        do {
            guard let answers = try write(batch, on: connection, under: writer) else {
                postpone(batch, in: writes)
                return true
            }
            // Only now, so that whoever hears of a write does not find its lock still taken.
            for answer in answers { answer() }
            return false
        } catch {
            for work in batch { work.fail(Self.identityError(error)) }
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
                    work.fail(Self.identityError(error))
                }
            }
            return answers
        }
    }

    /// Runs a batch inside the transaction that has begun, commits, and gives what tells the callers.
    private func transact(_ batch: [PendingWork], on connection: Connection) throws -> [@Sendable () -> Void] {
        do {
            let answers = try batch.map { try $0.run(connection) }
            try connection.commit(pauses: Int(min(wait / .milliseconds(2), 1_000_000)))
            return answers
        } catch {
            connection.rollback()
            throw error
        }
    }

    private static func identityError(_ error: any Error) -> IdentityError {
        (error as? SQLiteFailure)?.identityError ?? .wrapping(error)
    }

    // MARK: Opening

    /// Runs a body again while it fails as busy, until the wait is over.
    func retryingWhileBusy<R>(_ body: () throws -> R) async throws -> R {
        let deadline = clock.elapsed + wait
        while true {
            do {
                return try body()
            } catch let failure as SQLiteFailure {
                guard failure.isBusy, clock.elapsed < deadline else { throw failure.identityError }
                try await pause()
            }
        }
    }

    /// Runs a body while no other process writes.
    func exclusively<R>(_ writer: WriterLock, _ body: () throws -> R) async throws -> R {
        let deadline = clock.elapsed + wait
        defer { writer.leaveLine() }
        while try !writer.tryAcquire() {
            guard clock.elapsed < deadline else { throw IdentityError.storeBusy() }
            try await pause()
        }
        defer { writer.release() }
        return try await retryingWhileBusy(body)
    }

    func pause() async throws {
        do {
            try await clock.sleep(for: Jitter.duration(from: .microseconds(500), to: .milliseconds(3)))
        } catch {
            throw IdentityError(.cancelled, .cancelled, "The operation was cancelled.", cause: error)
        }
    }
}

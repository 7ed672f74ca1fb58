internal import IdentityKit
internal import Synchronization

/// The one who talks to SQLite, on a thread of its own.
///
/// Writes that arrive while another is being made durable share the next transaction, so that many callers pay for one
/// `fdatasync` (group commit).
actor Database {
    private struct Queue {
        var writes: [PendingWrite] = []
        var isDraining = false
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    /// How many writes share a transaction at most: bounds the journal, and how long a reader waits.
    private static let batchLimit = 256

    private let executor = SerialQueueExecutor()
    private let clock: any IdentityClock
    private let wait: Duration
    private let queue = Mutex(Queue())
    /// Nil until the file is open, and again when it is closed.
    var connection: Connection?
    /// Nil where the file can only be read.
    var writer: WriterLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(clock: any IdentityClock, wait: Duration) {
        self.clock = clock
        self.wait = wait
    }

    // MARK: Reading

    /// Reads; waits while another process commits.
    func read<R: Sendable>(_ body: @Sendable (Connection) throws -> R) async throws -> R {
        guard let connection else { throw IdentityError.storeClosed }
        return try await retryingWhileBusy { try body(connection) }
    }

    /// Runs a body again while it fails as busy, until the wait is over.
    func retryingWhileBusy<R>(_ body: () throws -> R) async throws -> R {
        var deadline: Duration?
        while true {
            do {
                return try body()
            } catch let failure as SQLiteFailure where failure.isBusy {
                let now = clock.elapsed
                if let deadline, now >= deadline { throw failure.identityError }
                deadline = deadline ?? now + wait
                try await pause()
            } catch let failure as SQLiteFailure {
                throw failure.identityError
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

    private func pause() async throws {
        do {
            try await clock.sleep(for: Jitter.duration(from: .microseconds(500), to: .milliseconds(3)))
        } catch {
            throw IdentityError(.cancelled, .cancelled, "The operation was cancelled.", cause: error)
        }
    }

    // MARK: Writing

    /// Writes durably; what has been handed in is done even if the caller is cancelled.
    nonisolated func write<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(deadline: clock.elapsed + wait, continuation: continuation, body: body)
            let (isAccepted, isFirst) = queue.withLock { queue -> (Bool, Bool) in
                guard !queue.isClosed else { return (false, false) }
                queue.writes.append(write)
                defer { queue.isDraining = true }
                return (true, !queue.isDraining)
            }
            if !isAccepted { write.fail(IdentityError.storeClosed) }
            if isFirst { scheduleDrain() }
        }
    }

    private nonisolated func scheduleDrain() {
        executor.enqueue { self.assumeIsolated { $0.drain() } }
    }

    /// Makes one transaction of what waits; then lets reads have their turn before the next.
    private func drain() {
        let batch = queue.withLock { queue in
            let batch = Array(queue.writes.prefix(Self.batchLimit))
            queue.writes.removeFirst(batch.count)
            return batch
        }
        var isBusy = false
        if !batch.isEmpty { isBusy = !commit(batch) }
        let (isDone, closing) = queue.withLock { queue -> (Bool, [CheckedContinuation<Void, Never>]) in
            guard queue.writes.isEmpty else { return (false, []) }
            queue.isDraining = false
            defer { queue.closing = [] }
            return (true, queue.closing)
        }
        if isDone {
            writer?.leaveLine()
            for waiter in closing { waiter.resume() }
        } else if isBusy {
            Task {
                try? await pause()
                scheduleDrain()
            }
        } else {
            scheduleDrain()
        }
    }

    /// Commits a batch; false when the lock is not to be had yet and the batch was put back.
    private func commit(_ batch: [PendingWrite]) -> Bool {
        guard let connection else {
            for write in batch { write.fail(IdentityError.storeClosed) }
            return true
        }
        guard let writer else {
            for write in batch { write.fail(IdentityError.storeReadOnly()) }
            return true
        }
        do {
            guard try writer.tryAcquire() else { return putBack(batch) }
        } catch {
            for write in batch { write.fail(error) }
            return true
        }
        defer { writer.release() }
        do {
            try connection.begin()
        } catch  where error.isBusy {
            return putBack(batch)
        } catch {
            for write in batch { write.fail(error.identityError) }
            return true
        }
        let outcome = transact(batch, on: connection)
        if case .failure(let error) = outcome {
            guard batch.count > 1 else {
                batch[0].fail(error)
                return true
            }
            // One of them spoils it for all: each gets a transaction and an answer of its own.
            for write in batch { settle(write, on: connection) }
        }
        return true
    }

    /// Runs a batch inside the transaction that has begun, commits, and tells the callers.
    private func transact(_ batch: [PendingWrite], on connection: Connection) -> Result<Void, IdentityError> {
        do {
            let answers = try batch.map { try $0.run(connection) }
            try connection.commit(pauses: Int(min(wait / .milliseconds(2), 1_000_000)))
            for answer in answers { answer() }
            return .success(())
        } catch {
            connection.rollback()
            return .failure((error as? SQLiteFailure)?.identityError ?? .wrapping(error))
        }
    }

    private func settle(_ write: PendingWrite, on connection: Connection) {
        do {
            try connection.begin()
        } catch {
            return write.fail(error.identityError)
        }
        if case .failure(let error) = transact([write], on: connection) { write.fail(error) }
    }

    private func putBack(_ batch: [PendingWrite]) -> Bool {
        let now = clock.elapsed
        let waiting = batch.filter { $0.deadline > now }
        queue.withLock { $0.writes.insert(contentsOf: waiting, at: 0) }
        for write in batch where write.deadline <= now { write.fail(IdentityError.storeBusy()) }
        return false
    }

    // MARK: Closing

    /// Lets what waits be written, then closes the file; calls after it fail.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = queue.withLock { queue in
                queue.isClosed = true
                if queue.isDraining { queue.closing.append(continuation) }
                return !queue.isDraining
            }
            if isIdle { continuation.resume() }
        }
        connection = nil
        writer = nil
    }
}

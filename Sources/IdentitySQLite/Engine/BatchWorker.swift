internal import IdentityKit

/// An actor that talks to SQLite on a thread of its own, and does at once what waits together.
protocol BatchWorker: Actor {
    /// What waits for it, and its thread.
    nonisolated var lane: WorkLane { get }

    /// Does a batch, and tells whether the file was locked before all of it was done; what was not done is postponed.
    func run(_ batch: [PendingWork]) -> Bool

    /// Nothing waits any more.
    func becameIdle()
}

/// The way to a worker: its queue, its thread, and how long a call waits for other processes.
struct WorkLane: Sendable {
    /// How many calls share a transaction at most: bounds the journal, and how long others wait.
    static let batchLimit = 256

    let executor = SerialQueueExecutor()
    let queue = WorkQueue()
    let clock: any IdentityClock
    let wait: Duration

    /// Puts back what may still wait, and disappoints the rest.
    func postpone(_ batch: some Collection<PendingWork>) {
        let now = clock.elapsed
        queue.putBack(batch.filter { $0.deadline > now })
        for work in batch where work.deadline <= now { work.fail(IdentityError.storeBusy()) }
    }

    /// Some time in which another process may finish.
    func pause() async throws {
        do {
            try await clock.sleep(for: Jitter.duration(from: .microseconds(500), to: .milliseconds(3)))
        } catch {
            throw IdentityError(.cancelled, .cancelled, "The operation was cancelled.", cause: error)
        }
    }
}

extension BatchWorker {
    /// Hands in a call; it is done even if the caller is cancelled.
    nonisolated func perform<R: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> R
    ) async throws -> R {
        let deadline = lane.clock.elapsed + lane.wait
        return try await withCheckedThrowingContinuation { continuation in
            let work = PendingWork(deadline: deadline, continuation: continuation, body: body)
            switch lane.queue.add(work) {
            case .first: schedule()
            case .queued: break
            case .refused: work.fail(IdentityError.storeClosed)
            }
        }
    }

    private nonisolated func schedule() {
        lane.executor.enqueue { self.assumeIsolated { $0.drain() } }
    }

    /// Does what waits, then goes on: at once when others had their turn, or after a pause when the file was locked.
    private func drain() {
        let isBusy = run(lane.queue.take(upTo: WorkLane.batchLimit))
        guard !lane.queue.finishIfEmpty() else { return becameIdle() }
        guard isBusy else { return schedule() }
        Task {
            try? await lane.pause()
            schedule()
        }
    }
}

extension PendingWork {
    /// Tells the caller in the words of the SDK.
    func fail(with error: any Error) {
        fail((error as? SQLiteFailure)?.identityError ?? .wrapping(error))
    }
}

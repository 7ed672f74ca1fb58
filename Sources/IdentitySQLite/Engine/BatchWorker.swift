internal import IdentityKit
internal import IdentityPlatform

/// An actor that calls SQLite on its own thread and performs the queued work in batches.
protocol BatchWorker: Actor {
    /// The queued work and the thread.
    nonisolated var lane: WorkLane { get }

    /// Performs a batch of work. Returns true if the file was locked before the batch was complete; the rest is postponed.
    func run(_ batch: [PendingWork]) -> Bool

    /// Called when the queue is empty.
    func becameIdle()
}

/// The queue and the thread of a worker, and how long a call waits for other processes.
struct WorkLane: Sendable {
    /// The maximum number of calls in one transaction.
    ///
    /// It limits the size of the journal, and how long other calls wait.
    static let batchLimit = 256

    let executor = SerialQueueExecutor()
    let queue = WorkQueue()
    let clock: any IdentityClock
    let wait: Duration

    /// Puts back the calls whose deadline has not passed, and fails the others with `store_busy`.
    func postpone(_ batch: some Collection<PendingWork>) {
        let now = clock.elapsed
        queue.putBack(batch.filter { $0.deadline > now })
        for work in batch where work.deadline <= now { work.fail(IdentityError.storeBusy()) }
    }

    /// Waits a moment, so that another process can finish.
    func pause() async throws {
        do {
            try await clock.sleep(for: Jitter.duration(from: .microseconds(500), to: .milliseconds(3)))
        } catch {
            throw IdentityError.cancellation(cause: error)
        }
    }
}

extension BatchWorker {
    /// Queues a call.
    ///
    /// The call is performed even if the calling task is cancelled.
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

    /// Performs the queued work, then continues after other work of the actor, or after a pause if the file was locked.
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
    /// Fails the caller with an error of the SDK.
    func fail(with error: any Error) {
        fail((error as? SQLiteFailure)?.identityError ?? .wrapping(error))
    }
}

internal import IdentityKit
internal import IdentityPlatform

/// An actor that calls SQLite on its own serial dispatch queue and performs the queued work in batches.
protocol BatchWorker: Actor {
    /// The queued calls, and the executor of this actor.
    nonisolated var queue: WorkQueue { get }

    /// Performs a batch of queued calls, and returns whether the worker must pause before it takes the next batch.
    ///
    /// If the file is locked, the calls that could not run go back into the queue.
    func run(_ batch: [PendingWork]) -> Bool

    /// Called when the queue is empty.
    func becameIdle()
}

extension BatchWorker {
    /// Queues a call, waits until the worker has performed it, and returns its result.
    ///
    /// Cancelling the calling task does not remove the call from the queue.
    nonisolated func perform<R: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> R
    ) async throws -> R {
        let deadline = queue.clock.elapsed + queue.wait
        return try await withCheckedThrowingContinuation { continuation in
            let work = PendingWork(deadline: deadline, continuation: continuation, body: body)
            if queue.add(work) { schedule() }
        }
    }

    private nonisolated func schedule() {
        queue.executor.enqueue { self.assumeIsolated { $0.drain() } }
    }

    /// Performs one batch of the queued calls.
    ///
    /// If calls remain in the queue, this method schedules the next batch, after a pause if ``run(_:)`` returned true.
    private func drain() {
        let isBusy = run(queue.take())
        guard !queue.finishIfEmpty() else { return becameIdle() }
        guard isBusy else { return schedule() }
        Task {
            try? await queue.pause()
            schedule()
        }
    }
}

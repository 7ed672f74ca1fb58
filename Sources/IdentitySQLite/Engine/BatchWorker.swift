internal import IdentityKit
internal import IdentityPlatform

/// An actor that calls SQLite on its own serial dispatch queue and performs the queued work in batches.
protocol BatchWorker: Actor {
    /// `queue.executor` must be the executor of this actor.
    nonisolated var queue: WorkQueue { get }

    /// Runs a batch of queued calls, and returns whether the worker must pause before the next batch.
    ///
    /// If the file is locked, the calls that could not run go back into the queue.
    func run(_ batch: [PendingWork]) -> Bool

    func becameIdle()
}

extension BatchWorker {
    /// Runs a body on the actor's queue and returns its result; a cancelled caller also waits for the result.
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

internal import IdentityKit
internal import IdentityPlatform

/// The work queue and the executor of a worker, and how long a call waits for other processes.
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

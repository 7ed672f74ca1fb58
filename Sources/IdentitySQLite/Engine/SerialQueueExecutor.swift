internal import Dispatch

/// Runs an actor on a serial queue of its own, so that C code that blocks on the disk never holds up the cooperative pool.
final class SerialQueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "IdentitySQLite")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs a body on the queue, after what is there already.
    func enqueue(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

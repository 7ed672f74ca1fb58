internal import Dispatch

/// Runs an actor on its own serial queue, so that waiting for the disk in C code never blocks Swift's cooperative pool.
final class SerialQueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "IdentitySQLite")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func enqueue(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

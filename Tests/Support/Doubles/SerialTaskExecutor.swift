internal import Dispatch

/// Runs its tasks one after the other, in the order in which they were started.
package final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "SerialTaskExecutor")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits until each task that was started before has ended or waits.
    package func settle() async {
        await Task(executorPreference: self) {}.value
    }
}

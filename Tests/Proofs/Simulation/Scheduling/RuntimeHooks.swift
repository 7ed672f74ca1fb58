internal import Glibc

/// Hooks that pass the jobs of Swift's concurrency runtime to one queue of one thread instead of a thread pool.
///
/// The runtime finds the hooks by name (`ExecutorHooks.h` of the Swift project); other platforms use them to install executors.
enum RuntimeHooks {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    private typealias DelayHook = @convention(thin) (UInt64, UnownedJob, Original) -> Void

    /// The scheduler that receives every job; there is one per process.
    ///
    /// Only the main thread accesses it, because it is the only thread.
    nonisolated(unsafe) private static var scheduler: Scheduler?

    static func install(_ scheduler: Scheduler) {
        unsafe self.scheduler = scheduler
        for name in ["swift_task_enqueueGlobal_hook", "swift_task_enqueueMainExecutor_hook"] {
            guard let hook = unsafe dlsym(nil, name) else { stop("The runtime has no \(name).") }
            unsafe hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in RuntimeHooks.enqueue(job) }
        }
        // A sleep on the system's clock is a bug of the code under test, because the simulated clock does not control it.
        for name in ["swift_task_enqueueGlobalWithDelay_hook", "swift_task_enqueueGlobalWithDeadline_hook"] {
            guard let hook = unsafe dlsym(nil, name) else { stop("The runtime has no \(name).") }
            unsafe hook.assumingMemoryBound(to: DelayHook?.self).pointee = { _, _, _ in
                RuntimeHooks.stop("Code sleeps on the system's clock instead of the environment's clock.")
            }
        }
    }

    private static func enqueue(_ job: UnownedJob) {
        unsafe scheduler?.enqueue(job)
    }

    /// Runs a job until its next suspension, on this thread.
    static func run(_ job: UnownedJob) {
        // Two zero words denote the generic executor, which runs nonisolated code.
        unsafe job.runSynchronously(on: unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
    }

    private static func stop(_ reason: String) -> Never {
        print(reason)
        exit(70)
    }
}

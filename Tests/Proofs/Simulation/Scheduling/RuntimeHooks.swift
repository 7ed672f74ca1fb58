internal import Glibc

/// Where Swift's concurrency runtime hands over its jobs: to one queue of one thread instead of a pool of threads.
///
/// The runtime looks for these hooks by name (`ExecutorHooks.h` of the Swift project); they are how executors of other
/// platforms are put under it.
enum RuntimeHooks {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    private typealias DelayHook = @convention(thin) (UInt64, UnownedJob, Original) -> Void

    /// The scheduler that gets every job from now on; there is one in a process.
    ///
    /// Only the main thread reads or writes it: it is the only thread.
    nonisolated(unsafe) private static var scheduler: Scheduler?

    static func install(_ scheduler: Scheduler) {
        unsafe self.scheduler = scheduler
        for name in ["swift_task_enqueueGlobal_hook", "swift_task_enqueueMainExecutor_hook"] {
            guard let hook = unsafe dlsym(nil, name) else { stop("The runtime has no \(name).") }
            unsafe hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in RuntimeHooks.enqueue(job) }
        }
        // What sleeps on the system's clock is not under the simulated one: a fault of what is simulated.
        for name in ["swift_task_enqueueGlobalWithDelay_hook", "swift_task_enqueueGlobalWithDeadline_hook"] {
            guard let hook = unsafe dlsym(nil, name) else { stop("The runtime has no \(name).") }
            unsafe hook.assumingMemoryBound(to: DelayHook?.self).pointee = { _, _, _ in
                RuntimeHooks.stop("Something sleeps on the system's clock instead of the environment's.")
            }
        }
    }

    private static func enqueue(_ job: UnownedJob) {
        unsafe scheduler?.enqueue(job)
    }

    /// Runs a job to its next suspension, on this thread.
    static func run(_ job: UnownedJob) {
        // Two zero words are the generic executor, that of code which is isolated to nothing.
        unsafe job.runSynchronously(on: unsafeBitCast((0, 0), to: UnownedSerialExecutor.self))
    }

    private static func stop(_ reason: String) -> Never {
        print(reason)
        exit(70)
    }
}

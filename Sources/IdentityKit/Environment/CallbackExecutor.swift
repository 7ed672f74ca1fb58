public import Dispatch

/// Decides where callbacks run; the caller of a callback-based entry point passes one.
public struct CallbackExecutor: Sendable {
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor that passes each callback to the closure, which must run it exactly once.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// Runs callbacks on a dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
        CallbackExecutor { work in queue.async(execute: work) }
    }

    /// Runs callbacks on the main queue.
    public static let main = CallbackExecutor.queue(.main)

    /// Runs callbacks synchronously on the task that finished the login.
    ///
    /// This is the default. The callbacks must not block.
    public static let immediate = CallbackExecutor { work in work() }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        run(work)
    }
}

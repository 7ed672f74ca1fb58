public import Dispatch

/// Where callbacks run: the caller names it, nothing is called on a thread that nobody chose.
public struct CallbackExecutor: Sendable {
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// An executor that runs work as the closure decides.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// Runs callbacks on a dispatch queue.
    public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
        CallbackExecutor { work in queue.async(execute: work) }
    }

    /// Runs callbacks on the main queue.
    public static let main = CallbackExecutor.queue(.main)

    /// Runs callbacks at once on the task that finished the login, the default: it must not be blocked.
    public static let immediate = CallbackExecutor { work in work() }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        run(work)
    }
}

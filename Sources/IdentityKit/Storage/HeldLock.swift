/// Tells the holder of a lock whether the lock is still held.
///
/// The holder checks the lock before each step that must happen only once, for example before it sends a refresh token.
public struct HeldLock: Sendable {
    private let time: (@Sendable () -> Duration)?
    private let keep: (@Sendable () -> Void)?

    /// Creates the value for a lock that can be lost while its holder runs: a lease, or a server's lock that ends with the connection.
    ///
    /// - Parameter remaining: How much longer no other process can get the lock; zero or less if another process may already have it.
    ///   Measure the time with `ContinuousClock`, which also advances while the process is stopped or the machine sleeps.
    public init(remaining: @escaping @Sendable () -> Duration) {
        time = remaining
        keep = nil
    }

    private init(keep: (@Sendable () -> Void)?) {
        time = nil
        self.keep = keep
    }

    /// A value for calls without a lock, such as a refresh of tokens that are in no store.
    public static let notNeeded = HeldLock(keep: nil)

    /// A lock among the tasks of one process, which cannot be lost while the process runs.
    public static let untilProcessEnds = HeldLock(keep: nil)

    /// A lock that can be lost only if its holder's process ends, such as a file lock of the kernel.
    ///
    /// - Parameter keep: A closure that ``keepAfterBody()`` calls. If the closure was called during a body, do not release the lock when
    ///   the body ends: then only other tasks of this process can get the lock. Release the lock when a later body ends without a call of
    ///   the closure.
    /// - Returns: The lock.
    public static func untilProcessEnds(keeping keep: @escaping @Sendable () -> Void) -> HeldLock {
        HeldLock(keep: keep)
    }

    /// Lets the process keep the lock after the body, if the lock was created with ``untilProcessEnds(keeping:)``.
    ///
    /// Call this method if new tokens could not be saved: another process that gets the lock would assume a crash, and would send the old
    /// refresh token again. When a later body in this process ends without this call, the lock is released.
    public func keepAfterBody() { keep?() }

    /// How much longer the lock is certainly held; nil for a lock that cannot be lost while the body runs, and for ``notNeeded``.
    public var remaining: Duration? { time?() }

    /// Whether the lock is certainly still held; true for ``notNeeded``.
    public var isHeld: Bool { remaining.map { $0 > .zero } ?? true }

    /// Whether the acquisition of this lock proves that the previous holder has released the lock or has ended.
    ///
    /// False for a lease and for a lock of a server: the previous holder may be suspended or disconnected, and may still have an unsaved
    /// response of the provider.
    public var provesPreviousHolderGone: Bool { time == nil }
}

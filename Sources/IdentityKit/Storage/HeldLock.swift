/// A lock that its holder has now.
///
/// The holder checks the lock before each step that must happen only once, for example before it sends a refresh token.
public struct HeldLock: Sendable {
    private let time: (@Sendable () -> Duration)?
    private let keep: (@Sendable () -> Void)?

    /// A lock that can be lost while its holder runs: a lease, or a lock that a server releases when it loses the connection.
    ///
    /// - Parameter remaining: How much longer the lock is certainly held; zero or less when that is not certain. Measure
    ///   it with a clock that never jumps and that advances while the process is stopped.
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

    /// A lock that ends with its holder's process only, such as a lock of the kernel.
    ///
    /// - Parameter keep: A closure that ``keepAfterBody()`` calls. After this call, other processes must not get the lock when the body
    ///   ends. The tasks of this process can get it, and the first body that ends without this call releases it.
    /// - Returns: The lock.
    public static func untilProcessEnds(keeping keep: @escaping @Sendable () -> Void) -> HeldLock {
        HeldLock(keep: keep)
    }

    /// Keeps the lock for this process after the body, if the lock ends only with its process.
    ///
    /// Use it for new tokens that could not be saved: another process that gets the lock would assume that this one has
    /// crashed, and would send the old refresh token again. The next body of this process that ends without this call
    /// releases the lock.
    public func keepAfterBody() { keep?() }

    /// How much longer the lock is certainly held; nil for a lock that cannot be lost while the body runs, and for ``notNeeded``.
    public var remaining: Duration? { time?() }

    /// Whether the lock is certainly still held.
    public var isHeld: Bool { remaining.map { $0 > .zero } ?? true }

    /// Whether the acquisition of this lock proves that its previous holder has released it or has ended.
    ///
    /// It is false for a lease and for a lock of a server: the previous holder may be stopped or disconnected from the server,
    /// and may still have an unsaved response of the provider.
    public var provesPreviousHolderGone: Bool { time == nil }
}

/// A session's lock, as its holder sees it.
///
/// The holder asks it before anything that may happen only once: before a refresh token is sent, and before the answer is saved.
public struct SessionHold: Sendable {
    private let time: (@Sendable () -> Duration)?
    private let keep: (@Sendable () -> Void)?

    /// A lock that can be lost while its holder is alive: a lease, or a lock that a server frees when it loses the connection.
    ///
    /// - Parameter remaining: How much longer the lock is certainly held; zero or less when that is not certain. Measure it with a
    ///   clock that does not step and that goes on while the process is stopped.
    public init(remaining: @escaping @Sendable () -> Duration) {
        time = remaining
        keep = nil
    }

    private init(keep: (@Sendable () -> Void)?) {
        time = nil
        self.keep = keep
    }

    /// A lock that ends with its holder's process only, and that other processes cannot want: a lock among the tasks of one process.
    public static let kernel = SessionHold(keep: nil)

    /// A lock that ends with its holder's process only, such as a lock of the kernel.
    ///
    /// - Parameter keep: Called by ``keepAfterBody()``: other processes must not get the lock when the body ends. The tasks of this
    ///   process can get it, and the first body that ends without this call frees it.
    /// - Returns: The lock.
    public static func kernel(keeping keep: @escaping @Sendable () -> Void) -> SessionHold {
        SessionHold(keep: keep)
    }

    /// Keeps the lock for this process after the body, where the lock ends with its process only.
    ///
    /// For new tokens that could be saved nowhere: another process that gets the lock would take this one for dead, and send the
    /// old refresh token again. The lock is free again after the first body of this process that ends without this call.
    public func keepAfterBody() { keep?() }

    /// How much longer the lock is certainly held; nil when it ends with the process only.
    public var remaining: Duration? { time?() }

    /// Whether the lock is certainly still held.
    public var isHeld: Bool { remaining.map { $0 > .zero } ?? true }

    /// Whether getting this lock proves that its previous holder has released it or is dead.
    ///
    /// False for a lease and for a lock of a server: the previous holder may be stopped, or cut off from the server, and may still
    /// have an answer of the provider that it has not saved.
    public var provesPreviousHolderGone: Bool { time == nil }
}

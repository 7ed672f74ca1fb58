/// A session's lock, as its holder sees it.
///
/// The holder asks it before anything that may happen only once: before a refresh token is sent, and before the answer is saved.
public struct SessionHold: Sendable {
    private let time: (@Sendable () -> Duration)?

    /// A lock that can be lost while its holder is alive: a lease, or a lock that a server frees when it loses the connection.
    ///
    /// - Parameter remaining: How much longer the lock is certainly held; zero or less when that is not certain. Measure it with a
    ///   clock that does not step and that goes on while the process is stopped.
    public init(remaining: @escaping @Sendable () -> Duration) {
        time = remaining
    }

    private init() {
        time = nil
    }

    /// A lock that ends with its holder's process only, such as a lock of the kernel.
    public static let kernel = SessionHold()

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

/// A session's lock, in the hands of whoever runs under it.
public struct SessionHold: Sendable {
    private let check: @Sendable () -> Bool

    /// A hold that is asked through a function.
    ///
    /// - Parameter isHeld: Whether the lock is certainly still held. A lease says no some time before it ends, by a clock that goes on
    ///   while the process is stopped.
    public init(isHeld: @escaping @Sendable () -> Bool) {
        check = isHeld
    }

    /// A hold that ends with its process only.
    public static let kernel = SessionHold { true }

    /// Whether the lock is certainly still held.
    public var isHeld: Bool { check() }
}

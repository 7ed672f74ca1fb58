/// The results of a repair.
public struct RepairReport: Sendable, Equatable {
    /// The number of sessions with valid tokens again.
    public var repaired = 0
    /// The number of sessions whose refresh is running, in this process or in another one.
    public var busy = 0
    /// The number of sessions that ended, because the provider no longer accepts their refresh token.
    public var ended = 0
    /// The number of sessions that are still in doubt, for example because the provider or the store failed.
    ///
    /// A later repair tries again.
    public var remaining = 0

    /// Creates an empty report.
    public init() {}
}

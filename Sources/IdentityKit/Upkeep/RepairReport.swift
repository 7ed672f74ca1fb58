/// The results of a repair.
public struct RepairReport: Sendable, Equatable {
    /// The number of sessions with valid tokens again.
    public var repaired = 0
    /// The number of sessions that another process is refreshing.
    public var busy = 0
    /// The number of sessions that ended, because the provider no longer accepts their refresh token.
    public var ended = 0
    /// The number of sessions that are still in doubt, because provider or store failed; a later repair tries again.
    public var remaining = 0

    /// An empty report.
    public init() {}
}

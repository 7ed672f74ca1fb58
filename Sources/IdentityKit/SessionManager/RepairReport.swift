/// The results of a repair.
public struct RepairReport: Sendable, Equatable {
    /// The number of sessions whose interrupted refresh was completed, or whose unsaved tokens were saved.
    public var repaired = 0
    /// The number of sessions that were left out for now, for example because a refresh of the session already runs.
    public var busy = 0
    /// The number of sessions whose buyer has to sign in again, for example because the provider no longer accepts the refresh token.
    public var ended = 0
    /// The number of sessions that were not repaired, for example because the provider or the store failed; a later repair tries again.
    ///
    /// All sessions whose records the store cannot read count as one; the event ``IdentityEvent/Kind/storeFailed(_:)`` reports them.
    public var remaining = 0

    /// Creates an empty report.
    public init() {}
}

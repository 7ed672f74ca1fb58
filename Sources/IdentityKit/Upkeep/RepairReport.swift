/// What a repair found and did.
public struct RepairReport: Sendable, Equatable {
    /// How many sessions have good tokens again.
    public var repaired = 0
    /// How many are being refreshed by somebody else at this moment.
    public var busy = 0
    /// How many ended: the provider no longer takes their refresh token.
    public var ended = 0
    /// How many are still in doubt, because provider or store failed; a later repair tries again.
    public var remaining = 0

    /// A report of nothing.
    public init() {}
}

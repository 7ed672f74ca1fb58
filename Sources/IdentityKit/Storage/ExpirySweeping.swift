public import FoundationEssentials

/// A store that can remove expired records.
///
/// A store whose database removes expired records itself need not conform to this protocol.
public protocol ExpirySweeping: Sendable {
    /// Removes the records that expired before a date, and returns their number.
    ///
    /// The records are pending logins and logouts, marks of used tokens, and sessions by their ``StoredSession/retainedUntil``.
    func sweep(expiredBefore date: Date) async throws -> Int
}

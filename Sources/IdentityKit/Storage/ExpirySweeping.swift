public import FoundationEssentials

/// A store that can remove expired records.
///
/// A store that removes records itself as soon as their time has passed, such as one whose database does it, does not adopt this protocol.
public protocol ExpirySweeping: Sendable {
    /// Removes pending logins, pending logouts and marks of used tokens that expired before a date, and sessions whose
    /// ``StoredSession/retainedUntil`` is earlier than the date; returns the number of removed records.
    func sweep(expiredBefore date: Date) async throws -> Int
}

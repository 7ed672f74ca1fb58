public import FoundationEssentials

/// A store that can remove expired records.
public protocol ExpirySweeping: Sendable {
    /// Removes pending logins, sessions and marks of used tokens that expired before a date, and returns how many.
    func sweep(expiredBefore date: Date) async throws -> Int
}

public import FoundationEssentials

/// The row of a pending login or logout.
public struct SealedLoginAttempt: Sendable {
    /// The keyed hash of the attempt's key; it identifies the row.
    public var hash: [UInt8]
    /// The tenant; empty if the app has only one tenant.
    public var tenant: String
    /// When a sweep may remove the row.
    ///
    /// The encrypted record also contains this time. ``StoreRecords`` returns the time from the record, because nobody can change that time
    /// without the store key.
    public var expiresAt: Date
    /// The attempt, encrypted.
    public var record: [UInt8]

    /// Creates a row from its columns.
    public init(hash: [UInt8], tenant: String, expiresAt: Date, record: [UInt8]) {
        self.hash = hash
        self.tenant = tenant
        self.expiresAt = expiresAt
        self.record = record
    }

    package var identity: RecordFields { RecordFields(.loginAttempt, row: hash, tenant: tenant) }
}

public import FoundationEssentials

/// A pending login as the row of a store holds it.
public struct SealedLoginAttempt: Sendable {
    /// The keyed hash of the attempt's key: the name of the row.
    public var hash: [UInt8]
    /// The tenant, empty where the app has only one.
    public var tenant: String
    /// When a sweep may remove the row.
    ///
    /// The record holds the exact time too, and that one counts.
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

    /// What the record is bound to.
    package var identity: RecordIdentity { RecordIdentity(.loginAttempt, row: hash, tenant: tenant) }
}

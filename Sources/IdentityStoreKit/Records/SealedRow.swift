public import FoundationEssentials

/// A row of any kind with a sealed record, for health checks, quarantine and key rotation.
public enum SealedRow: Sendable {
    /// A session.
    case session(SealedSession)
    /// A pending login or logout.
    case loginAttempt(SealedLoginAttempt)
    /// An attachment of a session.
    case attachment(SealedAttachment)

    /// The kind of a row.
    public enum Kind: Int, CaseIterable, Sendable {
        /// A session.
        case session
        /// A pending login or logout.
        case loginAttempt
        /// An attachment of a session.
        case attachment
    }

    /// The kind of the row.
    public var kind: Kind {
        switch self {
        case .session: .session
        case .loginAttempt: .loginAttempt
        case .attachment: .attachment
        }
    }

    /// The keyed hash that names the row.
    public var hash: [UInt8] {
        switch self {
        case .session(let row): row.hash
        case .loginAttempt(let row): row.hash
        case .attachment(let row): row.hash
        }
    }

    /// The sealed record.
    public var record: [UInt8] {
        get {
            switch self {
            case .session(let row): row.record
            case .loginAttempt(let row): row.record
            case .attachment(let row): row.record
            }
        }
        set {
            switch self {
            case .session(var row):
                row.record = newValue
                self = .session(row)
            case .loginAttempt(var row):
                row.record = newValue
                self = .loginAttempt(row)
            case .attachment(var row):
                row.record = newValue
                self = .attachment(row)
            }
        }
    }

    /// The generation of a session or the revision of an attachment; zero for a pending login or logout.
    public var generation: Int64 { identity.generation }

    /// Whether the row is a session with a refresh in progress or in doubt.
    public var isInDoubt: Bool {
        if case .session(let row) = self { row.isInDoubt } else { false }
    }

    /// The fields of the row with which its record was sealed; with other fields, the record cannot be opened.
    package var identity: RecordFields {
        switch self {
        case .session(let row): row.identity
        case .loginAttempt(let row): row.identity
        case .attachment(let row): row.identity
        }
    }
}

/// The row of a pending login or logout.
public struct SealedLoginAttempt: Sendable {
    /// The keyed hash of the attempt's key; it identifies the row.
    public var hash: [UInt8]
    /// The tenant; empty if the app has only one.
    public var tenant: String
    /// When a sweep may remove the row.
    ///
    /// The encrypted record also contains this time. ``StoreRecords`` returns the time in the record, which nobody can change without the
    /// store key.
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

    /// The fields of the row with which its record was sealed; with other fields, the record cannot be opened.
    package var identity: RecordFields { RecordFields(.loginAttempt, row: hash, tenant: tenant) }
}

/// The row of an attachment of a session.
public struct SealedAttachment: Sendable {
    /// The keyed hash of the session's id and the attachment's name; it identifies the row.
    public var hash: [UInt8]
    /// The keyed hash of the session's id, by which a removal finds the session's attachments.
    public var session: [UInt8]
    /// The revision, which is compared by `SessionAttachmentStore.setAttachment(_:to:of:expecting:)`.
    public var revision: Int64
    /// Name and payload, encrypted.
    public var record: [UInt8]

    /// Creates a row from its columns.
    public init(hash: [UInt8], session: [UInt8], revision: Int64, record: [UInt8]) {
        self.hash = hash
        self.session = session
        self.revision = revision
        self.record = record
    }

    /// The fields of the row with which its record was sealed; with other fields, the record cannot be opened.
    package var identity: RecordFields { RecordFields(.attachment, row: hash, generation: revision) }
}

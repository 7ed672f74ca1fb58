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

    /// The keyed hash that identifies the row.
    public var hash: [UInt8] { identity.row }

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

    package var identity: RecordFields {
        switch self {
        case .session(let row): row.identity
        case .loginAttempt(let row): row.identity
        case .attachment(let row): row.identity
        }
    }
}

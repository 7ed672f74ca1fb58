internal import IdentityKit
internal import IdentityStoreKit

/// The tables whose rows are sealed, in the order in which all of them are gone through.
enum SealedTable: Int, CaseIterable, Sendable {
    case session, loginAttempt, attachment

    /// The table's name.
    var name: String {
        switch self {
        case .session: "session"
        case .loginAttempt: "login_attempt"
        case .attachment: "attachment"
        }
    }

    /// Lists rows in the order of their keys.
    var list: Query {
        switch self {
        case .session: .listSessionSlots
        case .loginAttempt: .listAttemptSlots
        case .attachment: .listAttachmentSlots
        }
    }

    /// Lists what rows are sealed under.
    var listKeys: Query {
        switch self {
        case .session: .listSessionKeys
        case .loginAttempt: .listAttemptKeys
        case .attachment: .listAttachmentKeys
        }
    }

    /// Puts another record in a row's place, if the row is as it was.
    var reseal: Query {
        switch self {
        case .session: .resealSession
        case .loginAttempt: .resealAttempt
        case .attachment: .resealAttachment
        }
    }

    /// Copies a row into quarantine, if it is as it was.
    var quarantine: Query {
        switch self {
        case .session: .quarantineSession
        case .loginAttempt: .quarantineAttempt
        case .attachment: .quarantineAttachment
        }
    }

    /// Removes a row.
    var delete: Query {
        switch self {
        case .session: .deleteSession
        case .loginAttempt: .deleteAttempt
        case .attachment: .deleteAttachmentRow
        }
    }
}

/// A row of any of the sealed tables.
struct SealedRow: Sendable {
    let key: Int64
    let slot: [UInt8]
    let identity: RecordIdentity
    /// Whether it is a session with a renewal under way.
    let isUnsettled: Bool

    /// Reads the columns of ``SealedTable/list``.
    init(_ statement: Statement, of table: SealedTable) {
        key = statement.integer(0)
        slot = statement.bytes(1)
        let hash = statement.bytes(2)
        switch table {
        case .session:
            identity = RecordIdentity(
                .session,
                row: hash,
                tenant: statement.text(3),
                provider: statement.text(6),
                issuer: statement.text(7),
                buyer: statement.bytes(5),
                generation: statement.integer(4)
            )
            isUnsettled = statement.integer(8) == 1
        case .loginAttempt:
            identity = RecordIdentity(.loginAttempt, row: hash, tenant: statement.text(3))
            isUnsettled = false
        case .attachment:
            identity = RecordIdentity(.attachment, row: hash, generation: statement.integer(3))
            isUnsettled = false
        }
    }
}

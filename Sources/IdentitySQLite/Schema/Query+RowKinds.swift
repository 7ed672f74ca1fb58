internal import IdentityStoreKit

extension SealedRow.Kind {
    /// Lists rows in the order of their keys.
    var list: Query {
        switch self {
        case .session: .listSessionRows
        case .loginAttempt: .listAttempts
        case .attachment: .listAttachments
        }
    }

    /// Lists the keys that rows are sealed under.
    var listKeys: Query {
        switch self {
        case .session: .listSessionKeys
        case .loginAttempt: .listAttemptKeys
        case .attachment: .listAttachmentKeys
        }
    }

    /// Replaces the record of a row if the row is unchanged.
    var reseal: Query {
        switch self {
        case .session: .resealSession
        case .loginAttempt: .resealAttempt
        case .attachment: .resealAttachment
        }
    }

    /// Copies a row into quarantine if its record has not changed since it was read.
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

internal import IdentityStoreKit

extension SealedRow.Kind {
    /// Lists rows in the order of their keys.
    var list: Query { pick(.listSessionRows, .listAttempts, .listAttachments) }
    /// Lists the first bytes of records, which contain the id of the key that encrypts the record.
    var listKeys: Query { pick(.listSessionKeys, .listAttemptKeys, .listAttachmentKeys) }
    /// Replaces the record of a row if it has not changed since it was read; a session only if no refresh is in progress or in doubt.
    var reseal: Query { pick(.resealSession, .resealAttempt, .resealAttachment) }
    /// Copies a row into quarantine if its record has not changed since it was read.
    var quarantine: Query { pick(.quarantineSession, .quarantineAttempt, .quarantineAttachment) }
    var delete: Query { pick(.deleteSession, .deleteAttempt, .deleteAttachmentRow) }

    private func pick(_ session: Query, _ loginAttempt: Query, _ attachment: Query) -> Query {
        switch self {
        case .session: session
        case .loginAttempt: loginAttempt
        case .attachment: attachment
        }
    }
}

internal import FoundationEssentials
internal import IdentityStoreKit

extension SealedRow.Kind {
    /// The name of the table.
    var table: String {
        switch self {
        case .session: "session"
        case .loginAttempt: "login_attempt"
        case .attachment: "attachment"
        }
    }

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

    /// Replaces the record of a row, if the row is as it was.
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

extension StoredRow {
    /// Reads the key of a row, then its columns.
    init(_ statement: Statement, of kind: SealedRow.Kind) {
        let row: SealedRow =
            switch kind {
            case .session: .session(SealedSession(statement))
            case .loginAttempt: .loginAttempt(SealedLoginAttempt(statement))
            case .attachment: .attachment(SealedAttachment(statement))
            }
        self.init(key: statement.integer(0), row: row)
    }
}

extension SealedSession {
    /// Reads ``Query/sessionColumns``.
    init(_ statement: Statement) {
        let providerSession = statement.bytes(9)
        self.init(
            hash: statement.bytes(1),
            buyer: statement.bytes(2),
            providerSession: providerSession.isEmpty ? nil : providerSession,
            tenant: statement.text(3),
            provider: statement.text(4),
            issuer: statement.text(5),
            generation: statement.integer(6),
            retainedUntil: statement.date(7),
            isUnsettled: statement.integer(10) == 1,
            isRestored: statement.integer(11) == 1,
            record: statement.bytes(8)
        )
    }
}

extension SealedLoginAttempt {
    /// Reads ``Query/attemptColumns``.
    init(_ statement: Statement) {
        self.init(
            hash: statement.bytes(1),
            tenant: statement.text(2),
            expiresAt: statement.date(3),
            record: statement.bytes(4)
        )
    }
}

extension SealedAttachment {
    /// Reads ``Query/attachmentColumns``.
    ///
    /// The table holds the key of the session, not its hash, which nothing here needs.
    init(_ statement: Statement) {
        self.init(
            hash: statement.bytes(1),
            session: [],
            revision: statement.integer(2),
            record: statement.bytes(3)
        )
    }
}

extension Statement {
    func date(_ column: Int32) -> Date { Date(timeIntervalSinceReferenceDate: real(column)) }
}

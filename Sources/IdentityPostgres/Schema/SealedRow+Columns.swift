#if PostgreSQL
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

    /// The key of a row, then the columns of a sealed row.
    var columns: String {
        switch self {
        case .session:
            """
            key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot, provider_session, \
            is_unsettled, is_restored
            """
        case .loginAttempt: "key, hash, tenant, expires_at, slot"
        case .attachment: "key, hash, revision, slot"
        }
    }

    /// The condition by which a row is as it was read, with its generation as `$2` and its slot as `$3`.
    var isUnchanged: String {
        switch self {
        case .session: "key = $1 AND generation = $2 AND slot = $3"
        case .loginAttempt: "key = $1 AND $2::bigint = 0 AND slot = $3"
        case .attachment: "key = $1 AND revision = $2 AND slot = $3"
        }
    }
}

extension StoredRow {
    /// Reads `columns`.
    init(_ row: Row, of kind: SealedRow.Kind) {
        let content: SealedRow =
            switch kind {
            case .session: .session(SealedSession(row))
            case .loginAttempt: .loginAttempt(SealedLoginAttempt(row))
            case .attachment: .attachment(SealedAttachment(row))
            }
        self.init(key: row.integer(0), row: content)
    }
}

extension SealedSession {
    init(_ row: Row) {
        self.init(
            hash: row.bytes(1),
            buyer: row.bytes(2),
            providerSession: row.isNull(9) ? nil : row.bytes(9),
            tenant: row.text(3),
            provider: row.text(4),
            issuer: row.text(5),
            generation: row.integer(6),
            retainedUntil: row.date(7),
            isUnsettled: row.flag(10),
            isRestored: row.flag(11),
            record: row.bytes(8)
        )
    }

    /// The values of all columns, in the order of the statements that write a session.
    var values: [Value] {
        [
            .key(hash), .bytes(hash), .bytes(buyer), .text(tenant), .text(provider), .text(issuer),
            .integer(generation), .date(retainedUntil), .bytes(record),
            providerSession.map(Value.bytes) ?? .null, .flag(isUnsettled), .flag(isRestored),
        ]
    }
}

extension SealedLoginAttempt {
    init(_ row: Row) {
        self.init(hash: row.bytes(1), tenant: row.text(2), expiresAt: row.date(3), record: row.bytes(4))
    }
}

extension SealedAttachment {
    /// The table holds the key of the session, not its hash, which nothing here needs.
    init(_ row: Row) {
        self.init(hash: row.bytes(1), session: [], revision: row.integer(2), record: row.bytes(3))
    }
}

extension Row {
    func date(_ column: Int32) -> Date { Date(timeIntervalSinceReferenceDate: real(column)) }
}
#endif

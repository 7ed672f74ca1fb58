#if PostgreSQL
internal import IdentityStoreKit

extension Statements {
    func list(_ kind: SealedRow.Kind) -> Statement {
        rare(
            "SELECT \(kind.columns) FROM §\(kind.table) WHERE key > $1 ORDER BY key LIMIT $2",
            [.integer, .integer]
        )
    }

    func reseal(_ kind: SealedRow.Kind) -> Statement {
        rare(
            "UPDATE §\(kind.table) SET slot = $4 WHERE \(kind.isUnchanged)",
            [.integer, .integer, .bytes, .bytes]
        )
    }

    /// Counts rows of a table by the store key that encrypts them: at most `$2` rows whose row key is higher than `$1`.
    ///
    /// Each result row describes the rows of one store key: the first 24 bytes of their records, which include the store key's id, the
    /// number of the rows, and their highest row key.
    func countByKey(_ kind: SealedRow.Kind) -> Statement {
        rare(
            """
            SELECT substring(slot FROM 1 FOR 24), count(*), max(key)
            FROM (SELECT key, slot FROM §\(kind.table) WHERE key > $1 ORDER BY key LIMIT $2) AS next GROUP BY 1
            """,
            [.integer, .integer]
        )
    }

    var countQuarantined: Statement { rare("SELECT count(*) FROM §quarantine") }

    func quarantine(_ kind: SealedRow.Kind) -> Statement {
        moveToQuarantine(kind, where: kind.isUnchanged, [.integer, .integer, .bytes])
    }

    /// Must run before the session's row is moved, because deleting that row also deletes its attachments.
    var quarantineAttachmentsOfSession: Statement {
        moveToQuarantine(.attachment, where: "session = $1", [.integer])
    }

    private func moveToQuarantine(
        _ kind: SealedRow.Kind,
        where condition: String,
        _ types: [ParameterType]
    ) -> Statement {
        let session = "buyer, provider_session, tenant, provider, issuer, is_in_doubt, is_restored"
        let (target, source) =
            switch kind {
            case .session: ("\(session), generation, expires_at", "\(session), generation, retained_until")
            case .loginAttempt: ("tenant, expires_at", "tenant, expires_at")
            case .attachment: ("generation, session", "revision, session")
            }
        return rare(
            """
            WITH moved AS (DELETE FROM §\(kind.table) WHERE \(condition) RETURNING *)
            INSERT INTO §quarantine (kind, key, hash, slot, \(target))
            SELECT \(kind.rawValue), key, hash, slot, \(source) FROM moved
            """,
            types
        )
    }

    /// Whether a row is in its table, and whether it is in quarantine.
    ///
    /// One statement reads both tables at one moment, so it does not miss a row that is put back from quarantine. The statement searches
    /// the quarantine by the key or the hash, because the key or the hash in the row may be damaged.
    func location(of kind: SealedRow.Kind) -> Statement {
        statement(
            [.integer, .bytes],
            """
            SELECT EXISTS (SELECT FROM §\(kind.table) WHERE key = $1),
            EXISTS (SELECT FROM §quarantine WHERE kind = \(kind.rawValue) AND (key = $1 OR hash = $2))
            """,
            name: "location_\(kind.table)"
        )
    }

    /// Whether a session that may match a filter is in quarantine; a parameter that is NULL matches all rows.
    var hasQuarantinedSession: Statement {
        statement(
            [.bytes, .bytes, .bytes, .bytes],
            """
            SELECT 1::bigint FROM §quarantine WHERE kind = 0 AND ($1 IS NULL OR provider = $1)
            AND ($2 IS NULL OR tenant = $2) AND ($3 IS NULL OR buyer = $3)
            AND ($4 IS NULL OR provider_session = $4) LIMIT 1
            """
        )
    }

    var fsync: Statement { rare("SELECT current_setting('fsync')") }
}
#endif

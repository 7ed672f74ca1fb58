/// The statements of health checks, quarantine and the rotation of keys.
extension Statements {
    /// A table whose rows have a sealed slot.
    enum SlotTable: Int, CaseIterable {
        case session, loginAttempt, attachment

        var name: String {
            switch self {
            case .session: "session"
            case .loginAttempt: "login_attempt"
            case .attachment: "attachment"
            }
        }

        /// The columns from which a row's identity is put together; the same number for each table.
        var columns: String {
            switch self {
            case .session: "key, slot, hash, generation, buyer, tenant, provider, issuer, is_unsettled"
            case .loginAttempt: "key, slot, hash, 0::bigint, ''::bytea, tenant, ''::bytea, ''::bytea, false"
            case .attachment: "key, slot, hash, revision, ''::bytea, ''::bytea, ''::bytea, ''::bytea, false"
            }
        }

        /// The condition by which a row is what was read, its generation as `$2` and its slot as `$3`.
        var isUnchanged: String {
            switch self {
            case .session: "key = $1 AND generation = $2 AND slot = $3"
            case .loginAttempt: "key = $1 AND $2::bigint = 0 AND slot = $3"
            case .attachment: "key = $1 AND revision = $2 AND slot = $3"
            }
        }
    }

    func listSlots(_ table: SlotTable) -> Statement {
        rare(
            "SELECT \(table.columns) FROM §\(table.name) WHERE key > $1 ORDER BY key LIMIT $2",
            [.integer, .integer]
        )
    }

    func resealSlot(_ table: SlotTable) -> Statement {
        rare(
            "UPDATE §\(table.name) SET slot = $4 WHERE \(table.isUnchanged)",
            [.integer, .integer, .bytes, .bytes]
        )
    }

    /// How many of the next rows are sealed under each key, and how far that went.
    func countByKey(_ table: SlotTable) -> Statement {
        rare(
            """
            SELECT substring(slot FROM 9 FOR 16), count(*), max(key)
            FROM (SELECT key, slot FROM §\(table.name) WHERE key > $1 ORDER BY key LIMIT $2) AS next GROUP BY 1
            """,
            [.integer, .integer]
        )
    }

    var countQuarantined: Statement { rare("SELECT count(*) FROM §quarantine") }

    var countUnsettled: Statement { rare("SELECT count(*) FROM §session WHERE is_unsettled") }

    /// Moves one row, if it is still the one that was looked at.
    func quarantine(_ table: SlotTable) -> Statement {
        let (target, source) =
            switch table {
            case .session:
                (
                    "buyer, provider_session, tenant, provider, issuer, generation, expires_at",
                    "buyer, provider_session, tenant, provider, issuer, generation, retained_until"
                )
            case .loginAttempt: ("tenant, expires_at", "tenant, expires_at")
            case .attachment: ("generation, session", "revision, session")
            }
        return rare(
            """
            WITH moved AS (DELETE FROM §\(table.name) WHERE \(table.isUnchanged) RETURNING *)
            INSERT INTO §quarantine (kind, key, hash, slot, \(target))
            SELECT \(table.rawValue), key, hash, slot, \(source) FROM moved
            """,
            [.integer, .integer, .bytes]
        )
    }

    /// What is attached to a session goes with it, before its row does.
    var quarantineAttachmentsOfSession: Statement {
        rare(
            """
            WITH moved AS (DELETE FROM §attachment WHERE session = $1 RETURNING *)
            INSERT INTO §quarantine (kind, key, hash, slot, generation, session)
            SELECT \(SlotTable.attachment.rawValue), key, hash, slot, revision, session FROM moved
            """,
            [.integer]
        )
    }

    /// By the key or the hash: what is damaged may be either of them.
    var isQuarantined: Statement {
        statement(
            "is_quarantined",
            [.integer, .integer, .bytes],
            "SELECT 1::bigint FROM §quarantine WHERE kind = $1::smallint AND (key = $2 OR hash = $3) LIMIT 1"
        )
    }

    /// Whether a session that would match is in quarantine; a condition that is null matches all.
    var hasQuarantinedSession: Statement {
        statement(
            "has_quarantined_session",
            [.bytes, .bytes, .bytes, .bytes],
            """
            SELECT 1::bigint FROM §quarantine WHERE kind = 0 AND ($1 IS NULL OR provider = $1)
            AND ($2 IS NULL OR tenant = $2) AND ($3 IS NULL OR buyer = $3)
            AND ($4 IS NULL OR provider_session = $4) LIMIT 1
            """
        )
    }

    var sweepQuarantine: Statement {
        rare("DELETE FROM §quarantine WHERE moved_at < clock_timestamp() - interval '30 days'")
    }

    var fsync: Statement { rare("SELECT current_setting('fsync')") }
}

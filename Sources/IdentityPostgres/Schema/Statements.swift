/// Every statement of a store, with its schema's name in it.
///
/// Each is a whole transaction, or a step of one that is written out where it is used; none relies on anything that a
/// connection remembers, so that they work behind a transaction pooler.
struct Statements: Sendable {
    let schema: String

    func statement(_ name: String, _ types: [ParameterType], _ sql: String) -> Statement {
        Statement(name: "identitykit_\(name)", sql, types, schema: schema)
    }

    /// A statement that is not worth keeping prepared.
    func rare(_ sql: String, _ types: [ParameterType] = []) -> Statement {
        Statement(sql, types, schema: schema)
    }

    // MARK: Sessions

    static let sessionColumns =
        "buyer, tenant, provider, issuer, generation, slot, hash, key, is_unsettled, is_restored"

    var insertSession: Statement {
        statement(
            "insert_session",
            [.integer, .bytes, .bytes, .bytes, .bytes, .bytes, .integer, .real, .bytes, .bytes, .flag, .flag],
            """
            INSERT INTO §session (key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot,
            provider_session, is_unsettled, is_restored)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (key) DO NOTHING
            """
        )
    }
    /// By the key alone, like all that looks for one row: a row with another hash is damaged, not unknown.
    var readSession: Statement {
        statement("read_session", [.integer], "SELECT \(Self.sessionColumns) FROM §session WHERE key = $1")
    }
    var lockSession: Statement {
        statement("lock_session", [.integer], "SELECT \(Self.sessionColumns) FROM §session WHERE key = $1 FOR UPDATE")
    }
    var replaceSession: Statement {
        statement(
            "replace_session",
            [
                .integer, .bytes, .bytes, .bytes, .bytes, .bytes, .integer, .real, .bytes, .bytes, .flag, .flag,
                .integer,
            ],
            """
            UPDATE §session SET buyer = $3, tenant = $4, provider = $5, issuer = $6, generation = $7,
            retained_until = $8, slot = $9, provider_session = $10, is_unsettled = $11, is_restored = $12
            WHERE key = $1 AND hash = $2 AND generation = $13
            """
        )
    }
    var deleteSession: Statement {
        statement("delete_session", [.integer, .bytes], "DELETE FROM §session WHERE key = $1 AND hash = $2")
    }
    /// A null condition matches all; the custom plan of each call leaves those out.
    var listSessions: Statement {
        statement(
            "list_sessions",
            [.integer, .integer, .bytes, .bytes, .flag],
            """
            SELECT \(Self.sessionColumns) FROM §session
            WHERE key > $1 AND ($3 IS NULL OR provider = $3) AND ($4 IS NULL OR tenant = $4)
            AND ($5 IS NULL OR is_unsettled = $5) ORDER BY key LIMIT $2
            """
        )
    }
    var listUnsettledSessions: Statement {
        statement(
            "list_unsettled_sessions",
            [.integer, .integer, .bytes, .bytes],
            """
            SELECT \(Self.sessionColumns) FROM §session
            WHERE is_unsettled AND key > $1 AND ($3 IS NULL OR provider = $3) AND ($4 IS NULL OR tenant = $4)
            ORDER BY key LIMIT $2
            """
        )
    }
    func listSessions(by column: String) -> Statement {
        statement(
            "list_sessions_by_\(column)",
            [.integer, .integer, .bytes, .bytes, .flag, .bytes],
            """
            SELECT \(Self.sessionColumns) FROM §session
            WHERE \(column) = $6 AND key > $1 AND ($3 IS NULL OR provider = $3) AND ($4 IS NULL OR tenant = $4)
            AND ($5 IS NULL OR is_unsettled = $5) ORDER BY key LIMIT $2
            """
        )
    }
    var countSessionsOfTenant: Statement {
        statement(
            "count_sessions_of_tenant",
            [.bytes, .integer],
            "SELECT count(*) FROM (SELECT FROM §session WHERE tenant = $1 LIMIT $2) AS counted"
        )
    }
    /// By the database's clock as well as the caller's: a machine whose clock is ahead removes nothing early.
    var sweepSessions: Statement {
        statement(
            "sweep_sessions",
            [.integer, .integer, .real],
            """
            DELETE FROM §session WHERE key IN (
                SELECT key FROM §session WHERE key > $1 AND retained_until < LEAST($3, \(Self.now))
                ORDER BY key LIMIT $2 FOR UPDATE
            ) AND retained_until < LEAST($3, \(Self.now)) RETURNING key
            """
        )
    }
    var markRestored: Statement {
        statement(
            "mark_restored",
            [.integer],
            """
            UPDATE §session SET is_restored = true
            WHERE key IN (SELECT key FROM §session WHERE NOT is_restored LIMIT $1)
            """
        )
    }

    /// The database's clock, in seconds since the beginning of 2001.
    ///
    /// Cast so that PostgreSQL's own operators fit exactly: one that somebody puts into `public` never fits better.
    static let now = "(extract(epoch FROM clock_timestamp())::double precision - 978307200::double precision)"

    // MARK: Pending logins

    var insertAttempt: Statement {
        statement(
            "insert_attempt",
            [.integer, .bytes, .bytes, .real, .bytes],
            """
            INSERT INTO §login_attempt (key, hash, tenant, expires_at, slot) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (key) DO UPDATE SET hash = excluded.hash, tenant = excluded.tenant,
            expires_at = excluded.expires_at, slot = excluded.slot
            """
        )
    }
    var readAttempt: Statement {
        statement("read_attempt", [.integer], "SELECT slot, tenant, hash FROM §login_attempt WHERE key = $1")
    }
    var deleteAttempt: Statement {
        statement(
            "delete_attempt",
            [.integer, .bytes, .bytes],
            "DELETE FROM §login_attempt WHERE key = $1 AND hash = $2 AND slot = $3"
        )
    }
    /// A tenant's own excess only: a flood of logins at one costs the others nothing.
    var evictAttempts: Statement {
        statement(
            "evict_attempts",
            [.bytes, .integer],
            """
            DELETE FROM §login_attempt WHERE key IN (
                SELECT key FROM §login_attempt WHERE tenant = $1 ORDER BY expires_at DESC OFFSET $2
            )
            """
        )
    }
    var sweepAttempts: Statement { sweep("login_attempt") }

    // MARK: Attachments

    /// Waits for whoever removes the session, and then finds none.
    var insertAttachment: Statement {
        statement(
            "insert_attachment",
            [.integer, .bytes, .integer, .bytes, .integer, .bytes],
            """
            INSERT INTO §attachment (key, hash, session, revision, slot)
            SELECT $1, $2, key, $5, $6 FROM §session WHERE key = $3 AND hash = $4 FOR KEY SHARE
            ON CONFLICT (key) DO NOTHING
            """
        )
    }
    var readAttachment: Statement {
        statement("read_attachment", [.integer], "SELECT revision, slot, hash FROM §attachment WHERE key = $1")
    }
    var readAttachments: Statement {
        statement(
            "read_attachments",
            [.integer],
            "SELECT revision, slot, hash, key FROM §attachment WHERE session = $1 ORDER BY key LIMIT 1000"
        )
    }
    var replaceAttachment: Statement {
        statement(
            "replace_attachment",
            [.integer, .bytes, .integer, .integer, .bytes],
            "UPDATE §attachment SET revision = $4, slot = $5 WHERE key = $1 AND hash = $2 AND revision = $3"
        )
    }
    var deleteAttachment: Statement {
        statement(
            "delete_attachment",
            [.integer, .bytes, .integer],
            "DELETE FROM §attachment WHERE key = $1 AND hash = $2 AND revision = $3"
        )
    }
    var hasSession: Statement {
        statement("has_session", [.integer], "SELECT hash FROM §session WHERE key = $1")
    }

    // MARK: Used tokens

    var insertUsedToken: Statement {
        statement(
            "insert_used_token",
            [.integer, .bytes, .bytes, .real],
            """
            INSERT INTO §used_token (key, hash, claim, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (key) DO NOTHING
            """
        )
    }
    /// By the key alone: a damaged mark still says that the token was used.
    var readUsedToken: Statement {
        statement("read_used_token", [.integer], "SELECT claim FROM §used_token WHERE key = $1")
    }
    var countUsedTokens: Statement {
        statement(
            "count_used_tokens",
            [.integer],
            "SELECT count(*) FROM (SELECT 1 FROM §used_token LIMIT $1) AS counted"
        )
    }
    var sweepUsedTokens: Statement { sweep("used_token") }

    private func sweep(_ table: String) -> Statement {
        statement(
            "sweep_\(table)",
            [.integer, .real],
            """
            DELETE FROM §\(table) WHERE key IN (
                SELECT key FROM §\(table) WHERE expires_at < LEAST($2, \(Self.now)) ORDER BY expires_at LIMIT $1
            )
            """
        )
    }

    // MARK: Leases

    /// Takes a lease that nobody has, or the one that was seen to be over; asked again by the same holder it is his still.
    ///
    /// No clock of the server counts: it may step. The answer tells whether the lease was taken, and which one stands there.
    var takeLease: Statement {
        statement(
            "take_lease",
            [.integer, .bytes, .integer, .bytes, .integer],
            """
            WITH taken AS (
                INSERT INTO §lease AS held (key, holder, renewals, milliseconds) VALUES ($1, $2, 0, $3)
                ON CONFLICT (key) DO UPDATE
                SET holder = excluded.holder, renewals = 0, milliseconds = excluded.milliseconds
                WHERE held.holder = excluded.holder OR (held.holder = $4 AND held.renewals = $5)
                RETURNING held.key
            )
            SELECT EXISTS (SELECT FROM taken), held.holder, held.renewals, held.milliseconds
            FROM (SELECT $1::bigint AS key) AS wanted LEFT JOIN §lease AS held ON held.key = wanted.key
            """
        )
    }
    var renewLease: Statement {
        statement(
            "renew_lease",
            [.integer, .bytes],
            "UPDATE §lease SET renewals = renewals + 1 WHERE key = $1 AND holder = $2"
        )
    }
    /// Gives a lease back, and tells those who wait.
    func endLease(notifying channel: String?) -> Statement {
        statement(
            channel == nil ? "end_lease" : "end_lease_aloud",
            [.integer, .bytes],
            channel.map {
                """
                WITH ended AS (DELETE FROM §lease WHERE key = $1 AND holder = $2 RETURNING key)
                SELECT pg_notify('\($0)', key::text) FROM ended
                """
            } ?? "DELETE FROM §lease WHERE key = $1 AND holder = $2"
        )
    }
    var listLeases: Statement {
        rare(
            "SELECT holder, renewals, milliseconds, key FROM §lease WHERE key > $1 ORDER BY key LIMIT $2",
            [.integer, .integer]
        )
    }
    var sweepLease: Statement {
        rare("DELETE FROM §lease WHERE key = $1 AND holder = $2 AND renewals = $3", [.integer, .bytes, .integer])
    }
    var tryAdvisoryLock: Statement {
        statement("try_advisory_lock", [.integer], "SELECT pg_try_advisory_lock($1)")
    }
    func advisoryUnlock(notifying channel: String?) -> Statement {
        statement(
            channel == nil ? "advisory_unlock" : "advisory_unlock_aloud",
            [.integer],
            channel.map { "SELECT pg_advisory_unlock($1), pg_notify('\($0)', $1::text)" }
                ?? "SELECT pg_advisory_unlock($1)"
        )
    }
    var ping: Statement { statement("ping", [], "SELECT 1::bigint") }
}

#if PostgreSQL
extension Statements {
    /// Removes the expired sessions among the next `$2` sessions after the key `$1`; returns the highest key and the number of removals.
    ///
    /// A session must have expired both at the time `$3` and by the database's clock, so that a machine whose clock is ahead removes no
    /// session too early. With an array of keys, PostgreSQL finds the rows by the index. With `IN`, it may read the whole table instead.
    var sweepSessions: Statement {
        let isExpired = "retained_until < LEAST($3, \(Self.now))"
        return statement(
            [.integer, .integer, .real],
            """
            WITH next AS (SELECT key, retained_until FROM §session WHERE key > $1 ORDER BY key LIMIT $2),
            removed AS (
                DELETE FROM §session WHERE key = ANY(ARRAY(
                    SELECT key FROM §session WHERE key = ANY(ARRAY(SELECT key FROM next WHERE \(isExpired)))
                    ORDER BY key FOR UPDATE
                )) AND \(isExpired) RETURNING key
            )
            SELECT max(key), (SELECT count(*) FROM removed) FROM next
            """
        )
    }

    var sweepAttempts: Statement { sweep("login_attempt") }

    var sweepUsedTokens: Statement { sweep("used_token") }

    var sweepQuarantine: Statement {
        rare(
            """
            DELETE FROM §quarantine WHERE id = ANY(ARRAY(
                SELECT id FROM §quarantine WHERE moved_at < clock_timestamp() - interval '30 days' ORDER BY id LIMIT $1
            ))
            """,
            [.integer]
        )
    }

    private func sweep(_ table: String) -> Statement {
        statement(
            [.integer, .real],
            """
            DELETE FROM §\(table) WHERE key IN (
                SELECT key FROM §\(table) WHERE expires_at < LEAST($2, \(Self.now)) ORDER BY expires_at LIMIT $1
            )
            """,
            name: "sweep_\(table)"
        )
    }
}
#endif

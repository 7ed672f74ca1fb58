#if PostgreSQL
/// The statements that delete expired rows.
extension Statements {
    /// Uses the earlier of the database's and the caller's clock: a machine whose clock is ahead removes no row too early.
    var sweepSessions: Statement {
        statement(
            [.integer, .integer, .real],
            """
            DELETE FROM §session WHERE key IN (
                SELECT key FROM §session WHERE key > $1 AND retained_until < LEAST($3, \(Self.now))
                ORDER BY key LIMIT $2 FOR UPDATE
            ) AND retained_until < LEAST($3, \(Self.now)) RETURNING key
            """
        )
    }

    var sweepAttempts: Statement { sweep("login_attempt") }

    var sweepUsedTokens: Statement { sweep("used_token") }

    var sweepQuarantine: Statement {
        rare("DELETE FROM §quarantine WHERE moved_at < clock_timestamp() - interval '30 days'")
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

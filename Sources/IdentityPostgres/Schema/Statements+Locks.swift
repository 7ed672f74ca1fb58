#if PostgreSQL
extension Statements {
    /// Takes a free lease, or the lease with holder `$4` and count `$5`, which has ended because its holder did not renew it.
    ///
    /// A holder may repeat the statement after a lost response. The repetition counts as a renewal, so that another process that has seen
    /// the lease waits for the lease's whole length again. The result shows whether the lease was taken, and which lease was stored before.
    var takeLease: Statement {
        statement(
            [.integer, .bytes, .integer, .bytes, .integer],
            """
            WITH taken AS (
                INSERT INTO §lease AS held (key, holder, renewals, milliseconds) VALUES ($1, $2, 0, $3)
                ON CONFLICT (key) DO UPDATE
                SET holder = excluded.holder, milliseconds = excluded.milliseconds,
                    renewals = CASE WHEN held.holder = excluded.holder THEN held.renewals + 1 ELSE 0 END
                WHERE held.holder = excluded.holder OR (held.holder = $4 AND held.renewals = $5)
                RETURNING held.key
            )
            SELECT EXISTS (SELECT FROM taken), held.holder, held.renewals, held.milliseconds
            FROM (SELECT $1::bigint AS key) AS wanted LEFT JOIN §lease AS held ON held.key = wanted.key
            """
        )
    }
    var renewLease: Statement {
        statement([.integer, .bytes], "UPDATE §lease SET renewals = renewals + 1 WHERE key = $1 AND holder = $2")
    }
    func endLease(notifying channel: String?) -> Statement {
        statement(
            [.integer, .bytes],
            channel.map {
                """
                WITH ended AS (DELETE FROM §lease WHERE key = $1 AND holder = $2 RETURNING key)
                SELECT pg_notify('\($0)', key::text) FROM ended
                """
            } ?? "DELETE FROM §lease WHERE key = $1 AND holder = $2",
            name: channel == nil ? "endLease" : "endLeaseWithNotification"
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
        statement([.integer], "SELECT pg_try_advisory_lock($1)")
    }
    func advisoryUnlock(notifying channel: String?) -> Statement {
        statement(
            [.integer],
            channel.map { "SELECT pg_advisory_unlock($1), pg_notify('\($0)', $1::text)" }
                ?? "SELECT pg_advisory_unlock($1)",
            name: channel == nil ? "advisoryUnlock" : "advisoryUnlockWithNotification"
        )
    }
}
#endif

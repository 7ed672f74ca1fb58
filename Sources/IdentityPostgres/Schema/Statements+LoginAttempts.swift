#if PostgreSQL
internal import IdentityStoreKit

extension Statements {
    var insertAttempt: Statement {
        statement(
            [.integer, .bytes, .bytes, .real, .bytes],
            """
            INSERT INTO §login_attempt (key, hash, tenant, expires_at, slot) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (key) DO UPDATE SET hash = excluded.hash, tenant = excluded.tenant,
            expires_at = excluded.expires_at, slot = excluded.slot
            """
        )
    }
    var readAttempt: Statement {
        statement([.integer], "SELECT \(SealedRow.Kind.loginAttempt.columns) FROM §login_attempt WHERE key = $1")
    }
    var deleteAttempt: Statement {
        statement([.integer, .bytes, .bytes], "DELETE FROM §login_attempt WHERE key = $1 AND hash = $2 AND slot = $3")
    }
    /// Removes a tenant's logins, except the login with the key `$2` and the `$3` other logins that expire last.
    var evictAttempts: Statement {
        statement(
            [.bytes, .integer, .integer],
            """
            DELETE FROM §login_attempt WHERE key IN (
                SELECT key FROM §login_attempt WHERE tenant = $1 AND key <> $2 ORDER BY expires_at DESC OFFSET $3
            )
            """
        )
    }
}
#endif

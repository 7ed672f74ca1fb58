#if PostgreSQL
internal import IdentityStoreKit

extension Statements {
    private static let sessionColumns = SealedRow.Kind.session.columns
    /// The types of `SealedSession.columnValues`.
    private static let sessionTypes: [ParameterType] = [
        .integer, .bytes, .bytes, .bytes, .bytes, .bytes, .integer, .real, .bytes, .bytes, .flag, .flag,
    ]
    private static let replacementTypes = sessionTypes + [.integer]

    var insertSession: Statement {
        statement(
            Self.sessionTypes,
            """
            INSERT INTO §session (key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot,
            provider_session, is_in_doubt, is_restored)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
            WHERE NOT EXISTS (SELECT FROM §quarantine WHERE kind = 0 AND (key = $1 OR hash = $2)) ON CONFLICT (key) DO NOTHING
            """
        )
    }
    /// Searches by `key` only, not by `hash`, so that a row with a wrong hash is reported as damaged, and not as missing.
    var readSession: Statement {
        statement([.integer], "SELECT \(Self.sessionColumns) FROM §session WHERE key = $1")
    }
    var lockSession: Statement {
        statement([.integer], "SELECT \(Self.sessionColumns) FROM §session WHERE key = $1 FOR UPDATE")
    }
    var replaceSession: Statement {
        statement(
            Self.replacementTypes,
            """
            UPDATE §session SET buyer = $3, tenant = $4, provider = $5, issuer = $6, generation = $7,
            retained_until = $8, slot = $9, provider_session = $10, is_in_doubt = $11, is_restored = $12
            WHERE key = $1 AND hash = $2 AND generation = $13
            """
        )
    }
    var deleteSession: Statement {
        statement([.integer, .bytes], "DELETE FROM §session WHERE key = $1 AND hash = $2 RETURNING txid_current()")
    }
    /// Whether the transaction with an id was committed; NULL while the transaction runs, or if the server does not know it.
    var isCommitted: Statement {
        rare(
            """
            SELECT CASE WHEN $1 < txid_snapshot_xmax(txid_current_snapshot()) THEN
            CASE txid_status($1) WHEN 'committed' THEN true WHEN 'aborted' THEN false END END
            """,
            [.integer]
        )
    }
    var listSessions: Statement { sessions(where: "($5 IS NULL OR is_in_doubt = $5)", [.flag]) }
    var listSessionsInDoubt: Statement { sessions(where: "is_in_doubt", []) }
    func listSessions(by column: String) -> Statement {
        sessions(
            where: "\(column) = $6 AND ($5 IS NULL OR is_in_doubt = $5)",
            [.flag, .bytes],
            name: "listSessions_\(column)"
        )
    }
    /// Lists sessions; a parameter that is NULL matches all rows.
    ///
    /// When PostgreSQL plans the statement for the values of one call, it can remove the condition of a NULL parameter.
    private func sessions(where condition: String, _ types: [ParameterType], name: String = #function) -> Statement {
        statement(
            [.integer, .integer, .bytes, .bytes] + types,
            """
            SELECT \(Self.sessionColumns) FROM §session
            WHERE \(condition) AND key > $1 AND ($3 IS NULL OR provider = $3) AND ($4 IS NULL OR tenant = $4)
            ORDER BY key LIMIT $2
            """,
            name: name
        )
    }
    var countSessionsOfTenant: Statement {
        statement(
            [.bytes, .integer],
            "SELECT count(*) FROM (SELECT FROM §session WHERE tenant = $1 LIMIT $2) AS counted"
        )
    }
    /// Marks the next `$2` sessions after the key `$1` as restored, and returns their highest key and how many were not marked before.
    var markRestored: Statement {
        statement(
            [.integer, .integer],
            """
            WITH next AS (SELECT key, is_restored FROM §session WHERE key > $1 ORDER BY key LIMIT $2),
            marked AS (
                UPDATE §session SET is_restored = true
                WHERE key = ANY(ARRAY(SELECT key FROM next WHERE NOT is_restored)) RETURNING key
            )
            SELECT max(key), (SELECT count(*) FROM marked) FROM next
            """
        )
    }
    /// Marks the sessions in quarantine, because their rows can be put back later.
    var markQuarantinedAsRestored: Statement { rare("UPDATE §quarantine SET is_restored = true WHERE kind = 0") }
}
#endif

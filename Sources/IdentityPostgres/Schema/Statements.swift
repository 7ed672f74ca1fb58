#if PostgreSQL
internal import IdentityStoreKit

/// The SQL statements of one store, which contain the name of the store's schema.
///
/// Each statement is a whole transaction, or a step of a transaction that the calling code begins and ends. So the statements work behind a
/// pooler in transaction mode. The only exception is session-level advisory locks: they need the state of a connection, so they use the
/// direct connection.
struct Statements: Sendable {
    let schema: String

    /// A statement that a connection may prepare, under the name of the calling property or under the given name.
    func statement(_ types: [ParameterType], _ sql: String, name: String = #function) -> Statement {
        Statement(name: "identitykit_\(name)", sql, types, schema: schema)
    }

    /// A statement that is used too rarely to be kept prepared.
    func rare(_ sql: String, _ types: [ParameterType] = []) -> Statement {
        Statement(sql, types, schema: schema)
    }

    /// The database's clock, in seconds since the beginning of 2001.
    ///
    /// The casts make PostgreSQL's own operators match exactly, so that an operator in the schema `public` never matches better.
    static let now = "(extract(epoch FROM clock_timestamp())::double precision - 978307200::double precision)"

    var ping: Statement { statement([], "SELECT 1::bigint") }
}

extension SealedRow.Kind {
    /// The columns that a statement returns for a row of this kind: its key, then the columns of a ``SealedRow``.
    var columns: String {
        switch self {
        case .session:
            """
            key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot, provider_session, \
            is_in_doubt, is_restored
            """
        case .loginAttempt: "key, hash, tenant, expires_at, slot"
        case .attachment: "key, hash, revision, slot"
        }
    }

    /// The SQL condition that a row is unchanged since it was read, with its key as `$1`, its generation as `$2` and its slot as `$3`.
    var isUnchanged: String {
        switch self {
        case .session: "key = $1 AND generation = $2 AND slot = $3"
        case .loginAttempt: "key = $1 AND $2::bigint = 0 AND slot = $3"
        case .attachment: "key = $1 AND revision = $2 AND slot = $3"
        }
    }
}
#endif

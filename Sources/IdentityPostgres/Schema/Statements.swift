#if PostgreSQL
/// The statements of a store, with the name of its schema.
///
/// Each statement is a whole transaction, or a step of a transaction that the calling code begins and ends. Only the session-level advisory
/// locks rely on the state of a connection, and they use the direct connection. So all other statements work behind a pooler that assigns
/// connections for one transaction.
struct Statements: Sendable {
    let schema: String

    /// A statement that is prepared once for each connection, under the name of the calling property or under the given name.
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
#endif

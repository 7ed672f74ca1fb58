#if PostgreSQL
/// A statement of the store, ready to be prepared on any connection.
struct Statement: Sendable {
    /// The name of the prepared statement; nil for a statement that is not prepared.
    let name: String?
    let types: [ParameterType]
    private let template: String
    private let schema: String

    /// A statement.
    ///
    /// `§` in its text stands for the schema's name and a dot.
    init(name: String? = nil, _ template: String, _ types: [ParameterType] = [], schema: String = "") {
        self.name = name
        self.template = template
        self.types = types
        self.schema = schema
    }

    /// The SQL text, with the name of the schema.
    ///
    /// It is composed each time it is needed. A prepared statement needs it once for each connection.
    var sql: String { schema.isEmpty ? template : template.replacing("§", with: "\"\(schema)\".") }
}

/// A statement with its values, and the task that waits for the result.
struct StatementCall: Sendable {
    typealias Answer = Result<Reply, PostgresFailure>

    let statement: Statement
    let values: [Value]
    let needsWriting: Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Answer, Never>
}

/// The result of a statement, and its connection.
struct Reply: Sendable {
    let rows: Rows
    let link: Int
    /// Whether the server accepts no writes, so that it may lack the latest changes.
    let mayBeBehind: Bool
}

/// A task that waits for exclusive use of a connection, for a transaction.
struct Borrowing: Sendable {
    let needsWriting: Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Result<Int, PostgresFailure>, Never>
}

/// A wait until another holder releases a lock, or until a deadline.
struct Nap: Sendable {
    let id: UInt64
    let key: Int64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
}

/// The kind of a connection.
enum Role: Sendable {
    /// A connection of the pool, which may go through a pooler.
    case pooled
    /// The connection that goes directly to the server, for work that lasts longer than a transaction.
    case direct
}
#endif

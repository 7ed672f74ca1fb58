/// A statement of the store, ready to be prepared on any connection.
struct Statement: Sendable {
    /// What it is prepared as; nil for one that is not worth it.
    let name: String?
    let types: [ParameterType]
    private let template: String
    private let schema: String

    /// A statement in whose text `§` stands for the schema's name and a dot.
    init(name: String? = nil, _ template: String, _ types: [ParameterType] = [], schema: String = "") {
        self.name = name
        self.template = template
        self.types = types
        self.schema = schema
    }

    /// The text; put together only when it is sent, which for a prepared statement is once.
    var sql: String { schema.isEmpty ? template : template.replacing("§", with: "\"\(schema)\".") }
}

/// One statement on its way to the server and back.
struct Call: Sendable {
    typealias Answer = Result<Reply, PostgresFailure>

    let statement: Statement
    let values: [Value]
    let needsWriting: Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Answer, Never>
}

/// What came back, and over which connection.
struct Reply: Sendable {
    let rows: Rows
    let link: Int
    /// Whether it is the word of a server that takes no writes, which may lack the latest of them.
    let mayBeBehind: Bool
}

/// Somebody who wants a connection for himself, for a transaction.
struct Borrowing: Sendable {
    let needsWriting: Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Result<Int, PostgresFailure>, Never>
}

/// A wait for the end of somebody else's lease: until then, or until the time is over.
struct Nap: Sendable {
    let id: UInt64
    let key: Int64
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, Never>
}

/// Which connection a thing is about.
enum Role: Sendable {
    /// One of the pool, which may lead through a pooler.
    case pooled
    /// The one that leads straight to the server, for what lasts longer than a transaction.
    case direct
}

#if PostgreSQL
/// A statement of the store, ready to be prepared on any connection.
struct Statement: Sendable {
    /// The name of the prepared statement; nil for a statement that is not prepared.
    let name: String?
    let types: [ParameterType]
    private let template: String
    private let schema: String

    /// Creates a statement.
    ///
    /// `§` in `template` stands for the schema's name and a dot.
    init(name: String? = nil, _ template: String, _ types: [ParameterType] = [], schema: String = "") {
        self.name = name
        self.template = template
        self.types = types
        self.schema = schema
    }

    /// The SQL text, with the name of the schema.
    ///
    /// The text is composed at each access. A prepared statement needs it once for each connection.
    var sql: String { schema.isEmpty ? template : template.replacing("§", with: "\"\(schema)\".") }
}
#endif

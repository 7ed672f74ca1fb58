#if PostgreSQL
/// The SQL and the parameter types of a statement; any connection can run the statement.
struct Statement: Sendable {
    /// The name under which a connection that uses prepared statements prepares this statement; nil if it is never prepared.
    let name: String?
    let types: [ParameterType]
    private let template: String
    private let schema: String

    /// Creates a statement; `§` in `template` stands for the schema's name and a dot.
    init(name: String? = nil, _ template: String, _ types: [ParameterType] = [], schema: String = "") {
        self.name = name
        self.template = template
        self.types = types
        self.schema = schema
    }

    var sql: String { schema.isEmpty ? template : template.replacing("§", with: "\"\(schema)\".") }
}
#endif

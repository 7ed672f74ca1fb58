internal import GraphQLLanguage

/// One field of an object or interface type, or one member of an input type.
struct GraphSchemaField: Sendable {
    let name: String
    let type: GraphTypeReference
    let arguments: [GraphSchemaField]
    let defaultValue: GraphLiteral?

    /// Whether it must be given: non-null and without default.
    var isRequired: Bool {
        if case .nonNull = type { defaultValue == nil } else { false }
    }
}

/// A named type.
struct GraphSchemaType: Sendable {
    enum Kind: Sendable {
        case scalar
        /// Without listed values every value of the usual shape is taken: countries and languages.
        case enumeration([String])
        case object(interfaces: [String])
        case interface
        case union([String])
        case input
    }

    let name: String
    let kind: Kind
    let fields: [GraphSchemaField]

    func field(_ name: String) -> GraphSchemaField? {
        fields.first { $0.name == name }
    }

    /// Whether it may have (and then must have) a selection.
    var isComposite: Bool {
        switch kind {
        case .object, .interface, .union: true
        case .scalar, .enumeration, .input: false
        }
    }
}

/// The types of one API, read from schema definition language.
struct GraphSchema: Sendable {
    let types: [String: GraphSchemaType]
    static let queryType = "QueryRoot"
    static let mutationType = "Mutation"

    init(_ definition: String) throws(GraphSyntaxError) {
        var parser = try GraphParser(definition)
        var types: [String: GraphSchemaType] = [:]
        for name in ["String", "Int", "Float", "Boolean", "ID"] {
            types[name] = GraphSchemaType(name: name, kind: .scalar, fields: [])
        }
        while parser.token != .end {
            let type = try Self.type(&parser)
            types[type.name] = type
        }
        self.types = types
    }

    /// The object types that a value of the named type can have.
    func possibleTypes(_ name: String) -> Set<String> {
        guard let type = types[name] else { return [] }
        switch type.kind {
        case .object: return [name]
        case .union(let members): return Set(members)
        case .interface:
            return Set(
                types.values.compactMap { candidate in
                    guard case .object(let interfaces) = candidate.kind, interfaces.contains(name) else { return nil }
                    return candidate.name
                }
            )
        case .scalar, .enumeration, .input: return []
        }
    }

    private static func type(_ parser: inout GraphParser) throws(GraphSyntaxError) -> GraphSchemaType {
        let keyword = try parser.name()
        let name = try parser.name()
        switch keyword {
        case "scalar": return GraphSchemaType(name: name, kind: .scalar, fields: [])
        case "enum":
            var values: [String] = []
            if try parser.accept("{") {
                while try !parser.accept("}") { values.append(try parser.name()) }
            }
            return GraphSchemaType(name: name, kind: .enumeration(values), fields: [])
        case "union":
            try parser.expect("=")
            var members: [String] = []
            repeat { members.append(try parser.name()) } while try parser.accept("|")
            return GraphSchemaType(name: name, kind: .union(members), fields: [])
        case "input": return GraphSchemaType(name: name, kind: .input, fields: try fields(&parser))
        case "interface", "type":
            var interfaces: [String] = []
            if try parser.acceptKeyword("implements") {
                repeat { interfaces.append(try parser.name()) } while try parser.accept("&")
            }
            let kind = keyword == "type" ? GraphSchemaType.Kind.object(interfaces: interfaces) : .interface
            return GraphSchemaType(name: name, kind: kind, fields: try fields(&parser))
        default: throw parser.failure("a type definition")
        }
    }

    private static func fields(_ parser: inout GraphParser) throws(GraphSyntaxError) -> [GraphSchemaField] {
        try parser.expect("{")
        var fields: [GraphSchemaField] = []
        while try !parser.accept("}") { fields.append(try field(&parser)) }
        return fields
    }

    private static func field(_ parser: inout GraphParser) throws(GraphSyntaxError) -> GraphSchemaField {
        let name = try parser.name()
        var arguments: [GraphSchemaField] = []
        if try parser.accept("(") {
            while try !parser.accept(")") { arguments.append(try field(&parser)) }
        }
        try parser.expect(":")
        let type = try parser.typeReference()
        let defaultValue = try parser.accept("=") ? try parser.literal() : nil
        return GraphSchemaField(name: name, type: type, arguments: arguments, defaultValue: defaultValue)
    }
}

extension GraphSchema {
    /// Reads a schema in GraphQL's definition language; the root types are `QueryRoot` and `Mutation`, as in Shopify's schemas.
    package init(definition: String) throws(GraphSchemaProblem) {
        let builtIn = Self.builtInScalars.map { ($0, GraphSchemaType(name: $0, kind: .scalar)) }
        var reader = GraphSchemaReader(types: Dictionary(uniqueKeysWithValues: builtIn), directives: [:])
        try reader.read(definition)
        self.init(
            types: reader.types,
            query: "QueryRoot",
            mutation: reader.types["Mutation"]?.name,
            directives: reader.directives
        )
    }

    /// Returns this schema with further types and fields, from text in GraphQL's definition language.
    ///
    /// The generator needs this method, because Shopify's schema shows some fields only to invited apps. If the schema and the text define
    /// the same name, the schema's definition is kept.
    package func extended(by definition: String) throws(GraphSchemaProblem) -> GraphSchema {
        var reader = GraphSchemaReader(types: types, directives: directives)
        try reader.read(definition)
        return GraphSchema(types: reader.types, query: query, mutation: mutation, directives: reader.directives)
    }
}

package enum GraphSchemaProblem: Error {
    case syntax(GraphSyntaxError)
    case extendsUndefinedType(String, GraphLocation)
    /// `extend` names a type that is defined with another keyword; `keyword` is the keyword of the definition.
    case extendsOtherKind(String, GraphLocation, keyword: String)
    case refersToUndefinedType(String, in: String)
}

/// Reads definitions of types and directives; skips descriptions, and the directives on definitions.
private struct GraphSchemaReader {
    var types: [String: GraphSchemaType]
    var directives: [String: GraphSchemaDirective]

    mutating func read(_ text: String) throws(GraphSchemaProblem) {
        var parser: GraphParser
        do { parser = try GraphParser(text) } catch { throw .syntax(error) }
        while parser.token != .end { try readDefinition(&parser) }
        for type in types.values {
            let references = type.fields.flatMap { [$0.type] + $0.arguments.map(\.type) }.map(\.leafName)
            for name in (references + type.interfaces + type.members).sorted() where types[name] == nil {
                throw .refersToUndefinedType(name, in: type.name)
            }
        }
    }

    private mutating func readDefinition(_ parser: inout GraphParser) throws(GraphSchemaProblem) {
        let (isExtension, location, type): (Bool, GraphLocation, GraphSchemaType)
        do {
            try Self.skipDescription(&parser)
            if try parser.acceptKeyword("directive") {
                let directive = try self.directive(&parser)
                if directives[directive.name] == nil { directives[directive.name] = directive }
                return
            }
            isExtension = try parser.acceptKeyword("extend")
            location = parser.location
            type = try Self.type(&parser)
        } catch {
            throw .syntax(error)
        }
        guard isExtension else {
            if types[type.name] == nil { types[type.name] = type }
            return
        }
        guard let old = types[type.name] else { throw .extendsUndefinedType(type.name, location) }
        guard Self.keyword(of: old.kind) == Self.keyword(of: type.kind) else {
            throw .extendsOtherKind(old.name, location, keyword: Self.keyword(of: old.kind))
        }
        types[type.name] = GraphSchemaType(
            name: old.name,
            kind: Self.kind(old.kind, extendedBy: type.kind),
            description: old.description,
            fields: old.fields + type.fields.filter { old.field($0.name) == nil },
            interfaces: old.interfaces + type.interfaces.filter { !old.interfaces.contains($0) },
            members: old.members + type.members
        )
    }

    private static func keyword(of kind: GraphSchemaType.Kind) -> String {
        switch kind {
        case .scalar: "scalar"
        case .enumeration: "enum"
        case .object: "type"
        case .interface: "interface"
        case .union: "union"
        case .input: "input"
        }
    }

    private static func kind(_ old: GraphSchemaType.Kind, extendedBy new: GraphSchemaType.Kind) -> GraphSchemaType.Kind
    {
        guard case .enumeration(let values) = old, !values.isEmpty, case .enumeration(let more) = new else {
            return old
        }
        return .enumeration(values + more.filter { value in !values.contains { $0.name == value.name } })
    }

    private static func type(_ parser: inout GraphParser) throws(GraphSyntaxError) -> GraphSchemaType {
        let keyword = try parser.name()
        let name = try parser.name()
        let isObject = keyword == "type" || keyword == "interface"
        let hasInterfaces = isObject ? try parser.acceptKeyword("implements") : false
        let interfaces = hasInterfaces ? try names(&parser, separator: "&") : []
        try skipDirectives(&parser)
        switch keyword {
        case "scalar": return GraphSchemaType(name: name, kind: .scalar)
        case "enum":
            var values: [GraphEnumValue] = []
            if try parser.accept("{") {
                while try !parser.accept("}") {
                    try skipDescription(&parser)
                    values.append(GraphEnumValue(name: try parser.name()))
                    try skipDirectives(&parser)
                }
            }
            return GraphSchemaType(name: name, kind: .enumeration(values))
        case "union":
            let members = try parser.accept("=") ? try names(&parser, separator: "|") : []
            return GraphSchemaType(name: name, kind: .union, members: members)
        case "input": return GraphSchemaType(name: name, kind: .input, fields: try fields(&parser, "{", "}"))
        case "type", "interface":
            let kind: GraphSchemaType.Kind = keyword == "type" ? .object : .interface
            return GraphSchemaType(
                name: name,
                kind: kind,
                fields: try fields(&parser, "{", "}"),
                interfaces: interfaces
            )
        default: throw parser.failure("a type definition")
        }
    }

    private static func skipDescription(_ parser: inout GraphParser) throws(GraphSyntaxError) {
        if case .string = parser.token { try parser.advance() }
    }

    private static func skipDirectives(_ parser: inout GraphParser) throws(GraphSyntaxError) {
        while try parser.accept("@") {
            _ = try parser.name()
            guard try parser.accept("(") else { continue }
            while try !parser.accept(")") {
                _ = try parser.name()
                try parser.expect(":")
                _ = try parser.literal()
            }
        }
    }

    private func directive(_ parser: inout GraphParser) throws(GraphSyntaxError) -> GraphSchemaDirective {
        try parser.expect("@")
        let name = try parser.name()
        let arguments = try Self.fields(&parser, "(", ")")
        guard try parser.acceptKeyword("on") else { throw parser.failure("\"on\"") }
        let locations = Set(try Self.names(&parser, separator: "|"))
        return GraphSchemaDirective(name: name, locations: locations, arguments: arguments)
    }

    private static func names(_ parser: inout GraphParser, separator: String) throws(GraphSyntaxError) -> [String] {
        _ = try parser.accept(separator)
        var names: [String] = []
        repeat { names.append(try parser.name()) } while try parser.accept(separator)
        return names
    }

    private static func fields(
        _ parser: inout GraphParser,
        _ open: String,
        _ close: String
    ) throws(GraphSyntaxError) -> [GraphSchemaField] {
        guard try parser.accept(open) else { return [] }
        var fields: [GraphSchemaField] = []
        while try !parser.accept(close) {
            try skipDescription(&parser)
            let name = try parser.name()
            let arguments = open == "{" ? try Self.fields(&parser, "(", ")") : []
            try parser.expect(":")
            let type = try parser.typeReference()
            let defaultValue = try parser.accept("=") ? try parser.literal() : nil
            try skipDirectives(&parser)
            fields.append(GraphSchemaField(name: name, type: type, arguments: arguments, defaultValue: defaultValue))
        }
        return fields
    }
}

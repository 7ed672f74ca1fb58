internal import GraphQLLanguage

extension Schema {
    /// The schema with types and fields that it lacks, from text in GraphQL's definition language.
    ///
    /// Shopify shows some fields to chosen apps only. What the schema has itself stays as it is.
    package func extended(by definition: String) throws(GenerationFailure) -> Schema {
        var reader = DefinitionReader(types: types)
        do { try reader.read(definition) } catch {
            throw .usage("The extension, line \(error.location.line): \(error.message).")
        }
        if let problem = reader.problem { throw .usage("The extension: \(problem)") }
        var members: [String: [String]] = [:]
        for type in reader.types.values where type.isAbstract {
            members[type.name] = reader.members[type.name] ?? possibleTypes(type.name).sorted()
        }
        return Schema(types: reader.types, query: query, mutation: mutation, directives: directives, members: members)
    }
}

/// Reads type definitions.
private struct DefinitionReader {
    var types: [String: SchemaType]
    var members: [String: [String]] = [:]
    private(set) var problem: String?

    init(types: [String: SchemaType]) {
        self.types = types
    }

    mutating func read(_ text: String) throws(GraphSyntaxError) {
        var parser = try GraphParser(text)
        while parser.token != .end {
            let isExtension = try parser.acceptKeyword("extend")
            let type = try type(&parser)
            if isExtension {
                guard let old = types[type.name] else {
                    problem = "it extends \(type.name), which is not there."
                    return
                }
                let new = type.fields.filter { old.field($0.name) == nil }
                types[type.name] = SchemaType(
                    name: old.name,
                    kind: old.kind,
                    description: old.description,
                    fields: old.fields + new,
                    interfaces: old.interfaces
                )
            } else if types[type.name] == nil {
                types[type.name] = type
            }
        }
        for type in types.values {
            let references = type.fields.flatMap { [$0.type] + $0.arguments.map(\.type) }.map(\.leafName)
            for name in (references + (members[type.name] ?? [])).sorted() where types[name] == nil {
                problem = "it speaks of \(name) at \(type.name) and lacks it."
            }
        }
    }

    private mutating func type(_ parser: inout GraphParser) throws(GraphSyntaxError) -> SchemaType {
        let keyword = try parser.name()
        let name = try parser.name()
        var fields: [SchemaField] = []
        var interfaces: [String] = []
        let kind: SchemaType.Kind
        switch keyword {
        case "scalar": kind = .scalar
        case "enum":
            var values: [SchemaEnumValue] = []
            if try parser.accept("{") {
                while try !parser.accept("}") {
                    values.append(SchemaEnumValue(name: try parser.name(), description: nil, deprecation: nil))
                }
            }
            kind = .enumeration(values)
        case "union":
            kind = .union
            try parser.expect("=")
            _ = try parser.accept("|")
            var names: [String] = []
            repeat { names.append(try parser.name()) } while try parser.accept("|")
            if types[name] == nil { members[name] = names }
        case "input":
            kind = .input
            fields = try self.fields(&parser, "{", "}")
        case "type", "interface":
            kind = keyword == "type" ? .object : .interface
            if try parser.acceptKeyword("implements") {
                repeat { interfaces.append(try parser.name()) } while try parser.accept("&")
            }
            fields = try self.fields(&parser, "{", "}")
        default: throw parser.failure("a type definition")
        }
        return SchemaType(name: name, kind: kind, description: nil, fields: fields, interfaces: interfaces)
    }

    private func fields(
        _ parser: inout GraphParser,
        _ open: String,
        _ close: String
    ) throws(GraphSyntaxError)
        -> [SchemaField]
    {
        guard try parser.accept(open) else { return [] }
        var fields: [SchemaField] = []
        while try !parser.accept(close) {
            let name = try parser.name()
            let arguments = open == "{" ? try self.fields(&parser, "(", ")") : []
            try parser.expect(":")
            let type = try parser.typeReference()
            let hasDefault = try parser.accept("=")
            if hasDefault { _ = try parser.literal() }
            fields.append(
                SchemaField(
                    name: name,
                    type: type,
                    arguments: arguments,
                    hasDefault: hasDefault,
                    description: nil,
                    deprecation: nil
                )
            )
        }
        return fields
    }
}

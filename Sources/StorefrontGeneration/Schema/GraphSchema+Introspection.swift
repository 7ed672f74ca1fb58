package import GraphQLLanguage
internal import IdentityKit

extension GraphSchema {
    /// Reads the response to the introspection query, with or without the member `data` around it.
    package init(introspection bytes: [UInt8]) throws(GenerationFailure) {
        if bytes.starts(with: [0x1F, 0x8B]) {
            throw .usage("The schema is compressed. Unpack it first: gunzip -k FILE.json.gz")
        }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 64 << 20, maximumDepth: 64))
        } catch {
            throw .usage(
                "The schema could not be read as JSON: \(error). Use the response to `storefront-gen introspection-query`."
            )
        }
        guard let schema = value["data"]?["__schema"] ?? value["__schema"] else {
            let message = value["errors"]?.array?.first?["message"]?.string ?? value["errors"]?.string
            throw .usage(
                "The schema file has no member __schema\(message.map { ". The server returned: \(PlainText.line($0))" } ?? "")."
                    + " Post the output of `storefront-gen introspection-query` to the API and save the response."
            )
        }
        let names = Set(IntrospectionReader.names(schema["types"]))
        self = try IntrospectionReader(typeNames: names).schema(schema)
    }
}

private struct IntrospectionReader {
    let typeNames: Set<String>

    static func names(_ list: JSONValue?) -> [String] {
        (list?.array ?? []).compactMap { $0["name"]?.string }
    }

    func schema(_ value: JSONValue) throws(GenerationFailure) -> GraphSchema {
        var types: [String: GraphSchemaType] = [:]
        for entry in value["types"]?.array ?? [] {
            let type = try self.type(entry)
            guard types.updateValue(type, forKey: type.name) == nil else {
                throw .usage("The schema has the type \(type.name) twice.")
            }
        }
        for name in GraphSchema.builtInScalars where types[name] == nil {
            types[name] = GraphSchemaType(name: name, kind: .scalar)
        }
        guard let query = value["queryType"]?["name"]?.string, types[query]?.isComposite == true else {
            throw .usage("The schema does not name its query type, or does not contain that type.")
        }
        let mutation = value["mutationType"]?["name"]?.string
        if let mutation, types[mutation]?.isComposite != true {
            throw .usage("The schema does not contain its mutation type \(PlainText.line(mutation)).")
        }
        try checkReferences(types)
        var directives: [String: GraphSchemaDirective] = [:]
        for entry in value["directives"]?.array ?? [] {
            let name = try self.name(entry)
            let locations = (entry["locations"]?.array ?? []).compactMap(\.string)
            directives[name] = GraphSchemaDirective(
                name: name,
                locations: Set(locations),
                arguments: try fields(entry["args"], "@\(name)")
            )
        }
        return GraphSchema(types: types, query: query, mutation: mutation, directives: directives)
    }

    private func checkReferences(_ types: [String: GraphSchemaType]) throws(GenerationFailure) {
        for type in types.values {
            for field in type.fields {
                for reference in [field.type] + field.arguments.map(\.type) where types[reference.leafName] == nil {
                    throw .usage(
                        "The schema does not contain the type \(reference.leafName), which \(type.name).\(field.name) uses."
                    )
                }
            }
        }
    }

    private func name(_ entry: JSONValue) throws(GenerationFailure) -> String {
        guard let name = entry["name"]?.string, name.utf8.count <= 200, SwiftNames.isWord(name) else {
            let shown = entry["name"]?.string.map { ": \"\(PlainText.line($0))\"" } ?? ", or a name is missing"
            throw .usage("The schema contains an invalid name\(shown).")
        }
        return name
    }

    private func type(_ entry: JSONValue) throws(GenerationFailure) -> GraphSchemaType {
        let name = try self.name(entry)
        var fields = entry["fields"]
        let kind: GraphSchemaType.Kind
        switch entry["kind"]?.string {
        case "SCALAR": kind = .scalar
        case "ENUM": kind = .enumeration(try values(entry["enumValues"]))
        case "OBJECT": kind = .object
        case "INTERFACE": kind = .interface
        case "UNION": kind = .union
        case "INPUT_OBJECT":
            kind = .input
            fields = entry["inputFields"]
        default: throw .usage("The schema's type \(name) has an unknown kind.")
        }
        return GraphSchemaType(
            name: name,
            kind: kind,
            description: entry["description"]?.string,
            fields: try self.fields(fields, name),
            // In Shopify's published schemas, a type can list types that the schema does not contain. Documents cannot name such types, so
            // they are left out.
            interfaces: Self.names(entry["interfaces"]).filter(typeNames.contains),
            members: Self.names(entry["possibleTypes"]).filter(typeNames.contains)
        )
    }

    private func values(_ list: JSONValue?) throws(GenerationFailure) -> [GraphEnumValue] {
        try (list?.array ?? []).map { entry throws(GenerationFailure) in
            GraphEnumValue(
                name: try name(entry),
                description: entry["description"]?.string,
                deprecation: deprecation(entry)
            )
        }
    }

    private func deprecation(_ entry: JSONValue) -> String? {
        guard entry["isDeprecated"]?.bool == true else { return nil }
        return entry["deprecationReason"]?.string ?? "no reason given"
    }

    private func fields(_ list: JSONValue?, _ owner: String) throws(GenerationFailure) -> [GraphSchemaField] {
        try (list?.array ?? []).map { entry throws(GenerationFailure) in
            let name = try self.name(entry)
            return GraphSchemaField(
                name: name,
                type: try reference(entry["type"], "\(owner).\(name)"),
                arguments: try self.fields(entry["args"], "\(owner).\(name)"),
                defaultValue: try defaultValue(entry["defaultValue"], "\(owner).\(name)"),
                description: entry["description"]?.string,
                deprecation: deprecation(entry)
            )
        }
    }

    /// Parses a default value, which introspection returns as the text of a GraphQL literal; nil without a default value.
    private func defaultValue(_ value: JSONValue?, _ place: String) throws(GenerationFailure) -> GraphLiteral? {
        guard let value, !value.isNull else { return nil }
        do {
            var parser = try GraphParser(value.string ?? "")
            return try parser.literal()
        } catch {
            throw .usage("The schema's default value of \(place) is not a GraphQL value.")
        }
    }

    private func reference(
        _ entry: JSONValue?,
        _ place: String,
        _ depth: Int = 0
    ) throws(GenerationFailure) -> GraphTypeReference {
        guard let entry, entry.object != nil, depth < 12 else {
            throw .usage(
                "The schema does not contain the type of \(place). Use `storefront-gen introspection-query` to request it."
            )
        }
        switch entry["kind"]?.string {
        case "NON_NULL":
            let inner = try reference(entry["ofType"], place, depth + 1)
            if case .nonNull = inner { return inner }
            return .nonNull(inner)
        case "LIST": return .list(try reference(entry["ofType"], place, depth + 1))
        default: return .named(try name(entry))
        }
    }
}

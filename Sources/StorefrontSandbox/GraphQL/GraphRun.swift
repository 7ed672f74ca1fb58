internal import GraphQLLanguage
internal import IdentityKit

/// The execution of an operation: collects fields, completes values and records field errors (GraphQL specification, section 6).
struct GraphRun {
    private let schema: GraphSchema
    private let fragments: [String: GraphFragment]
    private let variables: JSONObject
    private let missingScopes: [String: String]
    private(set) var errors: [GraphError] = []

    init(schema: GraphSchema, document: GraphDocument, variables: JSONObject, missingScopes: [String: String]) {
        self.schema = schema
        self.variables = variables
        self.missingScopes = missingScopes
        fragments = Dictionary(document.fragments.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Visits each fragment once (GraphQL section 6.3.2): fragments that each spread the next one twice would take exponential time.
    private func collect(
        _ selections: [GraphSelection],
        _ typeName: String,
        to collected: inout [(key: String, fields: [GraphField])],
        visited: inout Set<String>
    ) {
        for selection in selections {
            switch selection {
            case .field(let field):
                guard isIncluded(field.directives) else { continue }
                if let index = collected.firstIndex(where: { $0.key == field.responseKey }) {
                    collected[index].fields.append(field)
                } else {
                    collected.append((field.responseKey, [field]))
                }
            case .spread(let name, let directives, _):
                guard isIncluded(directives), visited.insert(name).inserted, let fragment = fragments[name] else {
                    continue
                }
                if schema.possibleTypes(fragment.type).contains(typeName) {
                    collect(fragment.selections, typeName, to: &collected, visited: &visited)
                }
            case .inline(let condition, let directives, let inner, _):
                guard isIncluded(directives) else { continue }
                if condition.map({ schema.possibleTypes($0).contains(typeName) }) ?? true {
                    collect(inner, typeName, to: &collected, visited: &visited)
                }
            }
        }
    }

    private func isIncluded(_ directives: [GraphDirective]) -> Bool {
        directives.allSatisfy { directive in
            guard directive.name == "skip" || directive.name == "include" else { return true }
            let values = try? arguments(directive.arguments, schema.directives[directive.name]?.arguments ?? [])
            return values?["if"]?.bool == (directive.name == "include")
        }
    }

    func arguments(
        _ given: [GraphArgument],
        _ defined: [GraphSchemaField]
    ) throws(GraphProblem) -> JSONObject {
        var values = JSONObject()
        for definition in defined {
            let argument = given.first { $0.name == definition.name }
            var value: JSONValue?
            if let argument { value = try schema.json(argument.value, definition.type, variables) }
            do throws(GraphProblem) {
                values[definition.name] = try schema.coerce(
                    value,
                    orElse: definition.defaultValue,
                    to: definition.type
                )
            } catch { throw error.inside(.string(definition.name)) }
        }
        return values
    }

    /// Returns the value of a field; nil if the field is null but non-nullable, so that its parent object must be null.
    mutating func complete(
        _ node: GraphNode,
        _ type: GraphTypeReference,
        _ fields: [GraphField],
        _ arguments: JSONObject,
        _ path: [JSONValue]
    ) -> JSONValue? {
        switch node {
        case .computed(let compute): return complete(compute(arguments), type, fields, arguments, path)
        case .failure(let message, let code):
            let locations = fields.first.map { [$0.location] } ?? []
            errors.append(GraphError(message: message, code: code, path: path, locations: locations))
            return Self.null(for: type)
        case .null:
            guard case .nonNull = type else { return .null }
            let message = "Cannot return null for a non-nullable field"
            errors.append(GraphError(message: message, code: "INTERNAL_SERVER_ERROR", path: path))
            return nil
        case .leaf(let value): return value
        case .list(let elements):
            guard case .list(let elementType) = type.withoutNonNull else { return .null }
            var values: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                guard let value = complete(element, elementType, fields, arguments, path + [.integer(index)]) else {
                    return Self.null(for: type)
                }
                values.append(value)
            }
            return .array(values)
        case .object(let members):
            var typeName = type.leafName
            if case .leaf(let name) = members["__typename"] { typeName = name.string ?? typeName }
            return complete(typeName, members, fields.flatMap(\.selections), path) ?? Self.null(for: type)
        }
    }

    private static func null(for type: GraphTypeReference) -> JSONValue? {
        if case .nonNull = type { nil } else { .null }
    }

    /// Returns the selected members of an object; nil if a non-nullable member is null, so that the object must be null.
    ///
    /// A selected member that `members` does not contain gets the value `missing`.
    mutating func complete(
        _ typeName: String,
        _ members: [String: GraphNode],
        _ selections: [GraphSelection],
        _ path: [JSONValue],
        orElse missing: GraphNode = .null
    ) -> JSONValue? {
        var collected: [(key: String, fields: [GraphField])] = []
        var visited: Set<String> = []
        collect(selections, typeName, to: &collected, visited: &visited)
        var object = JSONObject()
        for (key, merged) in collected {
            guard let field = merged.first else { continue }
            if field.name == "__typename" {
                object[key] = .string(typeName)
                continue
            }
            guard let definition = schema.types[typeName]?.field(field.name) else { continue }
            var values: JSONObject = [:]
            var node = members[field.name] ?? missing
            do { values = try arguments(field.arguments, definition.arguments) } catch {
                let message = "\(error.place): \(error.explanation)"
                node = .failure(message: message, code: "argumentLiteralsIncompatible")
            }
            if let scope = missingScopes["\(typeName).\(field.name)"] {
                node = .accessDenied(to: field.name, scope: scope)
            }
            guard let value = complete(node, definition.type, merged, values, path + [.string(key)]) else { return nil }
            object[key] = value
        }
        return .object(object)
    }
}

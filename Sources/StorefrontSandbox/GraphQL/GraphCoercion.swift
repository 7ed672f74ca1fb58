internal import GraphQLLanguage
internal import IdentityKit

/// The reason why a value does not match its type, with the path to the value.
struct GraphProblem: Error {
    var path: [JSONValue]
    let explanation: String

    init(_ explanation: String, at path: [JSONValue] = []) {
        self.path = path
        self.explanation = explanation
    }

    /// The path as text, for example `input.lines.0`.
    var place: String { path.map { $0.string ?? $0.number?.text ?? "" }.joined(separator: ".") }

    func inside(_ member: JSONValue) -> GraphProblem {
        GraphProblem(explanation, at: [member] + path)
    }
}

extension GraphSchema {
    /// Checks a JSON value against an input type, and fills in defaults; an absent member without a default stays absent.
    func coerce(_ value: JSONValue, to type: GraphTypeReference) throws(GraphProblem) -> JSONValue {
        switch type {
        case .nonNull(let inner):
            guard !value.isNull else { throw GraphProblem("Expected value to not be null") }
            return try coerce(value, to: inner)
        case .list(let element):
            if value.isNull { return .null }
            // GraphQL accepts a single value as a list with one element (specification, section 3.11).
            guard let elements = value.array else { return .array([try coerce(value, to: element)]) }
            // Shopify accepts at most 250 elements in an input array.
            guard elements.count <= 250 else {
                throw GraphProblem("The input array size is greater than the maximum allowed of 250")
            }
            let coerced = try elements.enumerated().map { index, item throws(GraphProblem) in
                do throws(GraphProblem) { return try coerce(item, to: element) } catch {
                    throw error.inside(.integer(index))
                }
            }
            return .array(coerced)
        case .named(let name):
            if value.isNull { return .null }
            guard let definition = types[name] else { throw GraphProblem("\(name) isn't a defined input type") }
            switch definition.kind {
            case .input: return try coerceObject(value, to: definition)
            case .enumeration(let values):
                guard let text = value.string, definition.enumValue(text) != nil else {
                    let names = values.map(\.name).joined(separator: ", ")
                    throw GraphProblem("Expected \"\(value.string ?? "value")\" to be one of: \(names)")
                }
                return value
            case .scalar: return try coerceScalar(value, name)
            case .object, .interface, .union: throw GraphProblem("\(name) isn't a valid input type")
            }
        }
    }

    /// Checks the value for a variable, an argument or an input field; an absent value becomes the default, or nil if the type is nullable.
    func coerce(
        _ given: JSONValue?,
        orElse literal: GraphLiteral?,
        to type: GraphTypeReference
    ) throws(GraphProblem) -> JSONValue? {
        if let given { return try coerce(given, to: type) }
        if let literal { return try coerce(json(literal, type, [:]) ?? .null, to: type) }
        if case .nonNull = type { throw GraphProblem("Expected value to not be null") }
        return nil
    }

    private func coerceObject(_ value: JSONValue, to type: GraphSchemaType) throws(GraphProblem) -> JSONValue {
        guard let object = value.object else { throw GraphProblem("Expected an object for \(type.name)") }
        for member in object.members where type.field(member.name) == nil {
            throw GraphProblem("Field is not defined on \(type.name)", at: [.string(member.name)])
        }
        var coerced = JSONObject()
        for field in type.fields {
            do throws(GraphProblem) {
                coerced[field.name] = try coerce(object[field.name], orElse: field.defaultValue, to: field.type)
            } catch { throw error.inside(.string(field.name)) }
        }
        return .object(coerced)
    }

    private func coerceScalar(_ value: JSONValue, _ name: String) throws(GraphProblem) -> JSONValue {
        let fits =
            switch name {
            case "Int": value.number?.integer.map { Int32(exactly: $0) != nil } ?? false
            case "Float": value.number != nil
            case "Boolean": value.bool != nil
            case "ID": value.string != nil || value.number?.integer != nil
            case "String": value.string != nil
            default: value.string != nil || value.number != nil
            }
        guard fits else { throw GraphProblem("Could not coerce value to \(name)") }
        if name == "ID", let number = value.number { return .string(number.text) }
        return value
    }

    /// Converts a literal to JSON; nil for a variable without a value.
    func json(
        _ literal: GraphLiteral,
        _ type: GraphTypeReference,
        _ variables: JSONObject
    ) throws(GraphProblem) -> JSONValue? {
        let isEnum = types[type.leafName]?.isEnum ?? false
        switch literal {
        case .variable(let name): return variables[name]
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .string(let text):
            guard !isEnum else { throw GraphProblem("Expected an unquoted \(type.leafName)") }
            return .string(text)
        case .enumeration(let word):
            guard isEnum else { throw GraphProblem("\(word) is not a \(type.leafName)") }
            return .string(word)
        case .number(let text): return try? JSONValue(parsing: Array(text.utf8))
        case .list(let elements):
            return .array(
                try elements.map { element throws(GraphProblem) in try json(element, type, variables) ?? .null }
            )
        case .object(let members):
            var object = JSONObject()
            for member in members {
                guard let field = types[type.leafName]?.field(member.name) else {
                    throw GraphProblem("Field is not defined on \(type.leafName)", at: [.string(member.name)])
                }
                object[member.name] = try json(member.value, field.type, variables)
            }
            return .object(object)
        }
    }
}

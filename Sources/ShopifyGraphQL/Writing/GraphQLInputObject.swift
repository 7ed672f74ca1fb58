public import IdentityKit

/// The variables of an operation, or a GraphQL input object: its set members, in order.
///
/// It can contain secrets, so it does not print its values. ``json`` is for a request's body.
public struct GraphQLInputObject: Sendable, Equatable, GraphQLWritable {
    /// The members as they are sent.
    public private(set) var json = JSONObject()

    /// An object without members.
    public init() {}

    // Inlinable, because generic code that is not specialized looks up each type at run time.

    /// Sets a member.
    @inlinable
    public mutating func set<Value: GraphQLWritable>(_ name: String, _ value: Value) {
        set(name, to: value.graphQLValue)
    }

    /// Sets a member to the state of a field.
    ///
    /// An unset field is not sent.
    @inlinable
    public mutating func set<Value: GraphQLWritable>(_ name: String, _ field: InputField<Value>) {
        switch field {
        case .unset: break
        case .null: set(name, to: .null)
        case .set(let value): set(name, to: value.graphQLValue)
        }
    }

    @usableFromInline
    mutating func set(_ name: String, to value: JSONValue) {
        json[name] = value
    }

    /// The object as a value.
    public var graphQLValue: JSONValue { .object(json) }
}

extension GraphQLInputObject: Redacted {
    /// The names of the members.
    public var description: String { json.members.map(\.name).joined(separator: ", ") }
}

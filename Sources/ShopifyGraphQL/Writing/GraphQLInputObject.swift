public import IdentityKit

/// The variables of an operation, or the members of a GraphQL input object, in the order in which they are sent.
///
/// The values may be secret, so ``description`` shows only the members' names. ``json`` contains the values, for a request's body.
public struct GraphQLInputObject: Sendable, Equatable, GraphQLWritable {
    /// The members as they are sent.
    public private(set) var json = JSONObject()

    /// Creates an object without members.
    public init() {}

    // `set` is inlinable, so that the compiler can specialize it in the app's module. An unspecialized call looks up the type at run time.

    /// Sets a member.
    @inlinable
    public mutating func set<Value: GraphQLWritable>(_ name: String, _ value: Value) {
        set(name, to: value.graphQLValue)
    }

    /// Sets a member to a value or null; with an unset field, the member does not change.
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

    /// The object as JSON, for a request's body.
    public var graphQLValue: JSONValue { .object(json) }
}

extension GraphQLInputObject: Redacted {
    /// The names of the members.
    public var description: String { json.members.map(\.name).joined(separator: ", ") }
}

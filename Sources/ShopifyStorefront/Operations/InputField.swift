internal import IdentityKit

/// A field of a GraphQL input in its three states: left out, the old value stays; null, it is cleared; set, it changes.
public enum InputField<Value> {
    /// The field is left out.
    case unset
    /// The field is sent as an explicit null.
    case null
    /// The field is sent with a value.
    case set(Value)
}

extension InputField: Sendable where Value: Sendable {}

extension InputField: Equatable where Value: Equatable {}

extension JSONObject {
    mutating func set<Value>(_ name: String, _ field: InputField<Value>, _ encode: (Value) -> JSONValue) {
        switch field {
        case .unset: break
        case .null: self[name] = .null
        case .set(let value): self[name] = encode(value)
        }
    }

    mutating func set(_ name: String, _ field: InputField<String>) {
        set(name, field) { .string($0) }
    }
}

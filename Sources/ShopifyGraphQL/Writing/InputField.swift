/// A field of a GraphQL input in its three states: left out, the old value stays; null, it is cleared; set, it changes.
public enum InputField<Value> {
    /// The field is left out.
    case unset
    /// The field is sent as an explicit null.
    case null
    /// The field is sent with a value.
    case set(Value)

    /// A value to set, or nothing where there is none.
    public static func setIfPresent(_ value: Value?) -> Self {
        value.map { .set($0) } ?? .unset
    }

    /// A value to set, or an explicit null where there is none.
    public static func setOrNull(_ value: Value?) -> Self {
        value.map { .set($0) } ?? .null
    }
}

extension InputField: Sendable where Value: Sendable {}

extension InputField: Equatable where Value: Equatable {}

extension InputField: Hashable where Value: Hashable {}

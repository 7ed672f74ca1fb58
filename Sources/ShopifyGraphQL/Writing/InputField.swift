/// A field of a GraphQL input: omitted (the old value stays), null (cleared), or set to a value.
public enum InputField<Value> {
    /// The field is not sent.
    case unset
    /// The field is sent as an explicit null.
    case null
    /// The field is sent with a value.
    case set(Value)

    /// Sets a value, or leaves the field unset for nil.
    public static func setIfPresent(_ value: Value?) -> Self {
        value.map { .set($0) } ?? .unset
    }

    /// Sets a value, or an explicit null for nil.
    public static func setOrNull(_ value: Value?) -> Self {
        value.map { .set($0) } ?? .null
    }
}

extension InputField: Sendable where Value: Sendable {}

extension InputField: Equatable where Value: Equatable {}

extension InputField: Hashable where Value: Hashable {}

public import IdentityKit

/// A place in an answer's data that knows its path.
public struct GraphQLNode {
    private let value: JSONValue?
    private let path: String

    /// The place where the data begin.
    public init(_ data: JSONValue) {
        self.init(data, "")
    }

    private init(_ value: JSONValue?, _ path: String) {
        self.value = value
        self.path = path
    }

    /// Reads a field of the object at this place.
    ///
    /// - Throws: ``GraphQLReadingError`` where the place is no object, or the field is not what `Value` reads. A missing field is
    ///   read like null.
    public func field<Value: GraphQLReadable>(
        _ name: String,
        as type: Value.Type = Value.self
    ) throws(GraphQLReadingError) -> Value {
        guard let object = value?.object else { throw error("an object") }
        return try Value(GraphQLNode(object[name], "\(path).\(name)"))
    }

    /// Whether there is null or nothing.
    public var isNull: Bool { value?.isNull ?? true }

    /// The text at this place.
    public func text() throws(GraphQLReadingError) -> String {
        guard let text = value?.string else { throw error("a text") }
        return text
    }

    /// The text of the number at this place, as it was written.
    public func number() throws(GraphQLReadingError) -> String {
        guard let number = value?.number else { throw error("a number") }
        return number.text
    }

    /// The truth value at this place.
    public func flag() throws(GraphQLReadingError) -> Bool {
        guard let flag = value?.bool else { throw error("true or false") }
        return flag
    }

    /// The elements of the list at this place.
    public func list<Element: GraphQLReadable>(
        of type: Element.Type = Element.self
    ) throws(GraphQLReadingError)
        -> [Element]
    {
        guard let elements = value?.array else { throw error("a list") }
        var list: [Element] = []
        list.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            list.append(try Element(GraphQLNode(element, "\(path)[\(index)]")))
        }
        return list
    }

    /// What is here, whatever it is; nothing is null.
    public func json() -> JSONValue { value ?? .null }

    /// An error that tells this place.
    public func error(_ expected: String) -> GraphQLReadingError {
        GraphQLReadingError(path: path, expected: expected)
    }
}

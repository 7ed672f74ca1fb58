public import IdentityKit

/// A place in a response's data: a value, or a field that is missing.
///
/// A response is parsed once. A node is an index into the parsed response, and converts its value on demand.
public struct GraphQLNode: Sendable {
    private let tape: JSONTape
    /// The index of the value; for a missing field, the index of the object that lacks the field.
    private let index: Int
    private let missing: String?

    init(_ tape: JSONTape, _ index: Int, missing: String? = nil) {
        self.tape = tape
        self.index = index
        self.missing = missing
    }

    /// Parses a JSON text strictly: no duplicate names, no invalid UTF-8, no lone surrogates, nothing after the value.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8: the value of `data`.
    ///   - limits: Bounds on size, nesting and number of values.
    /// - Throws: `JSONError` for anything but exactly one well-formed value within the limits.
    public init(parsing bytes: [UInt8], limits: GraphQLLimits = GraphQLLimits()) throws(JSONError) {
        self.init(try limits.tape(bytes), 0)
    }

    /// Reads a field of the object at this place; a missing field is read like null.
    ///
    /// - Throws: ``GraphQLReadingError`` when the place is not an object, or `Value` cannot be read from the field.
    @inlinable
    public func field<Value: GraphQLReadable>(
        _ name: String,
        as type: Value.Type = Value.self
    ) throws(GraphQLReadingError) -> Value {
        try Value(member(name))
    }

    /// The place of a field of the object at this place; the field may be missing.
    ///
    /// - Throws: ``GraphQLReadingError`` when this place is not an object.
    public func member(_ name: String) throws(GraphQLReadingError) -> GraphQLNode {
        guard missing == nil, tape.entries[index].isKind(.object) else { throw error("an object") }
        let value = tape.member(name, of: index)
        return GraphQLNode(tape, value ?? index, missing: value == nil ? name : nil)
    }

    private var entry: TapeEntry? { missing == nil ? tape.entries[index] : nil }

    /// Whether the value is null or missing.
    public var isNull: Bool {
        entry.map { $0.isKind(.null) } ?? true
    }

    /// Whether the value is null or missing, or is an object whose members are all null.
    ///
    /// Shopify returns null for the fields of an operation that failed.
    package var hasOnlyNulls: Bool {
        guard let entry, entry.isKind(.object) else { return isNull }
        // If all members are scalars, each member has two entries: its name and its value. So every second entry is a value.
        return entry.place - index - 1 == 2 * entry.length
            && stride(from: index + 2, to: entry.place, by: 2).allSatisfy { tape.entries[$0].isKind(.null) }
    }

    var onlyMember: GraphQLNode? {
        guard let entry, entry.isKind(.object), entry.length == 1 else { return nil }
        return GraphQLNode(tape, index + 2)
    }

    func isText(_ text: String) -> Bool {
        guard let entry, entry.isText else { return false }
        return tape.isText(entry, text.utf8.span)
    }

    /// The text at this place.
    public func text() throws(GraphQLReadingError) -> String {
        guard let entry, entry.isText else { throw error("a text") }
        return tape.text(entry)
    }

    /// The text of the number at this place, as it was written.
    public func number() throws(GraphQLReadingError) -> String {
        guard let entry, entry.isKind(.number) else { throw error("a number") }
        return tape.text(entry)
    }

    /// The integer at this place, without fraction or exponent.
    public func integer() throws(GraphQLReadingError) -> Int {
        guard let entry, entry.isKind(.number), let value = tape.number(index) else { throw error("an integer") }
        return value
    }

    /// The boolean at this place.
    public func flag() throws(GraphQLReadingError) -> Bool {
        switch entry?.kind {
        case .yes: return true
        case .no: return false
        default: throw error("true or false")
        }
    }

    /// The elements of the list at this place.
    @inlinable
    public func list<Element: GraphQLReadable>(
        of type: Element.Type = Element.self
    ) throws(GraphQLReadingError) -> [Element] {
        var list: [Element] = []
        var elements = try elements()
        list.reserveCapacity(elements.count)
        while let element = elements.next() { list.append(try Element(element)) }
        return list
    }

    /// The places of the elements of the list at this place.
    ///
    /// - Throws: ``GraphQLReadingError`` when this place is not a list.
    public func elements() throws(GraphQLReadingError) -> Elements {
        guard let entry, entry.isKind(.list) else { throw error("a list") }
        return Elements(tape: tape, index: index + 1, count: entry.length)
    }

    /// The places of a list's elements, in order.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        let tape: JSONTape
        private(set) var index: Int
        /// The number of remaining elements.
        public private(set) var count: Int

        /// The next element's place.
        public mutating func next() -> GraphQLNode? {
            guard count > 0 else { return nil }
            count -= 1
            defer { index = tape.next(index) }
            return GraphQLNode(tape, index)
        }
    }

    /// The value as JSON; null if it is missing.
    public func json() -> JSONValue {
        missing == nil ? tape.json(index) : .null
    }

    /// Creates an error with the path of this place and the expected form of its value.
    public func error(_ expected: String) -> GraphQLReadingError {
        GraphQLReadingError(path: tape.path(to: index) + (missing.map { ".\($0)" } ?? ""), expected: expected)
    }
}

extension GraphQLNode: Redacted {
    /// The path of the node in the response.
    public var description: String { "data" + error("").path }
}

/// The header fields of one message, in order.
///
/// Names are compared without regard to ASCII case. Printing or dumping shows names only.
public struct HTTPHeaders: Sendable {
    struct Field {
        var name: Range<Int>
        var value: Range<Int>
    }

    // All names and values are in one buffer. A `String` is created only when a value is read, because most headers are never read.
    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list from the bytes and the fields that ``LimitedResponseReader`` has checked.
    init(buffer: [UInt8], fields: [Field]) {
        bytes = buffer
        func isInside(_ field: Field) -> Bool {
            field.name.upperBound <= buffer.count && field.value.upperBound <= buffer.count
        }
        // A field outside the buffer would end the process when it is read.
        self.fields = fields.allSatisfy(isInside) ? fields : fields.filter(isInside)
    }

    /// The number of fields.
    public var count: Int { fields.count }

    /// The names of the fields in order; a name of two fields appears twice.
    public var names: [String] {
        fields.map { String(decoding: bytes[$0.name], as: UTF8.self) }
    }

    /// The value of the first field with this name; nil if no field has this name.
    public subscript(_ name: String) -> String? {
        fields.first { matches($0, name) }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// Whether a field has this name; faster than a comparison of its value with nil.
    func contains(_ name: String) -> Bool { fields.contains { matches($0, name) } }

    /// The values of all fields with this name, in order.
    public func values(for name: String) -> [String] {
        fields.filter { matches($0, name) }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// Sets a field, and removes all earlier fields with this name.
    ///
    /// - Throws: ``HTTPTransportError/Code/invalidHeader`` for a name that is not a token (RFC 9110 section 5.1) or has more than 256
    ///   bytes, and for a value that has a control character other than TAB (section 5.5) or more than 64 KiB.
    public mutating func set(_ name: String, _ value: String) throws(HTTPTransportError) {
        try HTTPHeaders.check(name, value)
        if fields.contains(where: { matches($0, name) }) { fields = fields.filter { !matches($0, name) } }
        appendChecked(name, value)
    }

    /// Appends a field.
    ///
    /// - Throws: ``HTTPTransportError/Code/invalidHeader`` for a name or value that ``set(_:_:)`` refuses.
    public mutating func append(_ name: String, _ value: String) throws(HTTPTransportError) {
        try HTTPHeaders.check(name, value)
        appendChecked(name, value)
    }

    package func forEachBytes(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        for field in fields {
            body(bytes[field.name], bytes[field.value])
        }
    }

    private mutating func appendChecked(_ name: String, _ value: String) {
        if fields.isEmpty {
            bytes.reserveCapacity(256)
            fields.reserveCapacity(8)
        }
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        fields.append(Field(name: start..<middle, value: middle..<bytes.count))
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        guard name.utf8.count == field.name.count else { return false }
        let wanted = name.utf8.span
        let given = bytes.span.extracting(field.name)
        for index in given.indices where given[index] != wanted[index] {
            guard ASCII.lowercased(given[index]) == ASCII.lowercased(wanted[index]) else { return false }
        }
        return true
    }

    // The check reads UTF-8 bytes, because a search for the Character "\n" does not find CR LF, which is one Character.
    private static func check(_ name: String, _ value: String) throws(HTTPTransportError) {
        guard !name.isEmpty, name.utf8.count <= 256, name.utf8.span.allSatisfy(ASCII.isToken) else {
            throw .notSent(
                .invalidHeader,
                "A header name is empty, longer than 256 bytes, or has a character that RFC 9110 forbids."
            )
        }
        guard value.utf8.count <= 64 << 10, value.utf8.span.allSatisfy(ASCII.isFieldValue) else {
            throw .notSent(
                .invalidHeader,
                "The value of header \(name) contains a control character or is longer than 64 KiB."
            )
        }
    }

    /// The date in the first field with this name, in seconds since 1970; nil if the field is missing or not a date.
    ///
    /// ``CookieDate`` accepts all three date formats of HTTP (RFC 9110 section 5.6.7).
    package func date(_ name: String) -> Int64? {
        self[name].flatMap { CookieDate.parse(Array($0.utf8)[...]) }
    }
}

extension HTTPHeaders: Sequence {
    /// Iterates over the names and values of the fields, in order.
    ///
    /// ```swift
    /// for (name, value) in response.headers { reply.headers.append((name, value)) }
    /// ```
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.lazy.map { [bytes] in
            (
                name: String(decoding: bytes[$0.name], as: UTF8.self),
                value: String(decoding: bytes[$0.value], as: UTF8.self)
            )
        }.makeIterator()
    }
}

extension HTTPHeaders: Redacted {
    /// The names, in order; never a value.
    public var description: String {
        "[" + names.joined(separator: ", ") + "]"
    }
}

package import FoundationEssentials
internal import IdentityCrypto

/// A stored record that ``RecordWriter`` has written, or the value of one of its members.
package struct RecordReader {
    private let bytes: [UInt8]
    private let range: Range<Int>

    /// Reads a record; nil if the bytes are not a list of members.
    package init?(_ record: Secret) {
        bytes = record.revealBytes()
        range = bytes.indices
        var index = 0
        while index < range.upperBound { guard nextMember(&index) != nil else { return nil } }
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// The value of a member; nil if the record has no such member.
    package subscript(name: StaticString) -> RecordReader? {
        var index = range.lowerBound
        while let member = nextMember(&index) {
            // The lengths are compared first, because most names differ in length.
            guard member.name.count == name.utf8CodeUnitCount, isEqual(member.name, name) else { continue }
            return RecordReader(bytes, member.value)
        }
        return nil
    }

    // Each property is nil if the bytes are not a value of this type.

    package var string: String? {
        let text = bytes.span.extracting(range)
        return JSONText.firstInvalidByte(in: text) == nil ? JSONText.text(ofValid: text) : nil
    }

    package var secret: Secret { Secret(bytes: value) }

    package var value: [UInt8] { Array(bytes[range]) }

    package var integer: Int? {
        range.count == 8 ? range.reduce(0) { $0 << 8 | Int(bytes[$1]) } : nil
    }

    package var date: Date? { integer.flatMap { Date(recordMilliseconds: $0) } }

    package var bool: Bool? {
        range.count == 1 && bytes[range.lowerBound] < 2 ? bytes[range.lowerBound] == 1 : nil
    }

    package var strings: [String]? {
        var strings: [String] = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard let text = nextContent(&index), let string = RecordReader(bytes, text).string else { return nil }
            strings.append(string)
        }
        return strings
    }

    package var json: JSONValue? {
        try? JSONValue(parsing: value, limits: JSONLimits(maximumBytes: .max))
    }

    /// The member at an index, which is moved behind the member; nil if the record ends before or within the member.
    @inline(__always)
    private func nextMember(_ index: inout Int) -> (name: Range<Int>, value: Range<Int>)? {
        guard index < range.upperBound, bytes[index] < range.upperBound - index else { return nil }
        let name = index + 1..<index + 1 + Int(bytes[index])
        index = name.upperBound
        guard let value = nextContent(&index) else { return nil }
        return (name, value)
    }

    @inline(__always)
    private func nextContent(_ index: inout Int) -> Range<Int>? {
        guard range.upperBound - index >= 4 else { return nil }
        // The unchecked load is safe: the line above checks the bounds, and every bit pattern is a valid integer.
        let length = unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self).bigEndian
        index += 4
        guard length <= range.upperBound - index else { return nil }
        defer { index += Int(length) }
        return index..<index + Int(length)
    }

    private func isEqual(_ range: Range<Int>, _ name: StaticString) -> Bool {
        name.withUTF8Buffer { name in bytes.span.extracting(range).isEqual(to: unsafe name.span) }
    }
}

extension RecordReader: Redacted {
    package var description: String { "RecordReader(<redacted>)" }
}

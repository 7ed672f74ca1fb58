package import FoundationEssentials
internal import IdentityCrypto

/// Writes a stored record: its members one after the other, each with its name and the lengths of name and value.
///
/// A record is not JSON, because login and refresh write and read records with long tokens, which need no escaping and no parser here.
package struct RecordWriter {
    private var bytes: [UInt8] = []

    /// A record with the members that `body` appends; `capacity` is the expected length in bytes.
    package static func record(capacity: Int = 1024, _ body: (inout RecordWriter) -> Void) -> Secret {
        var writer = RecordWriter()
        writer.bytes.reserveCapacity(capacity)
        body(&writer)
        return Secret(bytes: writer.bytes)
    }

    // If the value is nil, no member is written. ``RecordReader`` has a property for each type.

    package mutating func append(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        append(name) { $0.append(text.utf8) }
    }

    package mutating func append(_ name: StaticString, _ secret: Secret?) {
        guard let secret else { return }
        append(name) { writer in unsafe secret.bytes.withUnsafeBytes { unsafe writer.bytes.append(contentsOf: $0) } }
    }

    package mutating func append(_ name: StaticString, bytes value: [UInt8]) {
        append(name) { $0.bytes += value }
    }

    package mutating func append(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        append(name) { writer in
            unsafe withUnsafeBytes(of: Int64(number).bigEndian) { unsafe writer.bytes.append(contentsOf: $0) }
        }
    }

    /// Appends a date as ``JSONValue/date(_:)`` does.
    package mutating func append(_ name: StaticString, _ date: Date?) {
        append(name, date?.recordMilliseconds)
    }

    package mutating func append(_ name: StaticString, _ flag: Bool) {
        append(name) { $0.bytes.append(flag ? 1 : 0) }
    }

    package mutating func append(_ name: StaticString, _ texts: [String]) {
        append(name) { writer in
            for text in texts { writer.appendLengthAndContent { $0.append(text.utf8) } }
        }
    }

    /// Appends the text of a JSON value.
    package mutating func append(_ name: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        append(name) { value.append(to: &$0.bytes) }
    }

    /// Appends `count` bytes of padding.
    package mutating func append(_ name: StaticString, paddingOf count: Int) {
        append(name) { $0.bytes += repeatElement(0, count: count) }
    }

    /// Appends a member whose value is what `body` writes, for example the members of another record.
    package mutating func append(_ name: StaticString, value body: (inout RecordWriter) -> Void) {
        // All names are constants of less than 256 bytes.
        bytes.append(UInt8(truncatingIfNeeded: name.utf8CodeUnitCount))
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        appendLengthAndContent(body)
    }

    private mutating func appendLengthAndContent(_ body: (inout RecordWriter) -> Void) {
        unsafe withUnsafeBytes(of: UInt32(0)) { unsafe bytes.append(contentsOf: $0) }
        let start = bytes.count
        body(&self)
        // Stores refuse a record long before its length exceeds 32 bits.
        let length = UInt32(truncatingIfNeeded: bytes.count - start)
        for index in 1...4 { bytes[start - index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index - 8)) }
    }

    private mutating func append(_ text: String.UTF8View) {
        unsafe text.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

extension RecordWriter: Redacted {
    package var description: String { "RecordWriter(<redacted>)" }
}

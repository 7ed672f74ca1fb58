/// Reads fields that ``FieldWriter`` has written; a method returns nil if the bytes are invalid.
package struct FieldReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package var isAtEnd: Bool { position == bytes.endIndex }

    package mutating func field() -> ArraySlice<UInt8>? {
        guard let count = integer(UInt32.self), Int(count) <= bytes.endIndex - position else { return nil }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    package mutating func text() -> String? {
        field().flatMap { String(validating: $0, as: UTF8.self) }
    }

    package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        let count = Value.bitWidth / 8
        guard bytes.endIndex - position >= count else { return nil }
        var value: Value = 0
        for _ in 0..<count {
            value = value << 8 | Value(truncatingIfNeeded: bytes[position])
            position += 1
        }
        return value
    }
}

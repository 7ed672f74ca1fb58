/// Encodes and decodes `application/x-www-form-urlencoded`; escapes every character except RFC 3986's unreserved ones.
package enum FormEncoding {
    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    /// Escapes a text and appends it; a space becomes `%20` and not `+`.
    package static func appendEscaped(_ text: String, to output: inout [UInt8]) {
        let unreserved = ASCII.unreserved
        let bytes = text.utf8.span
        // Consecutive characters that need no escape are copied together.
        var run = 0
        for index in bytes.indices where !unreserved.contains(bytes[index]) {
            append(bytes.extracting(run..<index), to: &output)
            appendEscaped(bytes[index], to: &output)
            run = index + 1
        }
        append(bytes.extracting(run..<bytes.count), to: &output)
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
    }

    @inline(__always)
    package static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        guard !ASCII.unreserved.contains(byte) else { return output.append(byte) }
        output.append(UInt8(ascii: "%"))
        output.append(hexadecimal[Int(byte >> 4)])
        output.append(hexadecimal[Int(byte & 15)])
    }

    /// Escapes a text for a form value, a query value or a path segment.
    package static func escape(_ text: String) -> String {
        var output: [UInt8] = []
        appendEscaped(text, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    package static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var output: [UInt8] = []
        // This capacity is enough if no character of a name and at most half of the characters of a value are escaped.
        output.reserveCapacity(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count * 2 + 2 })
        append(fields, to: &output)
        return output
    }

    package static func append(_ fields: [(name: String, value: String)], to output: inout [UInt8]) {
        for field in fields {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            appendEscaped(field.name, to: &output)
            output.append(UInt8(ascii: "="))
            appendEscaped(field.value, to: &output)
        }
    }

    /// Decodes the fields of a body or query; nil when an escape is malformed, a NUL appears or the bytes are not UTF-8.
    package static func decode(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(4)
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
            defer { start = end + 1 }
            guard start < end else { continue }
            let piece = bytes[start..<end]
            let equals = piece.firstIndex(of: UInt8(ascii: "=")) ?? end
            guard let name = decodeComponent(piece[..<equals]),
                let value = decodeComponent(piece[equals...].dropFirst())
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    private static func decodeComponent(_ bytes: ArraySlice<UInt8>) -> String? {
        let isPlain = bytes.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "%") && $0 != 0 }
        if isPlain { return text(bytes.span) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): output.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard bytes.endIndex - index > 2, let high = ASCII.hexValue(bytes[index + 1]),
                    let low = ASCII.hexValue(bytes[index + 2])
                else { return nil }
                output.append(high << 4 | low)
                index += 2
            case 0: return nil
            case let byte: output.append(byte)
            }
            index += 1
        }
        guard !output.contains(0) else { return nil }
        return text(output.span)
    }

    /// The text of these bytes, or nil if they are not UTF-8; much faster than `String(validating:as:)`.
    private static func text(_ bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }
}

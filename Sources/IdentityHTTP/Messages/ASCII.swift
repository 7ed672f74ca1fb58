/// The character classes of HTTP and URLs, on bytes.
package enum ASCII {
    /// The byte in lower case; only A–Z are changed.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    package static func isDigit(_ byte: UInt8) -> Bool {
        byte >= 0x30 && byte <= 0x39
    }

    package static func isVisible(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F
    }

    package static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= 0x61 && lower <= 0x7A
    }

    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Whether the byte is permitted in a token (RFC 9110 section 5.6.2).
    package static func isToken(_ byte: UInt8) -> Bool { token.contains(byte) }

    /// Whether the byte is whitespace of a header field: a space or a tab (RFC 9110 section 5.6.3).
    package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let front = bytes.drop(while: isWhitespace)
        return front[..<((front.lastIndex { !isWhitespace($0) } ?? front.startIndex - 1) + 1)]
    }

    /// Whether the byte is permitted in the value of a header field (RFC 9110 section 5.5).
    package static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }

    private static let lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let token = ASCIISet(lettersAndDigits + "!#$%&'*+-.^_`|~")
    /// The characters that are never escaped (RFC 3986 section 2.3).
    package static let unreserved = ASCIISet(lettersAndDigits + "-._~")
    /// The characters that are permitted unescaped in a path or a query (RFC 3986 sections 3.3 and 3.4, without `%`).
    package static let pathOrQuery = ASCIISet(lettersAndDigits + "-._~!$&'()*+,;=:@/?")
}

package struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ characters: String) {
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    package func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}

extension Span<UInt8> {
    /// Whether all bytes satisfy a condition; faster than `allSatisfy(_:)` of `Sequence`.
    @inline(__always)
    func allSatisfy(_ condition: (UInt8) -> Bool) -> Bool {
        for index in indices where !condition(self[index]) { return false }
        return true
    }
}

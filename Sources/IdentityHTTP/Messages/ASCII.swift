/// The character classes of HTTP and URLs, on bytes.
package enum ASCII {
    /// The byte with A–Z turned into a–z, every other one as it is.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// Whether the byte is 0–9.
    package static func isDigit(_ byte: UInt8) -> Bool {
        byte >= 0x30 && byte <= 0x39
    }

    /// Whether the byte is A–Z or a–z.
    package static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= 0x61 && lower <= 0x7A
    }

    /// The value of a hexadecimal digit.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// Whether the byte may stand in a token (RFC 9110 section 5.6.2).
    package static func isToken(_ byte: UInt8) -> Bool {
        if isLetter(byte) || isDigit(byte) { return true }
        return switch UnicodeScalar(byte) {
        case "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": true
        default: false
        }
    }

    /// Whether the byte may stand in a path or a query by itself (RFC 3986 section 3.3 and 3.4, without `%`).
    package static func isPathOrQuery(_ byte: UInt8) -> Bool {
        if isLetter(byte) || isDigit(byte) { return true }
        return switch UnicodeScalar(byte) {
        case "-", ".", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", ":", "@", "/", "?": true
        default: false
        }
    }
}

internal import IdentityHTTP

extension JSONText {
    /// Reads an escape after its backslash, and appends its bytes (RFC 8259 section 7).
    package static func readEscape(
        in bytes: Span<UInt8>,
        at index: inout Int,
        into decoded: inout [UInt8]
    ) throws(JSONError) {
        guard index < bytes.count else { throw JSONError(reason: "the text ends inside an escape", offset: index) }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            let first = try readFourDigits(in: bytes, at: &index)
            if first < 0x80 {
                decoded.append(UInt8(truncatingIfNeeded: first))
            } else {
                UTF8.encode(try readScalar(after: first, in: bytes, at: &index)).map { decoded.append(contentsOf: $0) }
            }
        default: throw JSONError(reason: "unknown escape", offset: index - 1)
        }
    }

    private static func readScalar(
        after first: UInt32,
        in bytes: Span<UInt8>,
        at index: inout Int
    ) throws(JSONError) -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, accept("\\", in: bytes, at: &index), accept("u", in: bytes, at: &index) else {
            throw JSONError(reason: "lone surrogate", offset: index)
        }
        let second = try readFourDigits(in: bytes, at: &index)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw JSONError(reason: "lone surrogate", offset: index) }
        return scalar
    }

    private static func readFourDigits(in bytes: Span<UInt8>, at index: inout Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw JSONError(reason: "the text ends inside an escape", offset: index) }
            guard let digit = ASCII.hexValue(bytes[index]) else {
                throw JSONError(reason: "expected a hexadecimal digit", offset: index)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    /// Checks a number by the grammar of RFC 8259 section 6, and moves the index behind it.
    package static func skipNumber(in bytes: Span<UInt8>, at index: inout Int) throws(JSONError) {
        _ = accept("-", in: bytes, at: &index)
        if !accept("0", in: bytes, at: &index) { try skipDigits(in: bytes, at: &index) }
        if accept(".", in: bytes, at: &index) { try skipDigits(in: bytes, at: &index) }
        if accept("e", in: bytes, at: &index) || accept("E", in: bytes, at: &index) {
            if !accept("+", in: bytes, at: &index) { _ = accept("-", in: bytes, at: &index) }
            try skipDigits(in: bytes, at: &index)
        }
    }

    private static func skipDigits(in bytes: Span<UInt8>, at index: inout Int) throws(JSONError) {
        let start = index
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        guard index > start else { throw JSONError(reason: "expected a digit", offset: index) }
    }

    private static func accept(_ character: Unicode.Scalar, in bytes: Span<UInt8>, at index: inout Int) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }
}

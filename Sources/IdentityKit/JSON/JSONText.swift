internal import IdentityHTTP

package enum JSONText {
    static func firstNonASCII(in bytes: Span<UInt8>, from start: Int = 0) -> Int {
        let raw = unsafe bytes.bytes
        var index = start
        while index + 16 <= bytes.count {
            // The unchecked load is safe: the loop checks the bounds, and every bit pattern is a valid integer.
            let words = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD2<UInt64>.self)
            if (words[0] | words[1]) & 0x8080_8080_8080_8080 != 0 { break }
            index += 16
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }

    /// The index of the first byte of invalid UTF-8; nil if the bytes are valid.
    ///
    /// Only runs of bytes outside ASCII need the slow validation. In a valid text, a run of bytes of 0x80 or higher contains only whole
    /// characters.
    package static func firstInvalidByte(in bytes: Span<UInt8>) -> Int? {
        var start = firstNonASCII(in: bytes)
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] >= 0x80 { end += 1 }
            do {
                _ = try UTF8Span(validating: bytes.extracting(start..<end))
            } catch {
                return start + error.byteOffsets.lowerBound
            }
            start = firstNonASCII(in: bytes, from: end)
        }
        return nil
    }

    /// The bytes must be valid UTF-8, and ASCII if `isASCII` is true; the function does not check them.
    package static func text(ofValid bytes: Span<UInt8>, isASCII: Bool = false) -> String {
        // Swift compares a string slowly if the string is not known to be ASCII.
        let isASCII = isASCII || firstNonASCII(in: bytes) == bytes.count
        return String(copying: unsafe UTF8Span(unchecked: bytes, isKnownASCII: isASCII))
    }

    /// The index of the first quotation mark, backslash, byte below 0x20 or byte equal to `other`, from `start` on.
    ///
    /// If no such byte exists, the result is the number of bytes. The loop examines 16 bytes at a time, because tokens are long strings.
    package static func firstSpecialByte(
        in bytes: Span<UInt8>,
        from start: Int,
        or other: UInt8 = UInt8(ascii: "\"")
    ) -> Int {
        typealias Block = SIMD16<UInt8>
        let (quotationMark, backslash) = (Block(repeating: UInt8(ascii: "\"")), Block(repeating: UInt8(ascii: "\\")))
        let (another, space) = (Block(repeating: other), Block(repeating: 0x20))
        let raw = unsafe bytes.bytes
        var index = start
        while index + 16 <= bytes.count {
            // The unchecked load is safe: the loop checks the bounds, and every bit pattern is a valid integer.
            let block = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: Block.self)
            let found = (block .== quotationMark) .| (block .== backslash) .| (block .== another) .| (block .< space)
            // For each byte of the block, `found` has 8 bits: all 8 are set if the byte is special, and clear if it is not.
            let halves = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
            if halves[0] != 0 { return index + halves[0].littleEndian.trailingZeroBitCount / 8 }
            if halves[1] != 0 { return index + 8 + halves[1].littleEndian.trailingZeroBitCount / 8 }
            index += 16
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte == other { break }
            index += 1
        }
        return index
    }
}

extension JSONText {
    /// Reads an escape after its backslash (RFC 8259 section 7).
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

    /// Checks a number by the grammar of RFC 8259 section 6, and moves the index behind the number.
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

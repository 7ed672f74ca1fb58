/// Functions that read the bytes of JSON texts.
package enum JSONText {
    /// The index of the first byte that is not ASCII; the end of the bytes if all are.
    private static func firstNonASCII(in bytes: Span<UInt8>, from start: Int) -> Int {
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
    /// Most bytes are ASCII, and only runs of other bytes need the slow validation. Each byte of a character outside ASCII is 0x80 or
    /// higher, so in a valid text a run of such bytes contains only whole characters.
    package static func firstInvalidByte(in bytes: Span<UInt8>) -> Int? {
        var start = firstNonASCII(in: bytes, from: 0)
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

    /// The text of bytes that are known to be valid UTF-8.
    package static func text(ofValid bytes: Span<UInt8>) -> String {
        // If the string is not known to be ASCII, later comparisons of it are slow.
        let isASCII = firstNonASCII(in: bytes, from: 0) == bytes.count
        return String(copying: unsafe UTF8Span(unchecked: bytes, isKnownASCII: isASCII))
    }

    /// The index of the first quotation mark, backslash, byte below 0x20 or byte equal to `other`.
    ///
    /// If no such byte is found, the result is the number of bytes. Sixteen bytes are examined at a time, because tokens are long strings.
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
            // `found` has 8 bits for each byte of the block, which are all set or all clear.
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

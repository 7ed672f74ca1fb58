/// The bytes of JSON strings.
package enum JSONText {
    /// The index of the first quotation mark, backslash, byte below 0x20 or other given byte; the end of the bytes if they contain no such byte.
    ///
    /// Eight bytes are examined at a time, because tokens are long strings.
    package static func firstSpecialByte(
        in bytes: Span<UInt8>,
        from start: Int,
        or other: UInt8 = UInt8(ascii: "\"")
    ) -> Int {
        var index = start
        let ones: UInt64 = 0x0101_0101_0101_0101
        let words = unsafe bytes.bytes
        while index + 8 <= bytes.count {
            // The bounds are checked, and every bit pattern is a valid integer.
            let word = unsafe UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            let mark = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let slash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let another = word ^ (ones &* UInt64(other))
            // Only the lowest set bit is used. Higher bits may be wrong, because the subtractions can borrow from a higher byte.
            let found =
                ((mark &- ones) & ~mark | (slash &- ones) & ~slash | (another &- ones) & ~another
                    | (word &- ones &* 0x20) & ~word) & (ones &* 0x80)
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte == other { break }
            index += 1
        }
        return index
    }
}

/// Creates a small gzip file (RFC 1952) that expands to many zero bytes.
///
/// The file is one block with fixed codes (RFC 1951 section 3.2.6), in which 13 bits encode a repetition of 258 bytes.
enum GzipBomb {
    static func bytes(zeros count: Int) -> [UInt8] {
        // The block has one literal zero, then repetitions of 258 zeros. Zeros that do not fill a repetition are omitted.
        let matches = (max(1, count) - 1) / 258
        let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<matches { bits += match }
        bits += [UInt8](repeating: 0, count: 7)
        let block = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 }
        }
        let length = UInt32(truncatingIfNeeded: 1 + matches * 258)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        return header + block + littleEndian(checksum(zeros: 1 + matches * 258)) + littleEndian(length)
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// CRC-32 of zeros (RFC 1952 section 8).
    private static func checksum(zeros count: Int) -> UInt32 {
        let table = (UInt32(0)..<256).map { index in
            var value = index
            for _ in 0..<8 {
                let isOdd = value & 1 == 1
                value >>= 1
                if isOdd { value ^= 0xEDB8_8320 }
            }
            return value
        }
        var value = UInt32.max
        for _ in 0..<count { value = table[Int(value & 0xFF)] ^ (value >> 8) }
        return ~value
    }
}

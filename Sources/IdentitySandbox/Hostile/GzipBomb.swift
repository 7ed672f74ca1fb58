/// A long run of zeros as gzip (RFC 1952): one block with fixed codes (RFC 1951 section 3.2.6), in which a match of 258
/// bytes has 13 bits.
enum GzipBomb {
    static func bytes(zeros count: Int) -> [UInt8] {
        // One literal zero, then matches; a remainder that does not fill a match is omitted.
        let matches = max(0, count - 1) / 258
        var writer = BitWriter()
        writer.append(0b1, count: 1)
        writer.append(0b01, count: 2)
        writer.appendCode(0x30, count: 8)
        for _ in 0..<matches {
            writer.appendCode(0b1100_0101, count: 8)
            writer.append(0, count: 5)
        }
        writer.appendCode(0, count: 7)
        let length = UInt32(truncatingIfNeeded: 1 + matches * 258)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        return header + writer.finished + littleEndian(checksum(zeros: 1 + matches * 258)) + littleEndian(length)
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

    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var pending: UInt32 = 0
        private var pendingCount = 0

        var finished: [UInt8] { pendingCount == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: pending)] }

        /// Writes bits from the lowest to the highest.
        mutating func append(_ bits: UInt32, count: Int) {
            pending |= bits << pendingCount
            pendingCount += count
            while pendingCount >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: pending))
                pending >>= 8
                pendingCount -= 8
            }
        }

        /// Writes a Huffman code from its highest bit.
        mutating func appendCode(_ code: UInt32, count: Int) {
            for position in (0..<count).reversed() { append(code >> position & 1, count: 1) }
        }
    }
}

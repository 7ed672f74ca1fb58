/// Bytes as lower-case hexadecimal digits.
package enum Hexadecimal {
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes[...]) }

    package static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
            var count = 0
            for byte in bytes {
                unsafe digits[count] = digit(byte >> 4)
                unsafe digits[count + 1] = digit(byte & 15)
                count += 2
            }
            return count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}

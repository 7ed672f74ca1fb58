/// Encodes and decodes base64 with an alphabet of RFC 4648; each character needs only one table look-up.
struct Base64Alphabet: Sendable {
    private static let invalid: UInt8 = 0xff

    private let characters: [UInt8]
    private let values: [UInt8]

    static let standard = Base64Alphabet(last: "+/")
    static let urlSafe = Base64Alphabet(last: "-_")

    private init(last: String) {
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(last.utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        self.values = values
    }

    func encode(_ bytes: UnsafeBufferPointer<UInt8>, padded: Bool) -> String {
        let count = padded ? (bytes.count + 2) / 3 * 4 : (bytes.count * 4 + 2) / 3
        return unsafe String(unsafeUninitializedCapacity: count) { output in
            unsafe encode(bytes, padded: padded, into: output)
        }
    }

    /// Writes the encoded characters into `output`, which must have room for them, and returns their number.
    func encode(
        _ bytes: UnsafeBufferPointer<UInt8>,
        padded: Bool,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        let groups = bytes.count / 3
        let rest = bytes.count % 3
        return unsafe characters.withUnsafeBufferPointer { characters in
            var position = 0
            func put(_ index: UInt32) {
                unsafe output[position] = unsafe characters[Int(index & 0x3f)]
                position += 1
            }
            for group in 0..<groups {
                let start = group * 3
                let word =
                    unsafe UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8
                    | UInt32(bytes[start + 2])
                put(word >> 18)
                put(word >> 12)
                put(word >> 6)
                put(word)
            }
            if rest > 0 {
                let second = rest == 2 ? unsafe UInt32(bytes[groups * 3 + 1]) : 0
                let word = unsafe UInt32(bytes[groups * 3]) << 16 | second << 8
                put(word >> 18)
                put(word >> 12)
                if rest == 2 { put(word >> 6) }
                while padded, position % 4 != 0 {
                    unsafe output[position] = UInt8(ascii: "=")
                    position += 1
                }
            }
            return position
        }
    }

    /// Decodes text without padding; nil for a character outside the alphabet, an impossible length, or unused bits that are not zero.
    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let groups = text.count / 4
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        let count = groups * 3 + (rest == 0 ? 0 : rest - 1)
        // The bitwise OR of all values. A value is below 64, and `invalid` is 0xff, so bit 7 shows a character outside the alphabet.
        var union: UInt32 = 0
        var unusedBits: UInt32 = 0
        var bytes = [UInt8].zeros(count)
        unsafe bytes.withUnsafeMutableBufferPointer { output in
            unsafe values.withUnsafeBufferPointer { values in
                func value(_ index: Int) -> UInt32 {
                    let value = unsafe UInt32(values[Int(text[index])])
                    union |= value
                    return value
                }
                for group in 0..<groups {
                    let start = group * 4
                    let word =
                        value(start) << 18 | value(start + 1) << 12 | value(start + 2) << 6 | value(start + 3)
                    unsafe output[group * 3] = UInt8(truncatingIfNeeded: word >> 16)
                    unsafe output[group * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
                    unsafe output[group * 3 + 2] = UInt8(truncatingIfNeeded: word)
                }
                if rest > 0 {
                    let start = groups * 4
                    var word = value(start) << 18 | value(start + 1) << 12
                    unsafe output[groups * 3] = UInt8(truncatingIfNeeded: word >> 16)
                    if rest == 3 {
                        word |= value(start + 2) << 6
                        unsafe output[groups * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
                        unusedBits = word & 0xff
                    } else {
                        unusedBits = word & 0xffff
                    }
                }
            }
        }
        return union & 0x80 == 0 && unusedBits == 0 ? bytes : nil
    }
}

/// Base64 with padding (RFC 4648 section 4), as HTTP Basic authentication uses it.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe Base64Alphabet.standard.encode($0, padded: true) }
    }

    /// Decodes padded base64; nil if the length is not a multiple of 4, a character is outside the alphabet, or unused bits are not zero.
    package static func decode(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { return nil }
        // `Base64Alphabet.decode` refuses a third padding sign, because "=" is not in the alphabet.
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") {
            characters.removeLast()
        }
        return unsafe characters.withUnsafeBufferPointer { unsafe Base64Alphabet.standard.decode($0) }
    }
}

/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), the encoding that JWS, JWK and PKCE use.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes[...])
    }

    package static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe Base64Alphabet.urlSafe.encode($0, padded: false) }
    }

    /// Encodes into memory that is wiped when it is released; no `String` with the secret is created.
    package static func encodeSecret(_ bytes: ArraySlice<UInt8>) -> SecretBytes {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe SecretBytes(count: (bytes.count * 4 + 2) / 3) { output in
                _ = unsafe Base64Alphabet.urlSafe.encode(bytes, padded: false, into: output.bindMemory(to: UInt8.self))
            }
        }
    }

    /// Encodes with padding, for third-party formats that require padding.
    package static func encodePadded(_ bytes: [UInt8]) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe Base64Alphabet.urlSafe.encode($0, padded: true) }
    }

    /// Decodes canonical base64url without padding; nil for any other text.
    ///
    /// If this function accepted padding or nonzero unused bits, several texts would decode to the same bytes. Different texts of one token
    /// would then all pass the check of the signature.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        if let decoded = text.withContiguousStorageIfAvailable({ unsafe Base64Alphabet.urlSafe.decode($0) }) {
            return decoded
        }
        return unsafe Array(text).withUnsafeBufferPointer { unsafe Base64Alphabet.urlSafe.decode($0) }
    }

    /// Decodes a slice of an array faster than the generic function.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        unsafe text.withUnsafeBufferPointer { unsafe Base64Alphabet.urlSafe.decode($0) }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        unsafe text.utf8.span.withUnsafeBufferPointer { unsafe Base64Alphabet.urlSafe.decode($0) }
    }
}

internal import IdentityCrypto

package enum RandomText {
    package static func hexadecimal(_ digits: Int) -> String {
        let alphabet = Array("0123456789abcdef".utf8)
        return String(decoding: bytes(digits).map { alphabet[Int($0 & 15)] }, as: UTF8.self)
    }

    /// Returns `count` random bytes as base64url.
    static func base64URL(_ count: Int) -> String {
        Base64URL.encode(bytes(count))
    }

    static func digits(_ count: Int) -> String {
        String(decoding: bytes(count).map { UInt8(ascii: "0") + $0 % 10 }, as: UTF8.self)
    }

    static func bytes(_ count: Int) -> [UInt8] {
        // If SecureRandom fails, Swift's generator is good enough: only the sandbox and identity-lab use these texts.
        (try? SecureRandom.bytes(count)) ?? (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
}

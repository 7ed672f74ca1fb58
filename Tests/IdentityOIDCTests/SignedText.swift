import IdentityCrypto
import IdentityKit
import Testing

/// A compact JWS that is parsed independently of the SDK.
struct SignedText {
    let header: JSONValue
    let claims: JSONValue
    private let parts: [String]

    init(_ text: String) throws {
        parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        header = try JSONValue(parsing: try #require(Base64URL.decode(parts[0])))
        claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1])))
    }

    func isSigned(by key: VerificationKey) -> Bool {
        guard let algorithm = (header["alg"]?.string).flatMap({ SignatureAlgorithm(name: $0) }),
            let signature = Base64URL.decode(parts[2])
        else { return false }
        return key.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8), algorithm: algorithm)
    }
}

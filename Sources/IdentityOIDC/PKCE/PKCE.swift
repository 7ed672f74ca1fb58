internal import IdentityCrypto
public import IdentityKit

/// A PKCE code verifier with its S256 challenge (RFC 7636); the method `plain` is not supported.
public struct PKCE: Sendable {
    /// The code verifier: 43 to 128 unreserved characters (section 4.1).
    public let verifier: Secret
    /// The code challenge: the SHA-256 of the verifier in base64url without padding (section 4.2).
    public let challenge: String

    /// Creates a code verifier of 43 characters from 32 random bytes.
    public init(randomBytes: [UInt8]) throws {
        try self.init(verifier: Base64URL.encode(randomBytes))
    }

    /// Uses a given code verifier, which the caller has checked.
    package init(verifier: String) throws {
        self.verifier = Secret(verifier)
        challenge = Base64URL.encode(try Digest.sha256(utf8: verifier))
    }
}

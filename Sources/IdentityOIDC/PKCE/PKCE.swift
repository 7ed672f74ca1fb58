internal import IdentityCrypto
package import IdentityKit

/// A PKCE verifier with its S256 challenge (RFC 7636); `plain` does not exist here.
package struct PKCE: Sendable {
    /// 43 characters of base64url, from 32 random bytes (section 4.1).
    package let verifier: Secret
    /// The base64url SHA-256 of the verifier, without padding (section 4.2).
    package let challenge: String

    /// A proof key from 32 random bytes.
    package init(randomBytes: [UInt8]) throws {
        try self.init(verifier: Base64URL.encode(randomBytes))
    }

    /// A proof key with a given verifier of 43 to 128 unreserved characters.
    package init(verifier: String) throws {
        self.verifier = Secret(verifier)
        challenge = Base64URL.encode(try Digest.sha256(Array(verifier.utf8)))
    }
}

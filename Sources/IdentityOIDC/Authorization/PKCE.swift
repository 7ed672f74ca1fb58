internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit

/// A PKCE code verifier with its S256 challenge (RFC 7636); the method `plain` is not supported.
public struct PKCE: Sendable {
    /// The code verifier: 43 to 128 unreserved characters (section 4.1).
    public let verifier: Secret
    /// The code challenge: the SHA-256 of the verifier in base64url without padding (section 4.2).
    public let challenge: String

    /// Creates a code verifier from random bytes; 32 bytes make 43 characters.
    ///
    /// - Throws: `IdentityError` for fewer than 32 or more than 96 bytes, or when the challenge cannot be computed.
    public init(randomBytes: [UInt8]) throws(IdentityError) {
        try self.init(randomBytes: randomBytes[...])
    }

    init(randomBytes: ArraySlice<UInt8>) throws(IdentityError) {
        guard (32...96).contains(randomBytes.count) else { throw Self.invalidVerifier }
        try self.init(unchecked: Secret(Base64URL.encodeSecret(randomBytes)))
    }

    /// Creates a value with a code verifier of the app.
    ///
    /// - Throws: `IdentityError` if the text does not have 43 to 128 unreserved characters (section 4.1), or when the challenge cannot be
    ///   computed.
    public init(verifier: String) throws(IdentityError) {
        try Self.check(verifier)
        try self.init(unchecked: Secret(verifier))
    }

    package static func check(_ verifier: String) throws(IdentityError) {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(ASCII.unreserved.contains) else {
            throw invalidVerifier
        }
    }

    private static var invalidVerifier: IdentityError {
        IdentityError(
            configuration: "The code verifier must have 43 to 128 characters: only ASCII letters, digits and - . _ ~.",
            hint:
                "To start a login, pass 32 to 96 bytes to PKCE(randomBytes:), or use generateCodeVerifier() of AuthClient. To request "
                + "tokens, pass the code verifier of the login unchanged.",
            reference: "RFC 7636 section 4.1"
        )
    }

    package init(unchecked verifier: Secret) throws(IdentityError) {
        self.verifier = verifier
        do { challenge = Base64URL.encode(try Digest.sha256(verifier.bytes)) } catch { throw .wrapping(error) }
    }
}

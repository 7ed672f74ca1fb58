internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// A new PKCE code verifier: 32 random bytes as 43 characters of base64url (RFC 7636 section 4.1).
    ///
    /// It is empty if the system returns no random bytes; every call that starts or completes a login refuses an empty one.
    public func generateCodeVerifier() -> String {
        let verifier = (try? newVerifier()) ?? ""
        state.withLock { $0.logins.recordVerifier(Secret(verifier), until: now + 600) }
        return verifier
    }

    func newVerifier() throws -> String { Base64URL.encode(try random.exactly(32)) }

    /// The S256 challenge of a verifier, without padding (RFC 7636 section 4.2); empty if OpenSSL fails.
    public func generateCodeChallenge(for codeVerifier: String) -> String {
        (try? PKCE(unchecked: codeVerifier).challenge) ?? ""
    }

    /// The same as ``generateCodeVerifier()``, with the name in Shopify's Customer Account guide.
    public func createCodeVerifier() -> String { generateCodeVerifier() }

    /// The same as ``generateCodeChallenge(for:)``, with the name in Shopify's Customer Account guide.
    public func codeChallenge(for verifier: String) -> String { generateCodeChallenge(for: verifier) }

    /// A random text, for the `state` of an authorization URL that the app builds itself.
    ///
    /// Its characters are letters, digits, `-` and `_`, with 6 random bits each: 36 characters, as on Shopify's pages, have 216 bits. The
    /// app stores the state and compares it with the callback's. ``buildAuthorizationUrl(options:)`` and
    /// ``handleCallback(url:)`` do this for it.
    ///
    /// - Parameter length: The number of characters.
    /// - Returns: The text; empty if `length` is not positive, or if the system returns no random bytes.
    public func generateRandomString(length: Int) -> String {
        guard length > 0, let bytes = try? random.exactly(length) else { return "" }
        return String(Base64URL.encode(bytes).prefix(length))
    }

    /// The same as ``generateRandomString(length:)``, with the name in Shopify's Customer Account guide.
    public func randomString(length: Int) -> String { generateRandomString(length: length) }
}

internal import FoundationEssentials
internal import IdentityKit

/// A client secret that the client makes itself: a JWT, signed with a key of the client's owner, as Sign in with Apple requires.
///
/// Each request has a new secret, which expires 270 seconds later. Without this type, somebody must replace the secret before it expires:
/// Apple permits a lifetime of at most six months.
///
/// ```swift
/// let key = try ClientKey(pem, keyID: "ABC123DEFG", algorithm: "ES256")
/// let secret = SignedClientSecret(key: key, issuer: "TEAM123456", audience: "https://appleid.apple.com")
/// configuration.authentication = .signedSecretPost(secret)
/// ```
public struct SignedClientSecret: Sendable {
    private let key: ClientKey
    private let issuer: String
    private let audience: String

    /// Creates a secret that is signed at each use; create `key` with the `keyID` that the provider assigned to the key.
    ///
    /// At Apple, `issuer` (`iss`) is the team identifier, and `audience` (`aud`) is `https://appleid.apple.com`.
    public init(key: ClientKey, issuer: String, audience: String) {
        self.key = key
        self.issuer = issuer
        self.audience = audience
    }

    /// The secret for one request; `iat` is 30 seconds in the past, in case this machine's clock runs ahead.
    func secret(for clientID: String, at now: Date) throws(IdentityError) -> String {
        let issuedAt = Int(now.timeIntervalSince1970) - 30
        let claims: JSONObject = [
            "iss": .string(issuer), "iat": .integer(issuedAt), "exp": .integer(issuedAt + 300),
            "aud": .string(audience), "sub": .string(clientID),
        ]
        return try key.sign(claims, offered: nil)
    }
}

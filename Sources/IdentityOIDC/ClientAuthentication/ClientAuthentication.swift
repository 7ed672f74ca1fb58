public import IdentityKit

/// How a client authenticates at the authorization server (RFC 6749 section 2.3).
///
/// The configured method is always used. The methods in the provider's metadata never change it, because they are often wrong, and
/// an attacker could list a weaker method.
public enum ClientAuthentication: Sendable {
    /// A public client: `client_id` in the body, no authentication.
    case none
    /// A secret in the `Authorization` header (RFC 6749 section 2.3.1).
    case secretBasic(Secret, encoding: BasicCredentialEncoding = .formEncoded)
    /// A secret in the body, as `client_secret`.
    case secretPost(Secret)
    /// A signed JWT as the secret in the body, as Sign in with Apple requires; the client signs a new JWT for every request.
    case signedSecretPost(SignedClientSecret)
    /// A new assertion for every request, signed with the client's key (OpenID Connect Core section 9, RFC 7523).
    case privateKeyJWT(ClientKey, audience: AssertionAudience = .issuer)

    /// The audience (`aud`) of an assertion.
    public enum AssertionAudience: String, Sendable, CaseIterable {
        /// The issuer identifier, as draft-ietf-oauth-rfc7523bis requires: a server with another issuer must refuse the assertion.
        case issuer
        /// The token endpoint's URL, even in requests to other endpoints; for providers that require it (OpenID Connect Core section 9).
        ///
        /// Register a separate client key at each provider. Otherwise a malicious provider can name another provider's token endpoint in
        /// its metadata, receive an assertion for that endpoint, and use the assertion at the other provider.
        case tokenEndpoint
    }

    /// How client id and secret are encoded in Basic credentials.
    public enum BasicCredentialEncoding: Sendable {
        /// Client id and secret are form-encoded before the base64 encoding, as RFC 6749 section 2.3.1 requires.
        case formEncoded
        /// Client id and secret are not form-encoded, for providers that do not decode them.
        case verbatimForNonconformingProvider
    }

    /// The method's name in the specifications, for example `client_secret_basic`.
    public var name: String {
        switch self {
        case .none: "none"
        case .secretBasic: "client_secret_basic"
        case .secretPost, .signedSecretPost: "client_secret_post"
        case .privateKeyJWT: "private_key_jwt"
        }
    }
}

public import IdentityKit

/// How a client proves to the authorization server who it is.
///
/// The method is the operator's choice and never changes by itself: not to what the metadata list, which is often wrong, and
/// least of all to a weaker one.
public enum ClientAuthentication: Sendable {
    /// A public client: no proof, `client_id` in the body.
    case none
    /// A secret in the `Authorization` header (RFC 6749 section 2.3.1).
    case secretBasic(Secret, encoding: BasicCredentialEncoding = .formEncoded)
    /// A secret in the body, as `client_secret`.
    case secretPost(Secret)
    /// An assertion signed with the client's own key, made anew for every request (OpenID Connect Core section 9, RFC 7523).
    case privateKeyJWT(ClientKey, audience: AssertionAudience = .issuer)

    /// What an assertion names as its only audience (`aud`).
    public enum AssertionAudience: String, Sendable, CaseIterable {
        /// The issuer identifier, as draft-ietf-oauth-rfc7523bis demands: no other server can use the assertion.
        case issuer
        /// The token endpoint's URL, at every endpoint: for providers that require it (OpenID Connect Core section 9).
        ///
        /// A malicious provider can name another provider's token endpoint in its metadata and then use the assertion there. Give each
        /// provider a client key of its own.
        case tokenEndpoint
    }

    /// How id and secret are written into Basic credentials.
    public enum BasicCredentialEncoding: Sendable {
        /// Form-encoded first, as RFC 6749 section 2.3.1 says.
        case formEncoded
        /// As they are, for providers that do not decode them.
        case verbatimForNonconformingProvider
    }

    /// The words of the specifications for it.
    public var name: String {
        switch self {
        case .none: "none"
        case .secretBasic: "client_secret_basic"
        case .secretPost: "client_secret_post"
        case .privateKeyJWT: "private_key_jwt"
        }
    }
}

public import IdentityKit

/// Which of the grants a token request makes; what went wrong means different things for each.
package enum TokenGrant: Sendable {
    /// An authorization code (RFC 6749 section 4.1.3).
    case authorizationCode
    /// A refresh token (RFC 6749 section 6).
    case refreshToken
    /// A device code (RFC 8628 section 3.4).
    case deviceCode
}

/// How a client proves to the token endpoint who it is.
public enum ClientAuthentication: Sendable {
    /// A public client: no proof, `client_id` in the body.
    case none
    /// A secret in the `Authorization` header (RFC 6749 section 2.3.1).
    case secretBasic(Secret, encoding: BasicCredentialEncoding = .formEncoded)
    /// A secret in the body, as `client_secret`.
    case secretPost(Secret)

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
        }
    }
}

extension SandboxOpenIDConfiguration {
    /// The support for a feature of OAuth.
    public enum Feature: String, Sendable, CaseIterable {
        /// The metadata do not list the feature, and the provider ignores it.
        case off
        /// The metadata list the feature, and clients may use it.
        case accepted
        /// The metadata list the feature, and requests without it are refused.
        case required
    }

    /// Whether DPoP proofs must contain a nonce (RFC 9449 section 8).
    public enum DPoPNonce: Sendable, Equatable {
        /// Proofs need no nonce.
        case none
        /// The provider has one current nonce, and refuses a proof without it with `use_dpop_nonce`.
        ///
        /// ``SandboxOpenID/expireDPoPNonces()`` replaces the nonce.
        case demanded
        /// Each response of the token, pushed-request and userinfo endpoints has a new nonce, which is accepted once.
        ///
        /// A proof with another nonce, or with a nonce that was used before, is refused with `use_dpop_nonce`.
        case rotating
    }

    /// How a client authenticates, by the names of `token_endpoint_auth_methods_supported`.
    public enum ClientAuthentication: String, Sendable, CaseIterable {
        /// No authentication: a public client, which sends its `client_id` and must use PKCE.
        case none = "none"
        /// HTTP Basic; id and secret are form-encoded first (RFC 6749 section 2.3.1).
        case clientSecretBasic = "client_secret_basic"
        /// `client_id` and `client_secret` in the form.
        case clientSecretPost = "client_secret_post"
        /// A JWT signed with the client's private key (RFC 7523, OpenID Connect Core section 9).
        case privateKeyJWT = "private_key_jwt"
    }

    /// The methods that at least one client may use.
    var permittedAuthentication: [ClientAuthentication] {
        ClientAuthentication.allCases.filter { method in
            clients.contains { $0.permittedAuthentication.contains(method) }
        }
    }
}

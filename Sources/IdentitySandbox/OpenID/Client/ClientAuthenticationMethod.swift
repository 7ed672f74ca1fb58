extension SandboxOpenIDConfiguration {
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

    var permittedAuthentication: [ClientAuthentication] {
        ClientAuthentication.allCases.filter { method in
            clients.contains { $0.permittedAuthentication.contains(method) }
        }
    }
}

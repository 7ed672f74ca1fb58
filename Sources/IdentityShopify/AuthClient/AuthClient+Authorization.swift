internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// The shop's authorization and token endpoints, from its discovery document or the configuration.
    ///
    /// ``buildAuthorizationUrl(options:)`` and the token requests find them on their own. This call is for an app that builds its
    /// authorization URL itself.
    ///
    /// - Returns: The two URLs, whose hosts were checked.
    /// - Throws: `IdentityError` when discovery fails, or when an endpoint is missing.
    public func discoverAuthEndpoints() async throws -> (authorizationEndpoint: String, tokenEndpoint: String) {
        try await Correlation.scope {
            let metadata = try await provider().client.metadata()
            guard let authorization = metadata.authorizationEndpoint, let token = metadata.tokenEndpoint else {
                throw IdentityError(
                    .configuration,
                    .unsupportedByProvider,
                    "The shop's metadata lack the authorization endpoint, the token endpoint or both.",
                    hint: "Check shopDomain, or set endpoints in the provider's configuration.",
                    reference: "OpenID Connect Discovery section 3"
                )
            }
            return (authorization.text, token.text)
        }
    }

    /// Starts a login with a code verifier that the client creates.
    ///
    /// - Parameter options: Options of Shopify's page; see ``ShopifyLoginOptions``.
    /// - Returns: The page to show to the buyer.
    /// - Throws: `IdentityError`.
    public func buildAuthorizationUrl(options: LoginOptions = LoginOptions()) async throws -> String {
        try await buildAuthorizationUrl(codeVerifier: try newVerifier(), options: options)
    }

    /// Starts a login with a code verifier from ``generateCodeVerifier()``.
    ///
    /// - Parameters:
    ///   - codeVerifier: The verifier; only its challenge is in the URL.
    ///   - options: Options of Shopify's page; see ``ShopifyLoginOptions``.
    /// - Returns: The page to show to the buyer.
    /// - Throws: `IdentityError`, also for a verifier that is not 43 to 128 unreserved characters.
    public func buildAuthorizationUrl(
        codeVerifier: String,
        options: LoginOptions = LoginOptions()
    ) async throws -> String {
        try await begin(codeVerifier: codeVerifier, options: options).url.text
    }

    func begin(codeVerifier: String, options: LoginOptions) async throws -> AuthorizationRequest {
        try await Correlation.scope {
            let request = try await provider().authorizationRequest(
                options,
                pkce: try PKCE(verifier: codeVerifier)
            )
            state.withLock { $0.logins.add(request.attempt, at: now) }
            return request
        }
    }
}

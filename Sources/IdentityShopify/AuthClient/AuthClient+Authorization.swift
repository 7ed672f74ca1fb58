internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// The shop's authorization and token endpoints, from its discovery document or the configuration.
    ///
    /// ``buildAuthorizationUrl(options:)`` and the functions that request tokens find the endpoints themselves. Call this function only
    /// if the app builds its authorization URL itself.
    ///
    /// - Returns: The two URLs. The host of a discovered URL was checked against `endpointHosts`; the host of a configured URL was not.
    /// - Throws: `IdentityError` when the configuration is invalid, when discovery fails, or when an endpoint is missing.
    public func discoverAuthEndpoints() async throws -> (authorizationEndpoint: String, tokenEndpoint: String) {
        try await Correlation.scope {
            let metadata = try await provider().client.metadata()
            guard let authorization = metadata.authorizationEndpoint, let token = metadata.tokenEndpoint else {
                throw IdentityError(
                    unsupported: "The shop's metadata lack the authorization endpoint, the token endpoint or both.",
                    hint: "Check shopDomain, shopID and endpoints in the provider's configuration.",
                    reference: "OpenID Connect Discovery 1.0 section 3"
                )
            }
            return (authorization.text, token.text)
        }
    }

    /// Starts a login with a code verifier that the client creates.
    ///
    /// - Parameter options: Options of Shopify's login page; see ``ShopifyLoginOptions``.
    /// - Returns: The URL of the login page, which the app shows to the buyer.
    /// - Throws: `IdentityError`, of kind `cancelled` if the app calls ``logout(idToken:)`` during the call.
    public func buildAuthorizationUrl(options: LoginOptions = LoginOptions()) async throws -> String {
        try await buildAuthorizationUrl(codeVerifier: try newVerifier(), options: options)
    }

    /// Starts a login with a code verifier from ``generateCodeVerifier()``.
    ///
    /// - Parameters:
    ///   - codeVerifier: The verifier; only its challenge is in the URL.
    ///   - options: Options of Shopify's login page; see ``ShopifyLoginOptions``.
    /// - Returns: The URL of the login page, which the app shows to the buyer.
    /// - Throws: `IdentityError`, for example if the verifier does not consist of 43 to 128 unreserved characters; of kind `cancelled` if
    ///   the app calls ``logout(idToken:)`` during the call.
    public func buildAuthorizationUrl(
        codeVerifier: String,
        options: LoginOptions = LoginOptions()
    ) async throws -> String {
        try await begin(codeVerifier: codeVerifier, options: options, since: logouts).url.text
    }

    func begin(
        codeVerifier: String,
        options: LoginOptions,
        since logouts: Int
    ) async throws -> AuthorizationRequest {
        try await Correlation.scope {
            let (provider, pkce) = (try provider(), try PKCE(verifier: codeVerifier))
            let request = try await provider.client.authorizationRequest(
                try await provider.checked(options),
                pkce: .own(pkce)
            )
            let isCurrent = state.withLock { state in
                guard state.logouts == logouts else { return false }
                state.logins.add(request.attempt, at: now)
                return true
            }
            guard isCurrent else { throw Self.signedOut }
            return request
        }
    }

    /// Creates a PKCE code verifier: 32 random bytes as 43 characters of base64url (RFC 7636 section 4.1).
    ///
    /// If the system returns no random bytes, the verifier is empty. The functions that start a login or exchange a code with a verifier
    /// throw an error for an empty verifier.
    public func generateCodeVerifier() -> String {
        let verifier = (try? newVerifier()) ?? ""
        state.withLock { $0.logins.recordVerifier(Secret(verifier), until: now + 600) }
        return verifier
    }

    func newVerifier() throws -> String { Base64URL.encode(try random.exactly(32)) }

    /// The S256 challenge of a verifier, without padding (RFC 7636 section 4.2); empty if OpenSSL fails.
    public func generateCodeChallenge(for codeVerifier: String) -> String {
        (try? PKCE(unchecked: Secret(codeVerifier)).challenge) ?? ""
    }

    /// The same as ``generateCodeVerifier()``, with the name in Shopify's Customer Account guide.
    public func createCodeVerifier() -> String { generateCodeVerifier() }

    /// The same as ``generateCodeChallenge(for:)``, with the name in Shopify's Customer Account guide.
    public func codeChallenge(for verifier: String) -> String { generateCodeChallenge(for: verifier) }

    /// Creates a random text, for the `state` of an authorization URL that the app builds itself.
    ///
    /// Each character is a letter, a digit, `-` or `_`, and has 6 random bits: 36 characters, as on Shopify's pages, have 216 bits. The
    /// app must store this state and compare it with the `state` of the callback. An app that calls ``buildAuthorizationUrl(options:)`` and
    /// ``handleCallback(url:)`` does not call this function.
    ///
    /// - Returns: A text of `length` characters; empty if `length` is not positive, or if the system returns no random bytes.
    public func generateRandomString(length: Int) -> String {
        guard length > 0, let bytes = try? random.exactly(length) else { return "" }
        return String(Base64URL.encode(bytes).prefix(length))
    }

    /// The same as ``generateRandomString(length:)``, with the name in Shopify's Customer Account guide.
    public func randomString(length: Int) -> String { generateRandomString(length: length) }
}

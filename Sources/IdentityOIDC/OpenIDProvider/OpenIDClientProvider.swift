public import IdentityHTTP
public import IdentityKit

/// An identity provider that is built on ``OpenIDClient``.
///
/// A conforming type provides its client, and overrides the members in which its provider differs:
///
/// ```swift
/// struct ExampleProvider: OpenIDClientProvider {
///     let client: OpenIDClient
/// }
/// ```
///
/// Optional features need no code either. Declare conformance to the protocols of the features that the provider offers:
/// `BuyerProfileProviding` and `UserInfoProviding` (UserInfo), `LogoutStateSupporting`, `BackChannelLogoutSupporting`, `TokenRevoking`,
/// `DeviceAuthorizing` and `ResourceAuthorizing`.
public protocol OpenIDClientProvider: IdentityProvider, JournaledRefreshing, KeySetStateProviding {
    /// The client that does the work.
    var client: OpenIDClient { get }
}

/// Each method calls the method of the same name of ``OpenIDClientProvider/client``.
extension OpenIDClientProvider {
    /// The provider's description for the app: its name, kind, client id and other settings.
    public var descriptor: ProviderDescriptor { client.descriptor }

    /// The state of the provider's keys in this process.
    public var keySetState: KeySetState { client.keySource.state }

    /// Starts a login.
    ///
    /// - Throws: `IdentityError`, of kind `configuration` if the scopes do not contain `openid`.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        let client = client
        guard client.requestsOpenID(options) else { throw OpenIDClient.scopesWithoutOpenID }
        return try await client.authorizationRequest(options)
    }

    /// Completes a login: checks the callback, exchanges the code, validates the ID token.
    ///
    /// A code can be used only once, so the login must start again after a failed exchange.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await client.exchange(callback, for: attempt)
    }

    /// Before a refresh, loads the metadata and, if the tokens contain an ID token, the keys into memory.
    public func prepareRefresh(of tokens: TokenSet) async throws {
        try await client.prepareRefresh(of: tokens)
    }

    /// Sends the refresh token and returns the response before it is validated; see `JournaledRefreshing` in IdentityKit.
    ///
    /// - Throws: `RefreshRefusal` when the request fails, or when the status of the response is neither 200 nor 201.
    public func requestRefresh(
        of tokens: TokenSet,
        under lock: HeldLock
    ) async throws(RefreshRefusal) -> RefreshResponse {
        try await client.requestRefresh(of: tokens, under: lock)
    }

    /// Validates the response to a refresh and returns the new tokens.
    public func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        try await client.tokens(from: response, refreshing: tokens)
    }

    /// The end-session URL; nil if the provider has no end-session endpoint, or if another issuer issued the tokens.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        try await client.logoutURL(for: tokens, returningTo: postLogoutRedirectURI)
    }
}

extension OpenIDClientProvider where Self: LogoutStateSupporting {
    /// The end-session URL with a `state` that the provider returns; nil if the provider has no end-session endpoint, or if
    /// another issuer issued the tokens.
    public func logoutURL(
        for tokens: TokenSet,
        returningTo postLogoutRedirectURI: String,
        state: Secret
    ) async throws -> HTTPURL? {
        try await client.logoutURL(for: tokens, returningTo: postLogoutRedirectURI, state: state)
    }
}

extension OpenIDClientProvider where Self: BackChannelLogoutSupporting {
    /// Validates a logout token of this provider for this client (OpenID Connect Back-Channel Logout 1.0 section 2.6).
    public func validate(logoutToken: Secret) async throws -> LogoutTokenClaims {
        try await client.validate(logoutToken: logoutToken)
    }
}

extension OpenIDClientProvider where Self: TokenRevoking {
    /// Revokes the refresh token; the provider should then invalidate the access token too.
    ///
    /// Without a refresh token, the access token is revoked.
    ///
    /// - Returns: Whether the provider revoked the token. False if the provider has no revocation endpoint, or if there is only an
    ///   access token and the provider does not revoke it.
    /// - Throws: `IdentityError`, also if the provider does not revoke refresh tokens; the function then first tries to revoke the access
    ///   token.
    @discardableResult
    public func revoke(_ tokens: TokenSet) async throws -> Bool {
        try await client.revoke(tokens)
    }
}

extension OpenIDClientProvider where Self: BuyerProfileProviding {
    /// Requests UserInfo; returns the buyer of the login if the provider has no UserInfo endpoint.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        try await client.buyerProfile(for: tokens)
    }
}

extension OpenIDClientProvider where Self: UserInfoProviding {
    /// Asks the UserInfo endpoint for all claims (OpenID Connect Core section 5.3).
    public func userInfo(for tokens: TokenSet) async throws -> UserInfoClaims {
        try await client.userInfo(for: tokens)
    }
}

extension OpenIDClientProvider where Self: DeviceAuthorizing {
    /// Requests a code that the buyer enters on another device (RFC 8628 section 3.1).
    ///
    /// - Throws: `IdentityError`; with code `unsupported_by_provider` if the provider has no device authorization endpoint.
    public func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization {
        try await client.deviceAuthorization(options)
    }

    /// Asks the provider once for the tokens of a device code (RFC 8628 section 3.4).
    public func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll {
        try await client.poll(authorization)
    }
}

extension OpenIDClientProvider where Self: ResourceAuthorizing {
    /// The headers that present a session's access token with one request to a resource server; see
    /// ``OpenIDClient/authorizationHeaders(for:_:with:)``.
    public func authorizationHeaders(
        for method: HTTPMethod,
        _ url: HTTPURL,
        with tokens: TokenSet
    ) throws -> HTTPHeaders {
        try client.authorizationHeaders(for: method, url, with: tokens)
    }

    /// Reads a resource server's response, and says whether to send the same request once more with new headers.
    public func shouldRepeat(
        _ sent: HTTPHeaders,
        answeredWith status: Int,
        _ headers: HTTPHeaders,
        from url: HTTPURL
    ) -> Bool {
        client.shouldRepeat(sent, answeredWith: status, headers, from: url)
    }
}

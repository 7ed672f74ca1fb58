public import IdentityHTTP
public import IdentityKit
public import IdentityOIDC

/// A client at Bolt: single sign-on with Bolt's token endpoint, and the buyer's Bolt account.
///
/// ```swift
/// let provider = try BoltProvider(
///     BoltProvider.Configuration(
///         name: "bolt", environment: .sandbox, publishableKey: publishableKey,
///         authentication: .confidential(apiKey: apiKey)
///     ),
///     environment: environment
/// )
/// ```
///
/// The ID token of a login is always validated. Each refresh token works once. A refresh requests only the permission to read the buyer's
/// account, unless Bolt named other scopes for the refresh token. Without the scope to change the account, `TokenSet.canWrite` is false.
public struct BoltProvider: OpenIDClientProvider, BuyerProfileProviding, CartClaimProviding {
    /// The OpenID client that sends the requests and validates the tokens.
    public let client: OpenIDClient
    private let environment: IdentityEnvironment
    private let account: BoltAccountClient?
    private let checkedAttempts = CheckedAttempts()

    /// Creates a provider; it sends no request.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        let resolved = try ResolvedBoltConfiguration(configuration)
        self.environment = environment
        client = try OpenIDClient(
            Self.openID(configuration, resolved),
            quirks: BoltQuirks(configuration, publishableKey: resolved.publishableKey),
            environment: environment
        )
        account =
            try resolved.apiKey == nil
            ? nil
            : BoltAccountClient(
                url: resolved.endpoint("/v1/account"),
                keys: resolved.headers,
                httpClient: ProviderHTTPClient(
                    environment: environment,
                    timeout: configuration.timeout,
                    allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
                    configured: [resolved.apiBase]
                )
            )
    }

    private static func openID(
        _ configuration: Configuration,
        _ resolved: ResolvedBoltConfiguration
    ) throws -> OpenIDClient.Configuration {
        var openID = OpenIDClient.Configuration(
            configuration,
            kind: "bolt",
            issuer: resolved.issuers.first ?? "",
            clientID: configuration.clientIDForm.clientID(of: resolved.publishableKey)
        )
        openID.issuerMembers = ["issuers"]
        openID.acceptedIssuers = .exactly(resolved.issuers)
        openID.authentication = resolved.apiKey.map { .secretPost($0) } ?? .none
        openID.clientType = configuration.authentication.name
        openID.algorithms = ["RS256"]
        openID.endpoints = try resolved.endpoints(configuration.endpoints)
        openID.discovery.isEnabled = configuration.endpoints.discovery != nil
        openID.tokenRequestHeaders = resolved.headers
        return openID
    }

    /// Always nil, because Bolt documents no page that ends its session.
    ///
    /// To end Bolt's session, the app must call `logOut()` of Bolt's SDK on the buyer's device.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        nil
    }

    /// Requests the buyer's name, e-mail address, phone number and addresses from Bolt's account API; the preferred address is the first.
    ///
    /// If the provider has no API key, or if the tokens do not permit reading the account, the function returns the buyer of the ID token.
    ///
    /// - Throws: `IdentityError`; with code `access_token_refused` when Bolt rejects the access token.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        guard let account, tokens.isGranted(BoltScope.view) || tokens.isGranted(BoltScope.manage) else {
            return tokens.buyer
        }
        try client.checkIssuer(of: tokens)
        return try await account.buyer(for: tokens)
    }

    /// The buyer's contact data for the cart, because a Shopify cart does not accept Bolt's access token.
    ///
    /// If the Bolt account cannot be read, the cart claim contains the contact data of the ID token.
    ///
    /// - Throws: `IdentityError` in two cases: with code `access_token_refused` when Bolt rejects the access token, and of kind `cancelled`
    ///   when the task is cancelled.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        var buyer = tokens.buyer
        do {
            buyer = try await buyerProfile(for: tokens)
        } catch {
            let error = IdentityError.wrapping(error)
            guard error.code != .accessTokenRefused, error.kind != .cancelled else { throw error }
        }
        return BoltCartClaim.make(buyer, orElse: tokens.buyer)
    }

    /// Checks that the tokens may change the buyer's account.
    ///
    /// - Throws: `IdentityError` with code `insufficient_scope` of kind `signInAgain`.
    public func requireWrite(_ tokens: TokenSet) throws(IdentityError) {
        guard tokens.canWrite else {
            throw IdentityError(
                .signInAgain,
                .insufficientScope,
                "These tokens do not permit changes of the buyer's Bolt account.",
                hint:
                    "Check that scopes of the Bolt configuration contain \(BoltScope.manage). Then let the buyer sign in again: "
                    + "the tokens of a refresh may permit only reading the account.",
                reference: "help.bolt.com/developers/bolt-oauth"
            )
        }
    }
}

extension BoltProvider: BoltAuthorizing {
    /// Creates the authorization request of a login; `usePkce`, and not the configuration, decides whether the login uses PKCE.
    ///
    /// - Throws: `IdentityError`; of kind `configuration` if `usePkce` is false and the provider has no API key.
    public func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest {
        guard usePkce || account != nil else { throw Self.withoutKeyAndPKCE }
        return try await client.authorizationRequest(options, pkce: usePkce ? .newVerifier : .disabled)
    }

    /// Checks a callback and returns its authorization code without exchanging it.
    ///
    /// The provider keeps the login's redirect URI and nonce for ``exchange(_:)``, at least until the code has expired.
    ///
    /// - Throws: `IdentityError`; of kind `retryLater` if the provider already keeps too many logins.
    public func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        let code = try await client.authorizationCode(in: callback, for: attempt)
        try checkedAttempts.add(attempt, at: environment.clock.now)
        return code
    }

    /// Exchanges a code from a phone or from ``BoltCheckout``; see ``exchange(_:redirectURI:)``.
    ///
    /// If this provider has checked the login's callback, as for ``BoltCheckout`` and ``BoltLoginFlow``, the token request contains the
    /// redirect URI of the authorization request. If that authorization request had a nonce, the ID token must have the same nonce.
    ///
    /// For any other login, the token request contains the configured redirect URI, if any, and no nonce is checked.
    public func exchange(_ result: BoltLoginResult) async throws -> TokenSet {
        let (code, attempt) = try login(result)
        return try await client.exchange(code: code, for: attempt)
    }

    /// Exchanges a code from a phone; store the tokens with `SessionManager.establish`.
    ///
    /// The phone created the state, so the server cannot check it. Accept a result only from a phone that is signed in to the app's own
    /// backend, or that sends the id of a login that the backend has started. Otherwise an attacker can send the code of the attacker's own
    /// login in another person's name, and that person then uses the attacker's account.
    ///
    /// `redirectURI` is the redirect URI of the authorization request; nil if the request had no redirect URI.
    ///
    /// - Throws: `IdentityError`; of kind `cancelled` for a login that was cancelled; of kind `configuration` for a login without PKCE if
    ///   the provider has no API key.
    public func exchange(_ result: BoltLoginResult, redirectURI: String?) async throws -> TokenSet {
        var (code, attempt) = try login(result)
        attempt.redirectURI = redirectURI
        return try await client.exchange(code: code, for: attempt)
    }

    /// The error for a login whose code Bolt would not exchange: without an API key, only the code verifier proves who sends the code.
    private static var withoutKeyAndPKCE: IdentityError {
        IdentityError(
            configuration: "The login does not use PKCE, so the provider needs Bolt's API key, but has none.",
            hint:
                "Set usePkce of BoltLoginConfig to true. If the login runs in an app on a phone, set it there. Or set apiKey in the "
                + "provider's configuration (in Swift: authentication).",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login"
        )
    }

    private func login(_ result: BoltLoginResult) throws(IdentityError) -> (code: Secret, attempt: LoginAttempt) {
        let login = try result.completedLogin()
        guard login.codeVerifier != nil || account != nil else { throw Self.withoutKeyAndPKCE }
        let now = environment.clock.now
        var attempt =
            checkedAttempts.attempt(login.state)
            ?? LoginAttempt(
                provider: descriptor.name,
                state: login.state,
                redirectURI: descriptor.redirectURI,
                scopes: client.configuration.scopes,
                createdAt: now,
                expiresAt: now
            )
        attempt.codeVerifier = login.codeVerifier
        return (login.code, attempt)
    }
}

internal import FoundationEssentials
public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

/// A client at Bolt: single sign-on by Bolt's token endpoint, and the buyer's account.
///
/// Endpoints follow from the environment. The ID token is always verified. A refreshed token only reads
/// (`IdentityKit.TokenSet.canWrite`), and each refresh token works once.
public struct BoltProvider: IdentityProvider, JournaledRefreshing, BuyerProfileProviding, CartClaimProviding {
    private let client: OpenIDClient
    private let account: BoltAccountClient?

    /// Creates a provider; nothing is asked over the network yet.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        let setup = try ResolvedBoltConfiguration(configuration)
        if let redirectURI = configuration.redirectURI { try RedirectURI.check(redirectURI) }
        let endpoints = configuration.endpoints
        let configured = [setup.apiBase, endpoints.discovery, endpoints.authorization, endpoints.token, endpoints.jwks]
        let httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: configured
        )
        let dialect = BoltDialect.make(configuration, setup)
        var source = MetadataSource.Configuration(discoveryURL: endpoints.discovery, issuers: dialect.issuers)
        source.configured = try setup.metadata(endpoints)
        client = OpenIDClient(
            descriptor: ProviderDescriptor(
                name: configuration.name,
                kind: "bolt",
                clientID: configuration.clientIDForm.clientID(of: setup.publishableKey),
                redirectURI: configuration.redirectURI,
                tenant: configuration.tenant,
                clientType: configuration.authentication.name,
                timeout: configuration.timeout
            ),
            scopes: configuration.scopes,
            authentication: setup.apiKey.map { .secretPost($0) } ?? .none,
            dialect: dialect,
            metadataSource: MetadataSource(source, httpClient: httpClient),
            httpClient: httpClient
        )
        account =
            try setup.apiKey == nil
            ? nil
            : BoltAccountClient(
                url: setup.endpoint("/v1/account"),
                keys: BoltDialect.headers(setup),
                httpClient: httpClient
            )
    }

    /// Name, kind and client.
    public var descriptor: ProviderDescriptor { client.descriptor }

    /// Begins a login.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await client.authorizationRequest(options)
    }

    /// Ends a login; the code may come as `code` or `authorization_code`.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await client.exchange(callback, for: attempt)
    }

    /// Spends the refresh token; what comes back only reads, whatever the old token could do.
    public func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        try await client.refresh(tokens)
    }

    /// Fetches metadata and keys, where that is still to be done.
    public func prepareRefresh(of tokens: TokenSet) async throws {
        try await client.prepareRefresh(of: tokens)
    }

    /// Sends the refresh token and hands over what came back, before it is judged.
    ///
    /// - Parameters:
    ///   - tokens: The session's tokens.
    ///   - hold: The session's lock; see `JournaledRefreshing` in IdentityKit.
    public func requestRefresh(
        of tokens: TokenSet,
        under hold: SessionHold
    ) async throws(RefreshRefusal) -> RefreshAnswer {
        try await client.requestRefresh(of: tokens, under: hold)
    }

    /// Judges the answer to a refresh.
    public func tokens(from answer: RefreshAnswer, refreshing tokens: TokenSet) async throws -> TokenSet {
        try await client.tokens(from: answer, refreshing: tokens)
    }

    /// Nil: Bolt has no page that ends its session.
    ///
    /// The app also has to call `logOut()` of Bolt's SDK on the buyer's device.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        nil
    }

    /// The buyer's account: names, phone, addresses with the preferred one first.
    ///
    /// Without an API key, or without a scope that may read the account, it is what the ID token said.
    ///
    /// - Throws: `IdentityError` with code `access_token_refused` when Bolt no longer accepts the access token.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        guard let account, tokens.isGranted(BoltScope.view) || tokens.isGranted(BoltScope.manage) else {
            return tokens.buyer
        }
        return try await account.buyer(for: tokens)
    }

    /// Contact fields for a guest's cart: a Bolt token never signs anybody in at Shopify.
    ///
    /// An account that cannot be had leaves what the ID token said.
    ///
    /// - Throws: `IdentityError` with code `access_token_refused`, or when cancelled.
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

    /// Makes sure that the tokens may change the buyer's account.
    ///
    /// - Throws: `IdentityError` with code `insufficient_scope` of kind `signInAgain`.
    public func requireWrite(_ tokens: TokenSet) throws(IdentityError) {
        guard tokens.canWrite else {
            throw IdentityError(
                .signInAgain,
                .insufficientScope,
                "These tokens may only read the buyer's Bolt account.",
                hint: "A refresh takes the right to write away; let the buyer sign in again.",
                reference: "help.bolt.com/developers/bolt-oauth"
            )
        }
    }
}

extension BoltProvider: BoltAuthorizing {
    /// Begins a login with or without PKCE, whatever is configured.
    public func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest {
        var client = client
        client.dialect.usesPKCE = usePkce
        return try await client.authorizationRequest(options)
    }

    /// Checks a callback and takes the code out of it, without spending it.
    public func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        try await client.authorizationCode(in: callback, for: attempt)
    }

    /// Exchanges a code that a phone or the facade got; see ``exchange(_:redirectURI:)``.
    ///
    /// The configured redirect URI is sent, where there is one.
    public func exchange(_ result: BoltLoginResult) async throws -> TokenSet {
        try await exchange(result, redirectURI: descriptor.redirectURI)
    }

    /// Exchanges a code that a phone got; store the tokens with `SessionManager.establish`.
    ///
    /// The phone made the state and this side cannot check it. Accept a result only from a phone that is signed in to the
    /// app's own backend, or that shows the id of a login which the backend began: otherwise an attacker can hand in his own
    /// code and have somebody else use his account.
    ///
    /// - Parameters:
    ///   - result: What the phone relayed.
    ///   - redirectURI: The redirect URI of the authorization request, nil where it carried none.
    /// - Throws: `IdentityError`; of kind `cancelled` for a login that was cancelled.
    public func exchange(_ result: BoltLoginResult, redirectURI: String?) async throws -> TokenSet {
        let login = try result.completedLogin()
        let now = client.httpClient.environment.clock.now
        let attempt = LoginAttempt(
            provider: descriptor.name,
            state: login.state,
            codeVerifier: login.codeVerifier,
            redirectURI: redirectURI,
            scopes: client.scopes,
            createdAt: now,
            expiresAt: now
        )
        return try await client.redeem(login.code, for: attempt)
    }
}

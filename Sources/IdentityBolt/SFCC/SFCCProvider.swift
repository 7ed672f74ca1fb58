internal import FoundationEssentials
public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

/// Bolt as identity provider of a Salesforce Commerce Cloud storefront: the code goes to the storefront, which exchanges it
/// with Bolt and gives a shopper token of its own.
///
/// Without a configured key set nothing proves what the token says. The buyer's issuer then ends in `#unverified`, so that
/// it never equals a verified buyer's, no contact counts as verified, and a cart learns nothing.
public struct SFCCProvider: IdentityProvider, JournaledRefreshing, CartClaimProviding {
    /// What an unverified buyer's issuer ends in; an issuer that a provider signs has no fragment.
    public static let unverifiedIssuerSuffix = "#unverified"

    private let client: OpenIDClient
    private let exchanger: SFCCTokenExchange

    /// Creates a provider; nothing is asked over the network yet.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ configuration: SFCCConfiguration, environment: IdentityEnvironment) throws {
        let setup = try ResolvedSFCCConfiguration(configuration)
        if let redirectURI = configuration.redirectURI { try RedirectURI.check(redirectURI) }
        let configured = [setup.storefront, setup.codeExchange, setup.tokenExchange, configuration.endpoints.jwks]
        let httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: configured
        )
        // Only the login page is OAuth here; whoever answers the callback is Bolt, by any of its names.
        var dialect = OpenIDDialect(
            issuers: IssuerPolicy(summary: "any") { _ in true },
            audiences: [setup.publishableKey]
        )
        dialect.usesPKCE = false
        dialect.sendsNonce = false
        dialect.stateByteCount = 64
        dialect.stateLength = configuration.stateLength ?? 43
        dialect.codeParameters = ["code", "authorization_code"]
        dialect.loginDefaults = configuration.loginDefaults
        var metadata = ProviderMetadata(issuer: setup.storefront.origin)
        metadata.authorizationEndpoint = setup.authorization
        var source = MetadataSource.Configuration(discoveryURL: nil, issuers: dialect.issuers)
        source.configured = metadata
        client = OpenIDClient(
            descriptor: ProviderDescriptor(
                name: configuration.name,
                kind: "bolt-sfcc",
                clientID: setup.publishableKey,
                redirectURI: configuration.redirectURI,
                tenant: configuration.tenant,
                clientType: "storefront backend",
                timeout: configuration.timeout
            ),
            scopes: configuration.scopes,
            authentication: .none,
            dialect: dialect,
            metadataSource: MetadataSource(source, httpClient: httpClient),
            httpClient: httpClient
        )
        exchanger = SFCCTokenExchange(configuration: configuration, setup: setup, httpClient: httpClient)
    }

    /// Name, kind and client.
    public var descriptor: ProviderDescriptor { client.descriptor }

    /// Begins a login, without PKCE.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try ResolvedSFCCConfiguration.checkProvable(options)
        return try await client.authorizationRequest(options)
    }

    /// Ends a login: the state must be this attempt's, then code and state go to the storefront, once.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        let code = try await client.authorizationCode(in: callback, for: attempt)
        return try await exchanger.tokens(for: code, state: attempt.state)
    }

    /// Spends the refresh token, where the storefront gave one; without one the session ends with its token.
    public func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        do {
            return try await self.tokens(from: try await requestRefresh(of: tokens, under: .kernel), refreshing: tokens)
        } catch let refusal as RefreshRefusal {
            throw refusal.error
        }
    }

    /// Nothing is to be fetched before.
    public func prepareRefresh(of tokens: TokenSet) async throws {}

    /// Sends the refresh token and hands over what came back, before it is judged.
    ///
    /// - Parameters:
    ///   - tokens: The session's tokens.
    ///   - hold: The session's lock; see `JournaledRefreshing` in IdentityKit.
    public func requestRefresh(
        of tokens: TokenSet,
        under hold: SessionHold
    ) async throws(RefreshRefusal) -> RefreshAnswer {
        try await exchanger.requestRefresh(of: tokens, under: hold)
    }

    /// Judges the answer to a refresh.
    public func tokens(from answer: RefreshAnswer, refreshing tokens: TokenSet) async throws -> TokenSet {
        try await exchanger.tokens(from: answer, refreshing: tokens)
    }

    /// Nil: nothing is known of a page that ends the storefront's session.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        nil
    }

    /// Contact fields if a key set vouches for the token and the token for the e-mail address, else nothing.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        Self.isVerified(tokens.buyer) ? BoltCartClaim.makeVerified(tokens.buyer) : .none
    }

    /// Whether a signature proves who the buyer is.
    public static func isVerified(_ buyer: Buyer) -> Bool {
        !buyer.issuer.utf8.contains(UInt8(ascii: "#"))
    }
}

extension SFCCProvider: BoltAuthorizing {
    /// Begins a login; PKCE is refused.
    public func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest {
        guard !usePkce else { throw ResolvedSFCCConfiguration.pkceUnsupported }
        return try await authorizationRequest(options)
    }

    /// Checks a callback and takes the code out of it, without spending it.
    public func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        try await client.authorizationCode(in: callback, for: attempt)
    }

    /// Exchanges a code that a phone or the facade got; a verifier that came along is dropped.
    public func exchange(_ result: BoltLoginResult) async throws -> TokenSet {
        let login = try result.completedLogin()
        guard !login.state.isEmpty else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The login result has no state.",
                hint: "The storefront needs the state that came with the code."
            )
        }
        return try await exchanger.tokens(for: login.code, state: login.state)
    }
}

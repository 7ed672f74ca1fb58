internal import IdentityCrypto
public import IdentityHTTP
public import IdentityKit

/// A client at any provider that follows OpenID Connect.
///
/// The ID token is always verified: signature, issuer, audience, times, nonce and, where present, `at_hash`. PKCE with S256,
/// `state` and `nonce` are always sent.
public struct OpenIDProvider: IdentityProvider, JournaledRefreshing, BuyerProfileProviding, LogoutStateSupporting,
    BackChannelLogoutSupporting,
    TokenRevoking
{
    /// How a client at an OpenID provider is set up.
    public struct Configuration: Sendable {
        /// The name under which the app chooses it.
        public var name: String
        /// The issuer, from which discovery starts.
        public var issuer: String
        /// Issuers to accept instead of ``issuer`` in metadata and ID tokens, for providers whose names differ.
        public var acceptedIssuers: [String]?
        /// The client identifier.
        public var clientID: String
        /// How the client proves itself.
        public var authentication: ClientAuthentication = .none
        /// The redirect URI, as registered.
        public var redirectURI: String?
        /// The scopes to ask for; must hold `openid`.
        public var scopes: [String] = ["openid"]
        /// The ID token algorithms to accept, JOSE names; nil takes the asymmetric ones that the metadata list.
        public var algorithms: [String]?
        /// How the provider is asked to send its answers, by default in a redirect.
        public var responseMode = ResponseMode.query
        /// Whether authorization requests are pushed (RFC 9126) also where the provider does not require it; by default no.
        public var pushesAuthorizationRequest = false
        /// Whether tokens are bound to a key that is made for every session (DPoP, RFC 9449); by default no.
        public var usesDPoP = false
        /// Takes tokens that are bound to nothing although ``usesDPoP`` asked for bound ones; by default no.
        ///
        /// Without it a provider that ignores the proof, or whoever stands in its place, ends the login.
        public var acceptsUnboundTokens = false
        /// Endpoints that replace discovered ones.
        public var endpoints = Endpoints()
        /// How long one request may take, by default 8 seconds; a store whose locks end may require less.
        public var timeout: Duration = .seconds(8)
        /// Permits plain http to 127.0.0.1 and [::1], for tests on one machine.
        public var allowsLoopbackHTTP = false
        /// What every login asks for where its own options say nothing, for example `prompt`.
        public var loginDefaults = LoginDefaults()
        /// The tenant of the app that this client serves.
        public var tenant = ""

        /// A configuration with what must be there.
        public init(name: String, issuer: String, clientID: String) {
            self.name = name
            self.issuer = issuer
            self.clientID = clientID
        }
    }

    /// Endpoints that replace discovered ones.
    public struct Endpoints: Sendable {
        /// The metadata document instead of the issuer's own.
        public var discovery: HTTPURL?
        /// The authorization endpoint.
        public var authorization: HTTPURL?
        /// The token endpoint.
        public var token: HTTPURL?
        /// The key set.
        public var jwks: HTTPURL?
        /// The end-session endpoint.
        public var logout: HTTPURL?
        /// The UserInfo endpoint.
        public var userInfo: HTTPURL?
        /// The pushed authorization request endpoint (RFC 9126).
        public var pushedAuthorization: HTTPURL?
        /// The revocation endpoint (RFC 7009).
        public var revocation: HTTPURL?
        /// The device authorization endpoint (RFC 8628).
        public var deviceAuthorization: HTTPURL?

        /// No replacement.
        public init() {}
    }

    let client: OpenIDClient

    /// Creates a provider; nothing is asked over the network yet.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        let base = try Self.checked(configuration)
        var discovery = configuration.endpoints.discovery
        if discovery == nil {
            let path =
                base.path == "/"
                ? "" : String(base.path.utf8.last == UInt8(ascii: "/") ? base.path.dropLast() : base.path[...])
            discovery = try? base.replacing(path: path + "/.well-known/openid-configuration")
        }
        let issuers = IssuerPolicy.exactly(configuration.acceptedIssuers ?? [configuration.issuer])
        let endpoints = configuration.endpoints
        let configured = [
            base, discovery, endpoints.authorization, endpoints.token, endpoints.jwks, endpoints.userInfo,
            endpoints.pushedAuthorization, endpoints.revocation, endpoints.deviceAuthorization,
        ]
        let httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: configured
        )
        var source = MetadataSource.Configuration(discoveryURL: discovery, issuers: issuers)
        var replaced = ProviderMetadata(issuer: configuration.issuer)
        replaced.authorizationEndpoint = endpoints.authorization
        replaced.tokenEndpoint = endpoints.token
        replaced.keySetURL = endpoints.jwks
        replaced.endSessionEndpoint = endpoints.logout
        replaced.userInfoEndpoint = endpoints.userInfo
        replaced.pushedAuthorizationRequestEndpoint = endpoints.pushedAuthorization
        replaced.revocationEndpoint = endpoints.revocation
        replaced.deviceAuthorizationEndpoint = endpoints.deviceAuthorization
        source.configured = replaced
        var dialect = OpenIDDialect(issuers: issuers, audiences: [configuration.clientID])
        dialect.loginDefaults = configuration.loginDefaults
        dialect.responseMode = configuration.responseMode
        dialect.pushesAuthorizationRequest = configuration.pushesAuthorizationRequest
        dialect.usesDPoP = configuration.usesDPoP
        dialect.tokenRules.acceptsUnboundTokens = configuration.acceptsUnboundTokens
        dialect.algorithms = try configuration.algorithms.map { try $0.map(Self.algorithm) }
        client = OpenIDClient(
            descriptor: ProviderDescriptor(
                name: configuration.name,
                kind: "openid",
                clientID: configuration.clientID,
                redirectURI: configuration.redirectURI,
                tenant: configuration.tenant,
                clientType: configuration.authentication.name,
                responseMode: configuration.responseMode,
                timeout: configuration.timeout
            ),
            scopes: configuration.scopes,
            authentication: configuration.authentication,
            dialect: dialect,
            metadataSource: MetadataSource(source, httpClient: httpClient),
            httpClient: httpClient
        )
    }

    private static func checked(_ configuration: Configuration) throws -> HTTPURL {
        guard let base = try? HTTPURL(configuration.issuer), base.query == nil,
            base.isSecure || (configuration.allowsLoopbackHTTP && base.isLoopback)
        else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The issuer is not an https URL without a query.",
                hint: "Set issuer to the provider's name for itself, byte for byte.",
                reference: "OpenID Connect Discovery 1.0 section 3"
            )
        }
        guard configuration.scopes.contains(where: { $0.isIdentical(to: "openid") }) else {
            throw OpenIDClient.scopesWithoutOpenID
        }
        if let redirectURI = configuration.redirectURI { try RedirectURI.check(redirectURI) }
        return base
    }

    private static func algorithm(_ name: String) throws -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "An ID token algorithm is not known.",
                hint: "algorithms may contain: \(SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        return algorithm
    }

    /// Name, kind and client.
    public var descriptor: ProviderDescriptor { client.descriptor }

    /// Begins a login.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        guard options.scopes?.contains(where: { $0.isIdentical(to: "openid") }) ?? true else {
            throw OpenIDClient.scopesWithoutOpenID
        }
        return try await client.authorizationRequest(options)
    }

    /// Ends a login.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await client.exchange(callback, for: attempt)
    }

    /// Spends the refresh token.
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

    /// The end-session page, where the provider has one.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        try await client.logoutURL(for: tokens, returningTo: postLogoutRedirectURI)
    }

    /// The end-session page, where the provider has one, with a `state` that the provider hands back.
    public func logoutURL(
        for tokens: TokenSet,
        returningTo postLogoutRedirectURI: String,
        state: Secret
    ) async throws -> HTTPURL? {
        try await client.logoutURL(for: tokens, returningTo: postLogoutRedirectURI, state: state)
    }

    /// Decides whether a logout token of this provider for this client is to be trusted.
    ///
    /// Signature, issuer, audience and times are judged as an ID token's are.
    public func validate(logoutToken: Secret) async throws -> LogoutNotice {
        try await client.validate(logoutToken: logoutToken)
    }

    /// Revokes the refresh token, with which providers invalidate the access token too; the access token where there is none.
    ///
    /// - Returns: Whether the provider has an endpoint for it.
    @discardableResult
    public func revoke(_ tokens: TokenSet) async throws -> Bool {
        try await client.revoke(tokens)
    }

    /// Asks the UserInfo endpoint; what the login verified, where the provider has none.
    ///
    /// The answer counts only if its `sub` is the ID token's, byte for byte (OpenID Connect Core section 5.3.2).
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        guard let endpoint = try await client.metadataSource.metadata().userInfoEndpoint else { return tokens.buyer }
        let response = try await client.ask(endpoint, with: tokens, asking: "The provider's UserInfo endpoint")
        return try UserInfoResponse.buyer(
            from: response,
            for: tokens.buyer,
            hiding: RedactedValues(secrets: [tokens.accessToken])
        )
    }
}

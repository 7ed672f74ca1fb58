public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

/// A client of one shop's new customer accounts.
///
/// The access token of a login serves two APIs as it is: the Customer Account API, and the buyer identity of a Storefront
/// cart. There is no token exchange between the two.
///
/// PKCE, `state` and `nonce` are always sent, and the ID token is always verified. Sources: Shopify's Customer Account API
/// reference, "Authenticate checkouts", and discovery documents of living shops.
public struct ShopifyProvider: IdentityProvider, JournaledRefreshing, BuyerProfileProviding, CartClaimProviding {
    let client: OpenIDClient
    let configuration: Configuration
    private let customerAccountAPI: CustomerAccountAPI

    /// Creates a provider; nothing is asked over the network yet.
    ///
    /// - Throws: `IdentityError` of kind `configuration` that names the member at fault.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        do {
            try configuration.check()
        } catch {
            throw error.error
        }
        self.configuration = configuration
        let issuers = ShopifyIssuer.policy(shopID: configuration.shopID, issuers: configuration.issuers)
        let site = configuration.shopDomain.flatMap {
            ShopifyURLs.site($0, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
        }
        let httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: [site] + configuration.endpoints.all
        )
        let discovery = Self.discovery(configuration, site)
        let headers = ShopifyDialect.headers(configuration)
        let hosts = ShopifyURLs.hosts(configuration, site)
        client = OpenIDClient(
            descriptor: ProviderDescriptor(
                name: configuration.name,
                kind: "shopify",
                clientID: configuration.clientID,
                redirectURI: Self.redirectURI(configuration),
                tenant: configuration.tenant,
                clientType: configuration.client.words,
                timeout: configuration.timeout
            ),
            scopes: configuration.scopes,
            authentication: Self.authentication(configuration.client),
            dialect: ShopifyDialect.dialect(configuration, issuers: issuers),
            metadataSource: MetadataSource(
                Self.metadata(configuration, discovery, issuers, hosts, headers),
                httpClient: httpClient
            ),
            httpClient: httpClient
        )
        customerAccountAPI = CustomerAccountAPI(
            address: CustomerAccountAddress(
                configured: configuration.endpoints.api,
                discovery: (discovery ?? site).flatMap { ShopifyURLs.apiDiscovery(beside: $0) },
                fallback: configuration.shopID.flatMap {
                    issuers.isAccepted(ShopifyIssuer.issuer(shopID: $0))
                        ? ShopifyURLs.fixedAPI(shopID: $0, version: configuration.apiVersion) : nil
                },
                version: configuration.apiVersion,
                hosts: hosts,
                httpClient: httpClient,
                headers: headers
            ),
            httpClient: httpClient,
            headers: headers
        )
    }

    /// Where discovery starts: the configured address, nowhere if all endpoints are known, the shop's domain, or Shopify's.
    private static func discovery(_ configuration: Configuration, _ site: HTTPURL?) -> HTTPURL? {
        if let url = configuration.endpoints.discovery { return url }
        if configuration.endpoints.isWhole { return nil }
        let path = "/.well-known/openid-configuration"
        if let site { return try? site.replacing(path: path) }
        return configuration.shopID.flatMap { try? HTTPURL(ShopifyIssuer.issuer(shopID: $0) + path) }
    }

    private static func metadata(
        _ configuration: Configuration,
        _ discovery: HTTPURL?,
        _ issuers: IssuerPolicy,
        _ hosts: EndpointHosts,
        _ headers: [(name: String, value: String)]
    ) -> MetadataSource.Configuration {
        var source = MetadataSource.Configuration(discoveryURL: discovery, issuers: issuers)
        // Without discovery no login is bound to this name; the ID token's issuer is checked against the policy.
        var configured = ProviderMetadata(
            issuer: configuration.issuers?.first ?? ShopifyIssuer.issuer(shopID: configuration.shopID ?? "")
        )
        configured.authorizationEndpoint = configuration.endpoints.authorization
        configured.tokenEndpoint = configuration.endpoints.token
        configured.keySetURL = configuration.endpoints.jwks
        configured.endSessionEndpoint = configuration.endpoints.logout
        source.configured = configured
        source.allowedRedirects = 3
        source.hosts = hosts
        source.headers = headers
        if let shopID = configuration.shopID, issuers.isAccepted(ShopifyIssuer.issuer(shopID: shopID)) {
            source.fallback = ShopifyURLs.fixedMetadata(shopID: shopID)
        }
        return source
    }

    private static func authentication(_ client: Client) -> ClientAuthentication {
        switch client {
        // Shopify's page joins id and secret as they are.
        case .confidential(let secret): .secretBasic(secret, encoding: .verbatimForNonconformingProvider)
        case .publicMobile, .publicWeb, .app: .none
        }
    }

    private static func redirectURI(_ configuration: Configuration) -> String? {
        if let redirectURI = configuration.redirectURI { return redirectURI }
        guard case .publicMobile = configuration.client else { return nil }
        return configuration.shopID.map { ShopifyURLs.mobileRedirect($0) }
    }

    /// Name, kind and client.
    public var descriptor: ProviderDescriptor { client.descriptor }

    /// Begins a login; ``ShopifyLoginOptions`` has what Shopify's page can be asked for.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await client.authorizationRequest(try await checked(options))
    }

    func checked(_ options: LoginOptions) async throws -> LoginOptions {
        var options = options
        do throws(ConfigurationProblem) {
            if let redirectURI = options.redirectURI { try configuration.checkRedirect(redirectURI) }
            if let scopes = options.scopes, !scopes.contains(where: { $0.isIdentical(to: "openid") }) {
                throw Configuration.missingOpenID
            }
        } catch {
            throw error.error
        }
        guard options.redirectURI == nil, descriptor.redirectURI == nil else { return options }
        let issuer = try await client.metadataSource.metadata().issuer
        guard let shopID = ShopifyIssuer.shopID(in: issuer) else {
            throw ConfigurationProblem(
                member: "redirectURI",
                problem: "is missing",
                hint: "Its default is made of the shop id, which neither the configuration nor the issuer tells."
            ).error
        }
        options.redirectURI = ShopifyURLs.mobileRedirect(shopID)
        return options
    }

    /// Ends a login: checks the callback, spends the code, validates the ID token.
    ///
    /// Kind `configuration` means that Shopify refused the client and not the buyer: wrong shop id, client id or secret,
    /// an origin that is not registered, a blocked machine. Nothing is retried: a code works once.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await client.exchange(callback, for: attempt)
    }

    /// Spends the refresh token; the ID token of the login is kept, for Shopify sends no new one and logout needs it.
    ///
    /// - Throws: `IdentityError`: `invalid_grant` of kind `signInAgain` when Shopify says that the token is dead, and
    ///   `not_refreshable` when there never was one, which is normal for an ``Client/app``; everything else leaves the
    ///   session as it is.
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

    /// Where to send the browser to end its Shopify session, or nil without an ID token, which Shopify asks for there.
    ///
    /// - Parameters:
    ///   - tokens: The session's tokens.
    ///   - postLogoutRedirectURI: A registered logout URI. Shopify ignores any other without a word; without one it goes to
    ///     the default that is set at the client.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        guard let idToken = tokens.idToken else { return nil }
        return try await logoutURL(idToken: idToken, returningTo: postLogoutRedirectURI)
    }

    func logoutURL(idToken: Secret, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        guard let endpoint = try await client.metadataSource.metadata().endSessionEndpoint else { return nil }
        var fields = [(name: "id_token_hint", value: idToken.reveal())]
        if let postLogoutRedirectURI { fields.append(("post_logout_redirect_uri", postLogoutRedirectURI)) }
        do {
            return try endpoint.appending(queryFields: String(decoding: FormEncoding.encode(fields), as: UTF8.self))
        } catch {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The logout URL would be too long.",
                hint: "Shorten the post-logout redirect URI.",
                cause: error
            )
        }
    }

    /// Asks the Customer Account API who the buyer is.
    ///
    /// Name, e-mail and phone are protected customer data: an app without Shopify's approval gets none, and what the login
    /// verified stays. The same is returned where the configuration leads to no address of that API.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        guard let customer = try await customerAccountAPI.customer(tokens.accessToken) else { return tokens.buyer }
        return CustomerResponse.buyer(customer, knownAs: tokens.buyer)
    }

    /// The access token itself, which is what a Storefront cart takes as `customerAccessToken`.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        .customer(
            CustomerAccessToken(token: tokens.accessToken, expiresAt: tokens.expiresAt, issuer: tokens.buyer.issuer)
        )
    }
}

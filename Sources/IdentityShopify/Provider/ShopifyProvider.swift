internal import IdentityHTTP
public import IdentityKit
public import IdentityOIDC
internal import ShopifyGraphQL

/// A client of one shop's new customer accounts.
///
/// ```swift
/// var configuration = ShopifyProvider.Configuration(
///     name: "shop", shopDomain: "example.myshopify.com", clientID: clientID, client: .confidential(clientSecret)
/// )
/// configuration.redirectURI = "https://app.example/callback/shopify"
/// let provider = try ShopifyProvider(configuration, environment: environment)
/// ```
///
/// The access token of a login is valid for two APIs: the Customer Account API, and the buyer identity of a Storefront cart. There is
/// no token exchange between them.
///
/// PKCE, `state` and `nonce` are always sent, and the ID token is always validated. Sources: Shopify's Customer Account API
/// reference, "Authenticate checkouts", and discovery documents of existing shops.
public struct ShopifyProvider: OpenIDClientProvider, BuyerProfileProviding, CartClaimProviding {
    /// The OpenID client that does the work.
    public let client: OpenIDClient
    let configuration: Configuration
    let environment: IdentityEnvironment
    let httpClient: ProviderHTTPClient
    let customerAccountAPI: CustomerAccountAPI

    /// Creates a provider; no request is sent yet.
    ///
    /// - Throws: `IdentityError` of kind `configuration` that names the invalid member.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        do {
            try configuration.check()
        } catch {
            throw error.error
        }
        self.configuration = configuration
        self.environment = environment
        let site = configuration.domain?.url
        httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: [site] + configuration.endpoints.all
        )
        let discovery = ShopifyURLs.discovery(configuration)
        let hosts = ShopifyEndpointHosts.list(
            configuration.endpointHosts,
            shop: site?.host,
            configured: configuration.endpoints.all.compactMap { $0?.host }
        )
        client = try OpenIDClient(
            Self.openID(configuration, discovery, hosts),
            quirks: ShopifyQuirks(configuration.client),
            environment: environment
        )
        customerAccountAPI = Self.customerAccountAPI(
            configuration,
            // No page of Shopify names the document below shopify.com. With a shop id alone, the fixed URL is used instead.
            discovery: configuration.endpoints.discovery ?? site,
            hosts: hosts,
            environment: environment
        )
    }

    private static func openID(
        _ configuration: Configuration,
        _ discovery: HTTPURL?,
        _ hosts: AllowedHosts
    ) -> OpenIDClient.Configuration {
        var openID = OpenIDClient.Configuration(
            configuration,
            kind: "shopify",
            // Without discovery no login is bound to this issuer; the ID token's issuer is checked against acceptedIssuers, which then is a list.
            issuer: configuration.issuers?.first ?? ShopifyIssuer.issuer(shopID: configuration.shopID ?? ""),
            clientID: configuration.clientID
        )
        openID.issuerMembers = ["issuers"]
        openID.acceptedIssuers = configuration.acceptedIssuers
        openID.authentication = authentication(configuration.client)
        openID.clientType = configuration.client.description
        if case .publicMobile = configuration.client, openID.redirectURI == nil {
            openID.redirectURI = configuration.shopID.map { ShopifyURLs.mobileRedirect($0) }
        }
        openID.postLogoutRedirectURI = configuration.postLogoutRedirectURI
        openID.algorithms = ["RS256"]
        openID.endpoints.discovery = discovery
        openID.endpoints.authorization = configuration.endpoints.authorization
        openID.endpoints.token = configuration.endpoints.token
        openID.endpoints.jwks = configuration.endpoints.jwks
        openID.endpoints.logout = configuration.endpoints.logout
        openID.discovery.isEnabled = discovery != nil
        if configuration.endpoints.discovery == nil {
            let hasDomain = configuration.shopDomain != nil
            openID.discovery.addressMember = hasDomain ? "shopDomain" : "shopID"
            let domainAdvice = "Use the shop's permanent myshopify.com name: Shopify may not serve another domain. "
            openID.discovery.addressAdvice =
                (hasDomain ? domainAdvice : "")
                + "If the address is right, check in the shop's admin that customer accounts are on."
        }
        openID.discovery.allowedRedirects = 3
        openID.discovery.allowedHosts = hosts
        openID.discovery.headers = configuration.client.headers
        if let shopID = configuration.shopID, configuration.acceptsOwnIssuer {
            openID.discovery.fallback = ShopifyURLs.fixedEndpoints(shopID: shopID)
        }
        openID.tokenRequestHeaders = configuration.client.headers.map { ($0.name, Secret($0.value)) }
        return openID
    }

    private static func authentication(_ client: Client) -> ClientAuthentication {
        switch client {
        // Shopify's documentation joins id and secret without encoding them.
        case .confidential(let secret): .secretBasic(secret, encoding: .verbatimForNonconformingProvider)
        case .publicMobile, .publicWeb, .app: .none
        }
    }

    /// Starts a login; ``ShopifyLoginOptions`` contains the options of Shopify's page.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await client.authorizationRequest(try await checked(options))
    }

    /// The options with a redirect URI that Shopify permits for this client.
    func checked(_ options: LoginOptions) async throws -> LoginOptions {
        var options = options
        do throws(ShopifyConfigurationProblem) {
            if let redirectURI = options.redirectURI { try configuration.checkRedirect(redirectURI) }
            if let scopes = options.scopes, !scopes.contains(where: { $0.isIdentical(to: "openid") }) {
                throw Configuration.missingOpenID
            }
        } catch {
            throw error.loginOptionsError
        }
        guard options.redirectURI == nil, descriptor.redirectURI == nil else { return options }
        let issuer = try await client.metadata().issuer
        guard let shopID = ShopifyIssuer.shopID(in: issuer) else {
            throw ShopifyConfigurationProblem(
                member: "redirectURI",
                problem: "is missing",
                hint:
                    "Set redirectURI or shopID: neither the configuration nor the issuer has the shop id for the default."
            ).error
        }
        options.redirectURI = ShopifyURLs.mobileRedirect(shopID)
        return options
    }

    /// The access token, which a Storefront cart accepts as `customerAccessToken`.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        try checkShop(of: tokens)
        return .customer(
            CustomerAccessToken(token: tokens.accessToken, expiresAt: tokens.expiresAt, issuer: tokens.buyer.issuer)
        )
    }

    /// Refuses the tokens of another shop before they are sent to this one.
    ///
    /// Without `shopID`, the issuers of all shops are accepted, and only the metadata show which one is this shop's. They are not fetched for
    /// this check, because a buyer's cart must not depend on discovery; after a login or a refresh they are in memory.
    func checkShop(of tokens: TokenSet) throws {
        guard let metadata = client.metadataInMemory else { return try client.checkIssuer(of: tokens) }
        try client.checkIssuer(of: tokens, is: metadata)
    }
}

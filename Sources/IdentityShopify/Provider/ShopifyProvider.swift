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
/// The access token of a login works for the Customer Account API and as the buyer identity of a Storefront cart.
///
/// Every login uses PKCE, `state` and `nonce`, and the provider validates the ID token. Sources: Shopify's Customer Account API
/// reference, "Authenticate checkouts", and discovery documents of existing shops.
public struct ShopifyProvider: OpenIDClientProvider, BuyerProfileProviding, CartClaimProviding {
    /// The OpenID client that sends the requests and validates the tokens.
    public let client: OpenIDClient
    let configuration: Configuration
    let environment: IdentityEnvironment
    let httpClient: ProviderHTTPClient
    let customerAccountAPI: CustomerAccountAPI

    /// Creates a provider; it sends no request.
    ///
    /// - Throws: `IdentityError` of kind `configuration` that names the invalid member.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        do {
            try configuration.check()
        } catch {
            throw error.error()
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
            // Below shopify.com, Shopify documents no discovery document for the API. So a provider with only shopID uses the API's fixed
            // URL, which customerAccountAPI(_:discovery:hosts:environment:) sets as fallback.
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
            // Used only for metadata that do not come from a discovery document; check() requires issuers or shopID in this case. Without a
            // discovery URL, an ID token may have any issuer of acceptedIssuers, not only this one.
            issuer: configuration.issuers?.first ?? ShopifyIssuer.issuer(shopID: configuration.shopID ?? ""),
            clientID: configuration.clientID
        )
        openID.issuerMembers = configuration.issuers == nil && configuration.shopID != nil ? ["shopID"] : ["issuers"]
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
        let headers = configuration.client.headers.map { (name: $0.name, value: Secret($0.value)) }
        openID.discovery.headers = headers
        if let shopID = configuration.shopID, configuration.acceptsOwnIssuer {
            openID.discovery.fallback = ShopifyURLs.fixedEndpoints(shopID: shopID)
        }
        openID.tokenRequestHeaders = headers
        return openID
    }

    private static func authentication(_ client: Client) -> ClientAuthentication {
        switch client {
        // Shopify's documentation does not form-encode client id and secret, although RFC 6749 section 2.3.1 requires it.
        case .confidential(let secret): .secretBasic(secret, encoding: .verbatimForNonconformingProvider)
        case .publicMobile, .publicWeb, .app: .none
        }
    }

    /// Creates the authorization request of a login; ``ShopifyLoginOptions`` has the options of Shopify's login page.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await client.authorizationRequest(try await checked(options))
    }

    /// Checks the redirect URI and the scopes of a login, and adds a mobile client's default redirect URI if none is set.
    func checked(_ options: LoginOptions) async throws -> LoginOptions {
        var options = options
        do throws(ShopifyConfigurationProblem) {
            if let redirectURI = options.redirectURI { try configuration.checkRedirect(redirectURI) }
            if let scopes = options.scopes, !scopes.contains(where: { $0.isIdentical(to: "openid") }) {
                throw Configuration.missingOpenID
            }
        } catch {
            throw error.error(of: "The login options'")
        }
        guard options.redirectURI == nil, descriptor.redirectURI == nil else { return options }
        let issuer = try await client.metadata().issuer
        guard let shopID = ShopifyIssuer.shopID(in: issuer) else {
            throw ShopifyConfigurationProblem(
                member: "redirectURI",
                problem: "is missing",
                hint:
                    "Set redirectURI or shopID: the default redirect URI contains the shop id, which the shop's issuer does not contain."
            ).error()
        }
        options.redirectURI = ShopifyURLs.mobileRedirect(shopID)
        return options
    }

    /// The buyer identity for a Storefront cart: the access token, which the cart accepts as `customerAccessToken`.
    ///
    /// - Throws: `IdentityError` if another shop issued the tokens.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        try checkShop(of: tokens)
        return .customer(
            CustomerAccessToken(
                issuedByShopify: tokens.accessToken,
                expiresAt: tokens.expiresAt,
                issuer: tokens.buyer.issuer
            )
        )
    }

    /// Throws an error if another shop issued the tokens, so that the tokens are not sent to this shop.
    ///
    /// Without `shopID` and `issuers`, the configuration accepts the issuers of all shops, and only the metadata contain this shop's
    /// issuer. The check uses metadata in memory and does not fetch them, because a failed discovery would make the cart fail.
    func checkShop(of tokens: TokenSet) throws {
        guard let metadata = client.metadataInMemory else { return try client.checkIssuer(of: tokens) }
        try client.checkIssuer(of: tokens, is: metadata)
    }
}

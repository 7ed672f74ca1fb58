internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL

extension ShopifyProvider {
    /// Requests the buyer's name, e-mail address and phone number from the Customer Account API.
    ///
    /// These are protected customer data. For each field for which Shopify has not approved the app, the result contains the value of the
    /// login's ID token. If the provider has neither a URL for the API nor a URL to discover it, all values are from the ID token.
    ///
    /// - Throws: `IdentityError`; with code `access_token_refused` if the API rejected the access token and may accept a newer one.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        try checkShop(of: tokens)
        guard customerAccountAPI.hasURL else { return tokens.buyer }
        let executor = try await customerAccountAPI.executor()
        let call = try customerAccountAPI.call(accessToken: tokens.accessToken)
        let result: GraphQLResult<CustomerIdentity?>
        do {
            result = try await executor.execute(CustomerIdentityQuery(), call)
        } catch {
            throw Self.profileError(error)
        }
        guard let customer = result.data else {
            throw IdentityError(
                .rejected,
                .unexpectedResponse,
                "The Customer Account API returned no customer.",
                hint: "If endpoints.api is set, check that it is the API of the shop that issued the access token. "
                    + "Otherwise let the buyer sign in again.",
                reference: "Customer Account API reference, customer",
                providerResponse: IdentityError.ProviderResponse(result.metadata)
            )
        }
        return customer.buyer(tokens.buyer)
    }

    /// Replaces the general code `customer_account_refused` by `shop_unavailable`, `request_blocked` or `insufficient_scope`, if the
    /// status or the error name of the response shows the cause.
    private static func profileError(_ error: IdentityError) -> IdentityError {
        guard error.code == .customerAccountRefused, let response = error.providerResponse else { return error }
        let name = response.error ?? ""
        // Shopify may also deny access with status 200 and a GraphQL error that has a text but no code.
        let isDenied = name.isIdentical(to: "ACCESS_DENIED") || response.status == 200 && name.isEmpty
        let (kind, code, hint): (IdentityError.Kind, IdentityError.Code, String?)
        if [402, 423].contains(response.status) || name.isIdentical(to: "SHOP_INACTIVE") {
            (kind, code, hint) = (.configuration, .shopUnavailable, error.hint)
        } else if response.status == 403 {
            (kind, code, hint) = (
                .configuration, .requestBlocked,
                "Check in the shop's admin that the app is not blocked and the shop is open. If both are right, ask Shopify whether it "
                    + "blocks this machine's address or the userAgent of IdentityEnvironment."
            )
        } else if isDenied {
            (kind, code, hint) = (.rejected, .insufficientScope, error.hint)
        } else {
            return error
        }
        return error.recast(as: kind, code: code, hint: hint)
    }

    static func customerAccountAPI(
        _ configuration: Configuration,
        discovery: HTTPURL?,
        hosts: AllowedHosts,
        environment: IdentityEnvironment
    ) -> CustomerAccountAPI {
        var api = CustomerAccountAPI.Configuration(
            hosts: hosts,
            version: ShopifyAPIVersion(rawValue: configuration.apiVersion),
            shop: configuration.domain?.name ?? configuration.shopID ?? configuration.name
        )
        api.timeout = configuration.timeout
        api.allowsLoopbackHTTP = configuration.allowsLoopbackHTTP
        api.endpointMember = "endpoints.api"
        api.shopAndVersionMembers = "shopDomain, shopID, apiVersion and endpoints.api"
        api.endpoint = configuration.endpoints.api
        api.discoveryURL = discovery.flatMap { ShopifyURLs.apiDiscovery(beside: $0) }
        if let shopID = configuration.shopID, configuration.acceptsOwnIssuer {
            api.fallback = ShopifyURLs.fixedAPI(shopID: shopID, version: configuration.apiVersion)
        }
        if case .publicWeb(let origin) = configuration.client { api.origin = origin }
        // The request is not repeated here. SessionManager repeats it with a refreshed token if the API rejected the access token. After
        // other errors, the app decides whether to repeat the request.
        return CustomerAccountAPI(api, environment: environment, retry: .none)
    }
}

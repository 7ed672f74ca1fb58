internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL

extension ShopifyProvider {
    /// Requests the buyer's data from the Customer Account API.
    ///
    /// Name, e-mail and phone are protected customer data: an app without Shopify's approval gets none, and the values of
    /// the login are kept. The values of the login are also returned if the configuration has no URL of that API.
    ///
    /// - Throws: `IdentityError` with code `access_token_refused` when a newer access token may help.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        try checkShop(of: tokens)
        guard let executor = try await customerAccountAPI.executor() else { return tokens.buyer }
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

    /// Replaces the error codes of rejections that can occur during a sign-in with the codes of this module.
    private static func profileError(_ error: IdentityError) -> IdentityError {
        guard error.code == .customerAccountRefused, let response = error.providerResponse else { return error }
        let name = response.error ?? ""
        // Shopify also denies access in a response of status 200 with a text instead of a code.
        let isDenied = name.isIdentical(to: "ACCESS_DENIED") || response.status == 200 && name.isEmpty
        let (kind, code, hint): (IdentityError.Kind, IdentityError.Code, String?)
        if [402, 423].contains(response.status) || name.isIdentical(to: "SHOP_INACTIVE") {
            (kind, code, hint) = (.configuration, .shopUnavailable, error.hint)
        } else if response.status == 403 {
            (kind, code, hint) = (
                .configuration, .requestBlocked,
                "Check in the shop's admin that the app is not blocked and the shop is open. Check also whether Shopify blocks this "
                    + "machine or its User-Agent."
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
        // Only one attempt is made, because SessionManager and the app retry.
        return CustomerAccountAPI(api, environment: environment, retry: .none)
    }
}

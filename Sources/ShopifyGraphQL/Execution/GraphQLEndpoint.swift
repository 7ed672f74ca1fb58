package import IdentityHTTP
package import IdentityKit

/// One of Shopify's GraphQL APIs: its URL, version and name.
package struct GraphQLEndpoint: Sendable {
    /// The hints in an API's errors, one for each reason of a rejection.
    package struct Advice: Sendable {
        /// The hint after a rejected token (401, 403).
        package var refused: String
        /// The hint about missing scopes (`ACCESS_DENIED`).
        package var denied: String
        /// The hint after HTTP 404: the API does not exist at the URL.
        package var notFound: String
        package var redirected: String
        /// The hint after too many requests (429).
        package var tooMany: String
        /// The hint after a rejection as an attack (430).
        package var attack: String

        package init(
            refused: String,
            denied: String,
            notFound: String,
            redirected: String,
            tooMany: String,
            attack: String
        ) {
            self.refused = refused
            self.denied = denied
            self.notFound = notFound
            self.redirected = redirected
            self.tooMany = tooMany
            self.attack = attack
        }
    }

    /// The API's name at the start of a sentence, for example `The Storefront API`.
    package let name: String
    /// The shop's name; clients in this process with the same name, origin of ``url`` and clock share a circuit breaker.
    package let shop: String
    package let url: HTTPURL
    package let version: ShopifyAPIVersion
    package let allowsLoopbackHTTP: Bool
    package let timeout: Duration
    /// What authenticates the requests, as error messages name it, for example `the buyer's access token`.
    package let access: String
    /// The error code after a rejection because of the token, its scopes, the shop or the API version.
    ///
    /// If the API rejects a buyer's token with HTTP 401, the code is `access_token_refused` instead.
    package let refusalCode: IdentityError.Code
    /// Whether requests use a buyer's token, which the app can refresh after a 401.
    package let takesBuyerTokens: Bool
    /// The IP addresses that the URL's host may have; any address if the app configured the URL.
    package let addressPolicy: AddressPolicy
    package let advice: Advice

    package init(
        name: String,
        shop: String,
        url: HTTPURL,
        version: ShopifyAPIVersion,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15),
        access: String,
        refusalCode: IdentityError.Code,
        takesBuyerTokens: Bool = false,
        addressPolicy: AddressPolicy = .any,
        advice: Advice
    ) {
        self.name = name
        self.shop = shop
        self.url = url
        self.version = version
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.timeout = timeout
        self.access = access
        self.refusalCode = refusalCode
        self.takesBuyerTokens = takesBuyerTokens
        self.addressPolicy = addressPolicy
        self.advice = advice
    }
}

package import IdentityHTTP
package import IdentityKit

/// One of Shopify's GraphQL APIs: its URL, version and name.
package struct GraphQLEndpoint: Sendable {
    /// The hints of one API, which tell an operator what to do after a rejection.
    package struct Advice: Sendable {
        /// The hint after a rejected token (401, 403).
        package var refused: String
        /// The hint about missing scopes (`ACCESS_DENIED`).
        package var denied: String
        /// The hint after status 404: there is no API at the URL.
        package var notFound: String
        /// The hint after a redirect.
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
    /// The shop's name.
    ///
    /// All clients in this process with this name and the same origin of ``url`` share a circuit breaker.
    package let shop: String
    /// The URL for requests.
    package let url: HTTPURL
    /// The version in that URL.
    package let version: ShopifyAPIVersion
    /// Whether the URL may be http to a loopback address.
    package let allowsLoopbackHTTP: Bool
    /// The timeout of one request.
    package let timeout: Duration
    /// What authenticates the requests, for messages: for example `the buyer's access token`.
    package let access: String
    /// The error code for a rejected token (other than a buyer's), scope, shop or version.
    package let refusalCode: IdentityError.Code
    /// Whether requests use a buyer's token, which the app can refresh after a 401.
    package let takesBuyerTokens: Bool
    /// The IP addresses that the URL's host may have.
    ///
    /// Any address is allowed if the URL was configured and not discovered.
    package let addressPolicy: AddressPolicy
    /// The hints for rejections.
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

package import IdentityHTTP
package import IdentityKit

/// One of Shopify's GraphQL APIs: where it is, in which version, and how it is spoken of.
package struct GraphQLEndpoint: Sendable {
    /// What an operator should do about a refusal; each API has its own advice.
    package struct Advice: Sendable {
        /// About a token that is refused (401, 403).
        package var refused: String
        /// About scopes that are missing (`ACCESS_DENIED`).
        package var denied: String
        /// About an address without an API (404).
        package var notFound: String
        /// About a redirect.
        package var redirected: String
        /// About too many requests (429).
        package var tooMany: String
        /// About being taken for an attacker (430).
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

    /// The API's name as a sentence begins with it, for example `The Storefront API`.
    package let name: String
    /// Names the shop: all clients for a shop in this process share what is known about being refused there.
    package let shop: String
    /// Where requests go.
    package let url: HTTPURL
    /// The version in that URL.
    package let version: ShopifyAPIVersion
    /// Whether the URL may be http to a loopback address.
    package let allowsLoopbackHTTP: Bool
    /// How long one exchange may take.
    package let timeout: Duration
    /// The largest answer that is read.
    package let maximumBodyBytes: Int
    /// How the app proves itself, in words.
    package let access: String
    /// The code of errors that refuse token, scope, shop or version.
    package let refusalCode: IdentityError.Code
    /// Whether the token is a buyer's, which may be renewed when it is refused (401), and not the app's.
    package let takesBuyerTokens: Bool
    /// Which addresses the URL's host may have: any where a person configured it.
    package let addressPolicy: AddressPolicy
    /// What to do about refusals.
    package let advice: Advice

    package init(
        name: String,
        shop: String,
        url: HTTPURL,
        version: ShopifyAPIVersion,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15),
        maximumBodyBytes: Int = 8 << 20,
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
        self.maximumBodyBytes = maximumBodyBytes
        self.access = access
        self.refusalCode = refusalCode
        self.takesBuyerTokens = takesBuyerTokens
        self.addressPolicy = addressPolicy
        self.advice = advice
    }
}

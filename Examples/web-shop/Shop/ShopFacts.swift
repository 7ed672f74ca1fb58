internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyGraphQL
internal import ShopifyStorefront
internal import Synchronization

/// The name and the domains of the shop, fetched once.
final class ShopFacts: Sendable {
    struct Facts: Sendable {
        var name = "Shop"
        /// The origins to which the checkout may lead, and from which pictures come.
        var origins: [String]
    }

    private let storefront: StorefrontClient
    private let known = Mutex<Facts?>(nil)

    init(_ storefront: StorefrontClient) {
        self.storefront = storefront
    }

    /// The facts; while the Storefront cannot be reached, only what the configuration contains.
    func get() async -> Facts {
        if let facts = known.withLock(\.self) { return facts }
        let configuration = storefront.configuration
        var facts = Facts(origins: [configuration.endpoint.origin, "https://\(configuration.shopDomain)"])
        guard let shop = try? await storefront.execute(ShopInfo()).data else { return facts }
        facts.name = shop.name
        if let domain = try? HTTPURL(shop.primaryDomain.url.text).origin, !facts.origins.contains(domain) {
            facts.origins.append(domain)
        }
        known.withLock { $0 = facts }
        return facts
    }
}

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

    private struct State {
        var known: Facts?
        /// When the next request may be sent, on the monotonic clock.
        var resumesAt = Duration.zero
    }

    private let storefront: StorefrontClient
    private let clock: any IdentityClock
    private let state = Mutex(State())
    private static let pause = Duration.seconds(10)

    init(_ storefront: StorefrontClient, clock: any IdentityClock) {
        self.storefront = storefront
        self.clock = clock
    }

    /// The facts; while the Storefront cannot be reached, a default name and the origins from the configuration.
    func get(in context: StorefrontContext) async -> Facts {
        let state = state.withLock(\.self)
        if let facts = state.known { return facts }
        let configuration = storefront.configuration
        var facts = Facts(origins: [configuration.endpoint.origin, "https://\(configuration.shopDomain)"])
        guard clock.elapsed >= state.resumesAt else { return facts }
        guard let shop = try? await storefront.execute(ShopInfo(), in: context).data else {
            self.state.withLock { $0.resumesAt = clock.elapsed + Self.pause }
            return facts
        }
        facts.name = shop.name
        if let domain = try? HTTPURL(shop.primaryDomain.url.text).origin, !facts.origins.contains(domain) {
            facts.origins.append(domain)
        }
        self.state.withLock { $0.known = facts }
        return facts
    }
}

import Foundation
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityPresentation
import IdentitySQLite
import IdentityShopify
import IdentityTesting
import ShopifyStorefront
import StorefrontSandbox
import Testing

@Suite("Public types that contain secrets", .timeLimit(.minutes(10)))
struct PublicTypeTests {
    @Test("no public type prints its secret, and every type with a secret is tested")
    func walk() async throws {
        try await CanaryStage.with { stage in
            let witness = Witness(stage.canary)
            let app = try stage.app(store: InMemoryStore(), witness: witness)
            for value in try Samples.values(stage.canary) { witness.see(value, "\(type(of: value))") }
            for value in try await Samples.afterLogin(app) { witness.see(value, "\(type(of: value))") }
            let store = try await stage.openStore()
            let parts: [Any] = [app.storefront, app.storefront.configuration, app.providers, store]
            let shopify = try #require(try app.providers.provider(named: "shopify-public") as? ShopifyProvider)
            let tokens = try await AuthClient(provider: shopify).login(with: stage.buyer)
            for token in [tokens.accessToken, tokens.refreshToken, tokens.idToken] {
                if let token { stage.canary.watch(Secret(token)) }
            }
            for value in parts + [tokens] { witness.see(value, "\(type(of: value))") }
            await store.close()
            #expect(witness.findings() == [])
            let types = try PublicTypes()
            #expect(types.count > 120)
            #expect(types.holders.count > 80)
            #expect(types.holders.subtracting(witness.types).sorted() == [], "Add them to Samples.")
        }
    }

    @Test("the source reader finds types that contain secrets, and not types without secrets")
    func reader() throws {
        let holders = try PublicTypes().holders
        for name in [
            "Secret", "TokenSet", "SessionTokens", "CartClaim", "Buyer.Contact", "SQLiteStore.Configuration",
            "AuthClient", "LoginOptions",
            "BoltClientAuthentication", "StorefrontContext", "ShopifyLoginOptions", "HTTPRequest", "StartedLogin",
        ] {
            #expect(holders.contains(name), "\(name)")
        }
        for name in ["Money", "HTTPLimits", "JSONNumber", "SystemClock", "BoltEnvironment", "TokenOutcome"] {
            #expect(!holders.contains(name), "\(name)")
        }
    }
}

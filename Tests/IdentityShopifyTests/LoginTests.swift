import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import Testing

@Suite("A login at Shopify")
struct LoginTests {
    @Test(
        "every client type signs a buyer in, at either shape of endpoints, with nothing but the shop's domain",
        arguments: SandboxShopifyClient.all,
        [SandboxShopifyConfiguration.EndpointShape.platform, .accountDomain]
    )
    func login(client: SandboxShopifyClient, shape: SandboxShopifyConfiguration.EndpointShape) async throws {
        let shop = try await Shop(client) { $0.endpointShape = shape }
        let tokens = try await shop.login(try shop.provider())
        #expect(tokens.buyer.issuer == Shop.issuer)
        #expect(tokens.buyer.email == Buyer.Contact("ada@example.com", isVerified: true))
        #expect((tokens.refreshToken == nil) == (client.kind == .app))
        #expect(tokens.expiresAt == shop.clock.now + 3600)
        #expect(tokens.isGranted("customer-account-api:full"))
    }
}

import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Testing

@testable import ShopifyStorefront

/// The exchange of a token of the Customer Account API for one of the Storefront API.
extension CartFailureModesTests {
    @Test("29: the token is exchanged again after a refresh")
    func exchange() async throws {
        let shop = try await SandboxShop(exchanges: true, storefront: { $0.takesCustomerAccountTokens = false })
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        guard case .customer = cart.identity else { throw cart.problem ?? IdentityError.noIdentity }
        let first = try shop.state(cart.cart).customerAccessToken
        _ = try await shop.sessions.refreshTokens(for: session)
        await shop.sessions.drain()
        let second = try shop.state(cart.cart).customerAccessToken
        #expect(first != nil && second != nil && first != second)
        #expect(try await shop.carts.checkout(for: session, in: shop.context).identity == .customer)
    }

    @Test("29: a token that the exchange rejects is refreshed once and exchanged again")
    func refusedOnce() async throws {
        let shop = try await SandboxShop(exchanges: true, storefront: { $0.takesCustomerAccountTokens = false })
        let session = try await shop.login()
        shop.sandbox.shopify.planFault(.status(401), on: .api)
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(cart.problem == nil && shop.sandbox.shopify.counters.refreshes == 1)
        #expect(try shop.state(cart.cart).customerAccessToken != nil)
        let origins = shop.sandbox.shopify.requests(to: .api).map { $0.header("Origin") }
        #expect(origins == ["https://shop.example", "https://shop.example"])
    }

    @Test(
        "29: a token that the exchange rejects twice is identity_rejected, and a missing scope or a wrong endpoint is for the operator",
        arguments: [
            (401, IdentityError.Kind.rejected, IdentityError.Code.identityRejected),
            (403, .configuration, .customerAccountRefused), (404, .configuration, .customerAccountRefused),
        ]
    )
    func refusedExchange(status: Int, kind: IdentityError.Kind, code: IdentityError.Code) async throws {
        let shop = try await SandboxShop(exchanges: true)
        let session = try await shop.login()
        shop.sandbox.shopify.planFault(.status(status), on: .api, times: .max)
        let problem = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).problem
        #expect(problem?.kind == kind && problem?.code == code)
        #expect(shop.sandbox.shopify.counters.refreshes == (status == 401 ? 1 : 0))
        // The rejected tokens are remembered, so the next attempt does not refresh again.
        _ = try await shop.carts.attach(to: session, in: shop.context)
        #expect(shop.sandbox.shopify.counters.refreshes == (status == 401 ? 1 : 0))
    }

    @Test("29: if Shopify gives no token in exchange, the problem has its reason")
    func reasonOfExchange() async throws {
        let shop = try await SandboxShop(exchanges: true)
        let session = try await shop.login()
        let payload =
            #"{"customerAccessToken":null,"userErrors":[{"field":["customer"],"message":"Customer is disabled"}]}"#
        let body = #"{"data":{"storefrontCustomerAccessTokenCreate":\#(payload)}}"#
        let headers = [("Content-Type", "application/json"), ("X-Request-Id", "request-1")]
        shop.sandbox.shopify.planFault(.answer(status: 200, headers: headers, body: body), on: .api)
        let problem = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).problem
        #expect(problem?.code == .identityRejected && problem?.providerResponse?.traceID == "request-1")
        let reason = (problem?.cause as? CartUserErrors)?.errors.first
        #expect(reason?.field == ["customer"] && reason?.message == "Customer is disabled")
    }
}

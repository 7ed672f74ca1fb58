import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyLegacyCustomers
import ShopifyStorefront
import StorefrontSandbox
import TestDoubles
import Testing

@Suite("Legacy customers whose token is replaced while it is used")
struct RotatedTokenTests {
    @Test("a call whose token is replaced by an early refresh is sent again with the new token")
    func callDuringEarlyRefresh() async throws {
        let isRefreshed = Gate()
        var transport = try NamedOperations()
        transport.before = { body throws(HTTPTransportError) in
            if body.contains("LegacyCustomerQuery") { await isRefreshed.wait() }
        }
        transport.after = { if $0.contains("customerAccessTokenRenew") { isRefreshed.open() } }
        try await LegacyShop.with(transport: transport) { shop in
            let account = shop.account(try await shop.signIn())
            shop.clock.advance(by: .seconds(12.5 * 86_400))
            #expect(try await account.customer().legacyCustomer.email == LegacyShop.email)
        }
    }

    @Test("a call whose token another process has replaced is sent again with the new token")
    func otherProcess() async throws {
        let store = InMemoryStore()
        try await LegacyShop.with(store: store) { shop in
            let session = try await shop.signIn()
            let account = shop.account(session)
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock)
            let other = SessionManager(
                providers: try ProviderRegistry([shop.provider]),
                store: store,
                environment: environment
            )
            let calls: [() async throws -> Void] = [
                { _ = try await account.customer() },
                { _ = try await account.update(LegacyCustomerUpdateInput(lastName: .set("King"))) },
                { _ = try await account.add(LegacyCustomerAddressInput(city: .set("London"))) },
            ]
            for call in calls {
                // The first manager keeps this token in its cache.
                _ = try await shop.sessions.tokens(for: session)
                _ = try await other.refreshTokens(for: session)
                try await call()
            }
        }
    }

    @Test("a refresh whose response is lost is in doubt, and the session ends with the reason lostRotation")
    func lostRefresh() async throws {
        let observer = EventSink()
        try await LegacyShop.with(observers: [observer]) { shop in
            let session = try await shop.signIn()
            shop.sandbox.storefront.planFault(.loseResponse, on: .storefront)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.sessions.refreshTokens(for: session)
            }
            #expect(error?.code == .rotationLost)
            #expect(observer.kinds.contains(.refreshInDoubt))
            #expect(try await shop.sessions.session(session).endReason == .lostRotation)
        }
    }

    @Test("a sign-in whose buyer cannot be read deletes its token at Shopify")
    func droppedToken() async throws {
        var transport = try NamedOperations()
        transport.before = { body throws(HTTPTransportError) in
            guard body.contains("LegacyCustomerIdentityQuery") else { return }
            throw HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "Refused by the test.")
        }
        try await LegacyShop.with(transport: transport) { shop in
            await #expect(throws: IdentityError.self) { try await shop.signIn() }
            let bodies = shop.sandbox.storefront.requests(to: .storefront).map(\.bodyText)
            #expect(bodies.last?.contains("LegacyCustomerTokenDelete") == true)
        }
    }

    @Test("a revocation reports whether Shopify deleted the token")
    func revocation() async throws {
        try await LegacyShop.with { shop in
            let tokens = try await shop.sessions.tokens(for: try await shop.signIn()).tokens
            #expect(try await shop.provider.revoke(tokens))
            #expect(try await shop.provider.revoke(tokens) == false)
            let error = #"{"field":["customerAccessToken"],"message":"access token does not exist"}"#
            let result = #"{"deletedCustomerAccessTokenId":null,"userErrors":[\#(error)]}"#
            let body = #"{"data":{"customerAccessTokenDelete":\#(result)}}"#
            shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
            #expect(try await shop.provider.revoke(tokens) == false)
        }
    }
}

import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Synchronization
import Testing

@testable import ShopifyStorefront

/// Failure modes of carts, one test each, over HTTP with a stateful Storefront and with SQLite.
///
/// The numbers only identify the modes.
@Suite("Cart failure modes") struct CartFailureModesTests {
    @Test("1: no call puts the buyer on a cart whose id came from the browser")
    func foreignCart() async throws {
        let shop = try await SandboxShop()
        let planted = try await shop.carts.create(shop.mugs(), for: shop.sessions.beginGuest().id, in: shop.context)
        let session = try await shop.login()
        let adopted = try await shop.carts.adopt(planted.cart.id, for: session, in: shop.context)
        #expect(adopted.identity == .guest)
        let attached = try await shop.carts.attach(to: session, in: shop.context)
        #expect(attached.identity == .degraded(.cartNotIssued) && attached.problem?.code == .cartNotIssued)
        let handoff = try await shop.carts.checkout(for: session, in: shop.context)
        #expect(handoff.identity == .guest && handoff.problem?.code == .cartNotIssued)
        _ = try await shop.sessions.refreshTokens(for: session)
        await shop.sessions.drain()
        #expect(try shop.state(adopted.cart).customerAccessToken == nil)
        // The app states that the id is trusted.
        _ = try await shop.carts.adopt(planted.cart.id, for: try await shop.login(), isTrusted: true)
    }

    @Test("2: one of two concurrent logins gets a guest's cart, and no cart has two buyers")
    func racingLogins() async throws {
        let shop = try await SandboxShop()
        let (guest, cart) = try await shop.guestWithMug()
        let (ada, grace) = (try await shop.login(), try await shop.login(as: "grace@example.com"))
        async let first = shop.carts.mergeGuestCart(of: guest, into: ada, in: shop.context)
        async let second = shop.carts.mergeGuestCart(of: guest, into: grace, in: shop.context)
        let outcomes = try await [first.outcome, second.outcome]
        #expect(outcomes.count { $0 == .adopted } == 1 && outcomes.count { $0 == .nothingToMerge } == 1)
        let bound = [try await shop.isBound(ada), try await shop.isBound(grace)]
        #expect(bound.count { $0 } == 1)
        #expect(try shop.state(cart).customerAccessToken != nil)
        await #expect(throws: IdentityError.self) { try await shop.sessions.session(guest) }
    }

    @Test("3: a token that is refreshed during a checkout is on the cart afterwards")
    func refreshDuringCheckout() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let sessions = shop.sessions
        shop.storefront.planFault(
            .before { _ = try? await sessions.refreshTokens(for: session) },
            on: .storefront
        )
        let handoff = try await shop.carts.checkout(for: session, in: shop.context)
        await shop.sessions.drain()
        let token = try await shop.sessions.tokens(for: session).tokens.accessToken.reveal()
        #expect(handoff.identity == .customer)
        #expect(try shop.state(cart).customerAccessToken == token)
    }

    @Test(
        "4: after \"Customer is invalid\" the token is refreshed once, then the cart stays usable as a guest's cart with the reason"
    )
    func invalidCustomer() async throws {
        let shop = try await SandboxShop(storefront: { $0.takesCustomerAccountTokens = false })
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(cart.identity == .degraded(.identityRejected) && cart.cart.totalQuantity == 1)
        #expect(shop.sandbox.shopify.counters.refreshes == 1)
        #expect(try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart.totalQuantity == 2)
        #expect(shop.events.kinds.contains(.degraded(.identityRejected)))
    }

    @Test("5: a valid token of another shop leads to a guest's cart, and the other shop gets no request")
    func otherShop() async throws {
        let other = try await SandboxShop()
        let shop = try await SandboxShop()
        let session = try await other.login()
        let claim = try await other.sessions.cartClaim(for: session).claim
        guard case .customer(let token) = claim else { throw IdentityError(.rejected, .invalidRequest, "no token") }
        let provider = ClaimProvider(.token(token), clock: shop.clock)
        let store = InMemoryStore()
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock)
        )
        let carts = CartAdapter(client: shop.carts.client, sessions: sessions, store: store)
        let id = try await sessions.establish(provider.tokens(1), provider: "test").id
        let cart = try await carts.add(shop.mugs(), for: id, in: shop.context)
        #expect(cart.identity == .degraded(.identityRejected) && cart.cart.totalQuantity == 1)
        #expect(other.storefront.requests.isEmpty)
    }

    @Test(
        "6: a temporary failure of the refresh keeps the buyer on the cart, and a permanent failure removes the buyer"
    )
    func refreshFails() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        shop.clock.advance(by: .seconds(3000))
        shop.sandbox.shopify.planFault(.htmlPage(status: 500), on: .token, times: 20)
        let during = try await shop.carts.checkout(for: session, in: shop.context)
        #expect(during.identity == .customer)
        #expect(try shop.state(cart).customerAccessToken != nil)
        shop.sandbox.shopify.removeAllFaults()
        shop.clock.advance(by: .seconds(4000))
        shop.sandbox.shopify.revokeAll()
        let after = try await shop.carts.checkout(for: session, in: shop.context)
        #expect(after.identity == .guest && after.problem?.kind == .signInAgain)
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test(
        "7: a logout while Shopify is unavailable ends the session, and reports that the buyer may still be on the cart"
    )
    func logoutDuringOutage() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        shop.storefront.planFault(.htmlPage(status: 503), on: .storefront, times: 50)
        let result = try await shop.carts.logout(session, in: shop.context)
        #expect(result.guest == nil && result.problem?.kind == .retryLater)
        #expect(!result.logout.problems.isEmpty)
        await #expect(throws: IdentityError.self) { try await shop.sessions.session(session) }
        #expect(try await shop.first.store.attachment(TestShop.row, of: session) == nil)
    }

    @Test("8: a line that an old browser tab adds after the logout gets into no cart")
    func oldTab() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let result = try await shop.carts.logout(session, in: shop.context)
        let carts = shop.storefront.cartStates.count
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        }
        #expect(error?.code == .sessionUnknown && shop.storefront.cartStates.count == carts)
        let guest = try #require(result.guest)
        #expect(try await shop.carts.read(for: guest)?.cart.totalQuantity == 1)
    }

    @Test("9: another buyer on the same browser gets the lines and no data of the first buyer")
    func switchedBuyer() async throws {
        for mode in [CartPolicy.Logout.clone, .detach, .drop] {
            let shop = try await SandboxShop()
            let ada = try await shop.login()
            let before = try await shop.carts.add(shop.mugs(2), for: ada, in: shop.context).cart
            let grace = try await shop.login(as: "grace@example.com")
            let token = try await shop.sessions.tokens(for: grace).tokens.accessToken.reveal()
            let (cart, logout) = try await shop.carts.switchBuyer(from: ada, to: grace, mode: mode, in: shop.context)
            #expect(logout.logout.problems.isEmpty && logout.problem == nil)
            await #expect(throws: IdentityError.self) { try await shop.sessions.session(ada) }
            guard mode != .drop else {
                #expect(cart == nil)
                continue
            }
            let after = try #require(cart)
            #expect(after.cart.totalQuantity == 2)
            #expect((after.cart.id == before.id) == (mode == .detach))
            #expect(try shop.state(after.cart).customerAccessToken == token)
            if mode == .clone { #expect(try shop.state(before).customerAccessToken == nil) }
        }
    }

    @Test("10: after an order was placed in another tab, the next added line creates a new cart")
    func completed() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(3), for: session, in: shop.context).cart
        shop.storefront.removeCart(cart.id.rawValue)
        let next = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(next.cart.totalQuantity == 1 && next.cart.id != cart.id)
        guard case .customer = next.identity else { throw next.problem ?? IdentityError.noIdentity }
        #expect(shop.events.kinds == [.gone])
    }

    @Test(
        "11: a cart that Shopify has removed is created again with its last known lines only with the policy recreate"
    )
    func evicted() async throws {
        for policy in [CartPolicy.Gone.startEmpty, .recreate] {
            var settings = CartPolicy()
            settings.gone = policy
            let shop = try await SandboxShop(policy: settings)
            let session = try await shop.login()
            let cart = try await shop.carts.add(shop.mugs(3), for: session, in: shop.context).cart
            shop.storefront.removeCart(cart.id.rawValue)
            let found = try await shop.carts.read(for: session, in: shop.context)
            #expect(found?.cart.totalQuantity == (policy == .recreate ? 3 : nil))
            #expect(shop.events.kinds == (policy == .recreate ? [.gone, .recreated] : [.gone]))
            if policy == .recreate {
                let handoff = try await shop.carts.checkout(for: session, in: shop.context)
                #expect(handoff.identity == .customer)
            }
        }
    }

    @Test("12: a new cart id in a response becomes the cart's id, and the buyer is put on the cart again")
    func movedCart() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let moved = try #require(shop.storefront.moveCart(cart.id.rawValue))
        let next = try await shop.carts.setNote("ring twice", for: session, in: shop.context)
        #expect(next.cart.id.rawValue == moved)
        guard case .customer = next.identity else { throw next.problem ?? IdentityError.noIdentity }
        #expect(try shop.state(next.cart).customerAccessToken != nil)
        #expect(shop.events.kinds == [.moved])
        #expect(try await shop.process().carts.read(for: session)?.cart.note == "ring twice")
    }

    @Test("13: after a response without a cart and without an error, the cart is read and the change is not repeated")
    func nullCart() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        shop.storefront.planFault(.storefrontNullCart, on: .storefront)
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(cart.cart.totalQuantity == 2 && shop.count("cartLinesAdd") == 1)
    }

    @Test(
        "14: user errors are thrown even if the response has a cart, the session keeps its cart, and the next call works"
    )
    func errorsAndData() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let unknown = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/99")
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add([unknown], for: session, in: shop.context)
        }
        #expect(error?.code == .cartUserErrors)
        #expect((error?.cause as? CartUserErrors)?.errors.first?.field == ["lines", "0", "merchandiseId"])
        shop.storefront.refuseNext(code: "SERVICE_UNAVAILABLE")
        let outage = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        }
        #expect(outage?.kind == .retryLater)
        #expect(try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart.totalQuantity == 2)
    }

    @Test("15: insufficient stock is a warning and not an error")
    func warnings() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let line = CartLineInput(merchandiseID: SandboxShop.lastOnes, quantity: 9)
        let cart = try await shop.carts.add([line], for: session, in: shop.context)
        #expect(cart.warnings.map(\.code) == [.merchandiseNotEnoughStock] && cart.cart.totalQuantity == 3)
    }
}

extension IdentityError {
    static var noIdentity: IdentityError { IdentityError(.rejected, .identityMissing, "No identity.") }
}

import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Synchronization
import Testing

@testable import ShopifyStorefront

/// Additions and merges that succeed in part, lost carts, and state that several shops and clients share.
extension CartFailureModesTests {
    @Test("17: after an addition of lines without a response, the cart is read, and the addition is not repeated")
    func lostResponse() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        shop.storefront.planFault(.loseResponse, on: .storefront)
        let cart = try await shop.carts.add(shop.mugs(2), for: session, in: shop.context)
        #expect(cart.cart.totalQuantity == 3 && shop.count("cartLinesAdd") == 1)
        // The request was lost before it arrived. The client cannot know that, so the caller decides.
        shop.storefront.planFault(.htmlPage(status: 502), on: .storefront)
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        }
        #expect(error?.code == .outcomeUnknown && error?.kind == .retryLater)
        #expect(try shop.state(cart.cart).quantities == [SandboxShop.mug: 3] && shop.count("cartLinesAdd") == 2)
    }

    @Test("a line on the second page is removed although another line of the same call no longer exists")
    func removalOnSecondPage() async throws {
        let shop = try await SandboxShop(storefront: { $0.variants = Self.manyVariants })
        let session = try await shop.login()
        let lines = Self.manyVariants.map { CartLineInput(merchandiseID: $0.id) }
        _ = try await shop.carts.add(lines, for: session, in: shop.context)
        let last = try #require(try await shop.carts.lines(for: session).last)
        let ids = [last.id, "gid://shopify/CartLine/gone"]
        _ = try await shop.carts.remove(lineIDs: ids, for: session, in: shop.context)
        #expect(try await shop.carts.lines(for: session).count == 299)
    }

    private static let manyVariants = (1...300).map { number in
        SandboxStorefrontConfiguration.Variant(
            id: "gid://shopify/ProductVariant/\(number)",
            product: "P",
            title: "T\(number)",
            price: 100
        )
    }

    @Test("28: a merge of more than 250 lines adds each line once, also if the merge was interrupted")
    func largeMerge() async throws {
        let shop = try await SandboxShop(storefront: { $0.variants = Self.manyVariants })
        let lines = (1...300).map { CartLineInput(merchandiseID: "gid://shopify/ProductVariant/\($0)", quantity: 2) }
        let session = try await shop.login()
        let own = try await shop.carts.add(Array(lines.prefix(30)), for: session, in: shop.context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(lines, for: guest, in: shop.context)
        #expect(try await shop.carts.lines(for: guest).count == 300)
        // The second of the two parts is refused by an outage.
        let parts = Mutex(0)
        shop.storefront.planFault(
            .before { [storefront = shop.storefront] in
                guard storefront.requests.last?.bodyText.contains("cartLinesAdd(") == true else { return }
                let part = parts.withLock { count in
                    count += 1
                    return count
                }
                if part == 2 { storefront.refuseNext(code: "SERVICE_UNAVAILABLE") }
            },
            on: .storefront,
            times: 40
        )
        await #expect(throws: IdentityError.self) {
            try await shop.carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: shop.context)
        }
        shop.storefront.removeAllFaults()
        #expect(try await shop.isBound(guest))
        let merge = try await shop.carts.mergeGuestCart(
            of: guest,
            into: session,
            merge: .intoCustomerCart,
            in: shop.context
        )
        #expect(merge.outcome == .merged && merge.refusedLines.isEmpty && merge.shortLines.isEmpty)
        let state = try shop.state(own)
        #expect(state.lineCount == 300 && state.quantities.values.reduce(0, +) == 30 * 2 + 300 * 2)
        await #expect(throws: IdentityError.self) { try await shop.sessions.session(guest) }
    }

    @Test("38: when only some of more than 250 lines are added, the caller learns which ones")
    func partialAddition() async throws {
        let variants = (1...400).map { number in
            SandboxStorefrontConfiguration.Variant(
                id: "gid://shopify/ProductVariant/\(number)",
                product: "P",
                title: "T\(number)",
                price: 100
            )
        }
        let shop = try await SandboxShop(storefront: { $0.variants = variants })
        let lines = (1...400).map { CartLineInput(merchandiseID: "gid://shopify/ProductVariant/\($0)", quantity: 2) }
        let faults: [(SandboxFault, IdentityError.Code)] = [
            (.storefrontThrottled, .throttled), (.htmlPage(status: 502), .outcomeUnknown),
        ]
        for (isNew, (fault, code)) in [(false, faults[0]), (true, faults[0]), (false, faults[1])] {
            let session = try await shop.login()
            if !isNew { _ = try await shop.carts.create(for: session, in: shop.context) }
            shop.storefront.planFault(.before {}, on: .storefront)
            shop.storefront.planFault(fault, on: .storefront)
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.add(lines, for: session, in: shop.context)
            }
            #expect(error?.code == .linesPartlyAdded && error?.kind == .rejected)
            let partial = try #require(error?.cause as? CartPartialAddition)
            #expect(partial.added == Array(lines.prefix(250)) && partial.problem.code == code)
            #expect(partial.missing + partial.unknown == Array(lines.dropFirst(250)))
            #expect(partial.unknown.isEmpty == (code == .throttled) && partial.missing.isEmpty != (code == .throttled))
            // A later addition uses the same cart.
            let rest = partial.missing + partial.unknown
            let state = try shop.state(try await shop.carts.add(rest, for: session, in: shop.context).cart)
            #expect(state.lineCount == 400 && state.quantities.values.reduce(0, +) == 800)
            #expect(state.customerAccessToken != nil)
        }
    }

    @Test(
        "39: an addition with neither cart nor error in the response counts as done only if the lines are in the cart"
    )
    func silentAddition() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let silent = #"{"data":{"cartLinesAdd":{"cart":null,"userErrors":[],"warnings":[]}}}"#
        shop.storefront.planFault(
            .answer(status: 200, headers: [("Content-Type", "application/json")], body: silent),
            on: .storefront
        )
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(shop.mugs(2), for: session, in: shop.context)
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart.totalQuantity == 2)
    }

    @Test("40: an addition of lines succeeds even if the buyer could not be put on the cart under its new id")
    func reattachFails() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let moved = try #require(shop.storefront.moveCart(cart.id.rawValue))
        shop.storefront.planFault(.before {}, on: .storefront)
        shop.storefront.planFault(.htmlPage(status: 503), on: .storefront)
        let next = try await shop.carts.add(shop.mugs(2), for: session, in: shop.context)
        #expect(next.cart.id.rawValue == moved && next.cart.totalQuantity == 3)
        #expect(next.identity == .degraded(.providerUnavailable) && next.problem?.kind == .retryLater)
        let handoff = try await shop.carts.checkout(for: session, in: shop.context)
        #expect(handoff.identity == .customer && handoff.cart.id.rawValue == moved)
    }

    @Test(
        "41: the last known lines are kept when a new cart cannot be created, and the next attempt creates a cart with them"
    )
    func recreateFails() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let cart = try await shop.carts.add(shop.mugs(3), for: session, in: shop.context).cart
        shop.storefront.removeCart(cart.id.rawValue)
        shop.storefront.planFault(.before {}, on: .storefront)
        shop.storefront.planFault(.htmlPage(status: 503), on: .storefront)
        await #expect(throws: IdentityError.self) { try await shop.carts.read(for: session, in: shop.context) }
        // Another process continues after this failure.
        let found = try await shop.process().carts.add(shop.mugs(), for: session, in: shop.context)
        #expect(found.cart.totalQuantity == 4)
        #expect(shop.events.kinds == [.gone, .recreated])
        #expect(try await shop.carts.checkout(for: session, in: shop.context).identity == .customer)
    }

    @Test("42: if Shopify rejects one of the last known lines, the new cart gets the others")
    func recreateWithoutRefusedLine() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await SandboxShop(policy: policy)
        let session = try await shop.login()
        let shirt = CartLineInput(merchandiseID: SandboxShop.shirt)
        let cart = try await shop.carts.add(shop.mugs(3) + [shirt], for: session, in: shop.context).cart
        shop.storefront.removeCart(cart.id.rawValue)
        shop.storefront.refuseNext(code: "INVALID", field: ["input", "lines", "0", "merchandiseId"])
        let found = try #require(try await shop.carts.read(for: session, in: shop.context))
        #expect(try shop.state(found.cart).quantities == [SandboxShop.shirt: 1])
        #expect(shop.events.kinds == [.gone, .recreated])
    }

    @Test("43: two shops on one session manager have a cart each, and a logout detaches both")
    func twoShops() async throws {
        let shop = try await SandboxShop()
        let second = try await SandboxShop(storefront: { $0.takesCustomerAccountTokens = true })
        let client = StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: "second.example",
                authentication: second.carts.client.configuration.authentication,
                endpoint: second.carts.client.configuration.endpoint,
                allowsLoopbackHTTP: true
            ),
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock),
            retry: .none
        )
        let carts = CartAdapter(client: client, sessions: shop.sessions, store: shop.first.attachments)
        let session = try await shop.login("bolt")
        let one = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        let two = try await carts.add(shop.mugs(2), for: session, in: shop.context).cart
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.id == one.id)
        #expect(try await carts.read(for: session, in: shop.context)?.cart.id == two.id)
        #expect(try shop.state(one).email != nil && second.state(two).email != nil)
        #expect(try await shop.sessions.logout(session).problems.isEmpty)
        #expect(try shop.state(one).email == nil && second.state(two).email == nil)
    }

    @Test("44: after a shop rejects one client as an attacker, the process's other clients send no requests either")
    func sharedBreaker() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let other = try await shop.process()
        shop.storefront.forgetRequests()
        shop.storefront.planFault(.storefrontSecurityRejection, on: .storefront)
        for carts in [shop.carts, other.carts] {
            let error = await #expect(throws: IdentityError.self) {
                try await carts.read(for: session, in: shop.context)
            }
            #expect(error?.code == .securityRejection)
        }
        #expect(shop.storefront.requests.count == 1)
        shop.clock.advance(by: .seconds(60))
        #expect(try await other.carts.read(for: session, in: shop.context)?.cart.totalQuantity == 1)
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.totalQuantity == 1)
    }

    @Test(
        "45: after the provider has ended a session, each process removes its cached responses when it notices the end"
    )
    func endedByProvider() async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        let processes = [shop.first, try await shop.process()]
        let caches = [InMemoryResponseCache(), InMemoryResponseCache()]
        let purgings = caches.map { CachePurging($0) }
        let clients = try zip(zip(processes, caches), purgings).map { (parts, purging) in
            parts.0.sessions.add(purging)
            return StorefrontClient(
                configuration: shop.carts.client.configuration,
                environment: IdentityEnvironment(transport: try CurlTransport(), clock: shop.clock),
                cache: parts.1,
                cachePolicy: .cacheFirst(expireIn: .seconds(86_400))
            )
        }
        for client in clients {
            for context in [StorefrontContext(session: session), StorefrontContext()] {
                _ = try await client.execute(ShopInfo(), in: context)
            }
        }
        #expect(caches.map(\.count) == [2, 2])
        shop.clock.advance(by: .seconds(4000))
        shop.sandbox.shopify.revokeAll()
        // The first process refreshes and is refused; the second one finds the ended session in the store.
        for (process, expected) in zip(processes, [[1, 2], [1, 1]]) {
            let error = await #expect(throws: IdentityError.self) { try await process.sessions.tokens(for: session) }
            #expect(error?.kind == .signInAgain)
            await process.sessions.drain()
            #expect(caches.map(\.count) == expected)
        }
        // Later responses for the session are not cached.
        _ = try await clients[0].execute(ShopInfo(), in: StorefrontContext(session: session))
        #expect(caches[0].count == 1)
        withExtendedLifetime(purgings) {}
    }
}

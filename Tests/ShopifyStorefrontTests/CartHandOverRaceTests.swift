import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization
import TestDoubles
import Testing

/// A store that cannot remove one of its sessions.
private final class StubbornStore: WrappingStore {
    let inner: SQLiteStore
    private let kept = Mutex<SessionID?>(nil)

    init(_ inner: SQLiteStore) { self.inner = inner }

    func keep(_ id: SessionID) { kept.withLock { $0 = id } }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        guard kept.withLock({ $0 }) != id else { throw IdentityError(.retryLater, .storeFailed, "The disk is full.") }
        return try await inner.remove(id)
    }
}

/// A logout that hands the cart to a guest, while another session of the buyer takes the cart over in another process.
@Suite struct CartHandOverRaceTests {
    @Test("a cart that is moved to the session that already has it stays there")
    func movedToItself() async throws {
        let shop = try await TestShop(.none) { $0.field == "cart" ? .read(.cart()) : .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        try await shop.carts.moveCart(of: shop.session, to: shop.session)
        #expect(try await shop.boundCart != nil)
    }

    @Test(
        "a logout that is refused because of its return path leaves the cart to the session",
        arguments: [CartPolicy.Logout.clone, .detach, .drop]
    )
    func refusedReturnPath(mode: CartPolicy.Logout) async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.forget()
        var options = LogoutOptions()
        options.returnPath = "https://evil.example/"
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.logout(shop.session, mode: mode, options: options)
        }
        #expect(error?.code == .returnPathRefused)
        #expect(try await shop.boundCart != nil && shop.storefront.fields.isEmpty)
    }

    @Test(
        "if the store cannot remove the session, the session has its cart after the failed logout, and no guest has one",
        arguments: [CartPolicy.Logout.clone, .detach]
    )
    func failedRemoval(mode: CartPolicy.Logout) async throws {
        let shop = try await SandboxShop()
        let (provider, store) = (ClaimProvider(.none, clock: shop.clock), StubbornStore(shop.first.store))
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: shop.clock)
        )
        let carts = CartAdapter(client: shop.carts.client, sessions: sessions, store: store)
        let session = try await sessions.establish(provider.tokens(1), provider: "test").id
        let cart = try await carts.add(shop.mugs(), for: session, in: shop.context).cart
        store.keep(session)
        await #expect(throws: IdentityError.self) { try await carts.logout(session, mode: mode, in: shop.context) }
        #expect(try await carts.read(for: session, in: shop.context)?.cart.id == cart.id)
        #expect(try await store.sessions(matching: SessionFilter()).map(\.id) == [session])
    }

    @Test(
        "the buyer's other session and the next guest never have the same cart",
        arguments: [true, false]
    )
    func takeoverDuringHandOver(startsWithLogout: Bool) async throws {
        let shop = try await SandboxShop()
        let context = shop.context
        let (session, device) = (try await shop.login(), try await shop.login())
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: context).cart
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.add(shop.mugs(), for: guest, in: context)
        let other = try await shop.process()
        let visitor: SessionID?
        if startsWithLogout {
            // The other session takes the cart over before Shopify gets the first request of the logout.
            shop.storefront.planFault(
                .before {
                    _ = try? await other.carts.mergeGuestCart(
                        of: guest,
                        into: device,
                        merge: .intoCustomerCart,
                        in: context
                    )
                },
                on: .storefront
            )
            visitor = try await shop.carts.logout(session, mode: .detach, in: context).guest
            #expect(try await shop.carts.read(for: device, in: context)?.cart.id == cart.id)
        } else {
            // The logout runs while the other session reads the cart that it takes over.
            let end = Mutex<SessionID?>(nil)
            shop.storefront.planFault(.before {}, on: .storefront)
            shop.storefront.planFault(
                .before {
                    let result = try? await other.carts.logout(session, mode: .detach, in: context)
                    end.withLock { $0 = result?.guest }
                },
                on: .storefront
            )
            let merge = try await shop.carts.mergeGuestCart(
                of: guest,
                into: device,
                merge: .intoCustomerCart,
                in: context
            )
            #expect(merge.outcome == .adopted && merge.cart?.cart.totalQuantity == 1)
            visitor = end.withLock { $0 }
        }
        let next = try #require(visitor)
        let left = try #require(try await shop.carts.read(for: next, in: context)).cart
        #expect((left.id == cart.id) == !startsWithLogout)
        #expect(try await shop.carts.checkout(for: device, in: context).identity == .customer)
        #expect(try shop.state(left).customerAccessToken == nil)
    }

    @Test(
        "a logout during a logout of the same session gets the same guest with the cart",
        arguments: [CartPolicy.Logout.detach, .clone]
    )
    func repeatedLogout(mode: CartPolicy.Logout) async throws {
        let shop = try await SandboxShop()
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let executor = SerialTaskExecutor()
        let second = Mutex<Task<SessionID?, any Error>?>(nil)
        shop.storefront.planFault(
            .before {
                let task = Task(executorPreference: executor) {
                    try await shop.carts.logout(session, mode: mode, in: shop.context).guest
                }
                second.withLock { $0 = task }
                await executor.settle()
            },
            on: .storefront
        )
        let guest = try #require(try await shop.carts.logout(session, mode: mode, in: shop.context).guest)
        #expect(try await second.withLock { $0 }?.value == guest)
        #expect(try await shop.carts.read(for: guest, in: shop.context)?.cart.totalQuantity == 1)
    }

    @Test("a cart that a logout gives to a guest while it is moved to the buyer's new session stays with the guest")
    func moveDuringHandOver() async throws {
        let shop = try await SandboxShop()
        let (old, session) = (try await shop.login(), try await shop.login())
        let cart = try await shop.carts.add(shop.mugs(), for: old, in: shop.context).cart
        let other = try await shop.process()
        let end = Mutex<SessionID?>(nil)
        shop.storefront.planFault(
            .before {
                let result = try? await other.carts.logout(old, mode: .detach, in: shop.context)
                end.withLock { $0 = result?.guest }
            },
            on: .storefront
        )
        try await shop.carts.moveCart(of: old, to: session)
        let guest = try #require(end.withLock { $0 })
        #expect(try await shop.carts.read(for: guest, in: shop.context)?.cart.id == cart.id)
        #expect(try await !shop.isBound(session))
        #expect(try shop.state(cart).customerAccessToken == nil)
    }

    @Test("a move that a logout stops does not remove a cart that another process has created for the new session")
    func creationAfterStoppedMove() async throws {
        let shop = try await SandboxShop()
        let (old, session) = (try await shop.login(), try await shop.login())
        _ = try await shop.carts.add(shop.mugs(), for: old, in: shop.context)
        let other = try await shop.process()
        other.attachments.beforeReads(of: old) {
            guard try await shop.isBound(session), try await shop.isBound(old) else { return }
            // The move has saved the cart with the new session, and is about to read the old session again.
            _ = try await shop.carts.logout(old, mode: .drop, in: shop.context)
            let shirts = [CartLineInput(merchandiseID: SandboxShop.shirt)]
            _ = try await shop.carts.create(shirts, for: session, in: shop.context)
        }
        try await other.carts.moveCart(of: old, to: session)
        let own = try #require(try await shop.carts.read(for: session, in: shop.context)).cart
        #expect(try shop.state(own).quantities == [SandboxShop.shirt: 1])
    }

    @Test("a repeated move ends a move that was interrupted")
    func interruptedMove() async throws {
        let shop = try await SandboxShop()
        let (old, session) = (try await shop.login(), try await shop.login())
        let cart = try await shop.carts.add(shop.mugs(), for: old, in: shop.context).cart
        shop.loseResponses(of: "cartBuyerIdentityUpdate")
        await #expect(throws: IdentityError.self) { try await shop.carts.moveCart(of: old, to: session) }
        shop.storefront.removeAllFaults()
        try await shop.carts.moveCart(of: old, to: session)
        #expect(try await shop.carts.read(for: session, in: shop.context)?.cart.id == cart.id)
        #expect(try await !shop.isBound(old))
    }

    @Test("the next guest gets a copy if the store does not say whether another session has taken the cart over")
    func unknownTakeover() async throws {
        let shop = try await SandboxShop()
        let (session, device) = (try await shop.login(), try await shop.login())
        let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
        shop.storefront.planFault(
            .before {
                shop.first.attachments.beforeReads(of: device) {
                    throw IdentityError(.retryLater, .storeFailed, "The attachment cannot be read.")
                }
            },
            on: .storefront
        )
        let end = try await shop.carts.logout(session, mode: .detach, in: shop.context)
        let copy = try await shop.visitorCart(end)
        #expect(copy.id != cart.id && copy.totalQuantity == 1)
    }

    @Test(
        "if the cart cannot be saved with the next guest's session, that session ends, and a new guest gets a copy if possible"
    )
    func failedSave() async throws {
        for failures in [1, Int.max] {
            let shop = try await SandboxShop()
            let session = try await shop.login()
            let cart = try await shop.carts.add(shop.mugs(), for: session, in: shop.context).cart
            // The first write removes the cart from the buyer's session, and the second one saves it with the guest's.
            shop.first.attachments.fail(after: 1, times: failures)
            let end = try await shop.carts.logout(session, mode: .detach, in: shop.context)
            let left = try await shop.first.store.sessions(matching: SessionFilter()).map(\.id)
            if failures == 1 {
                let copy = try await shop.visitorCart(end)
                #expect(copy.id != cart.id && copy.totalQuantity == 1)
                #expect(left == [end.guest])
            } else {
                #expect(end.guest == nil && end.problem?.code == .storeFailed)
                #expect(left.isEmpty)
            }
            #expect(try shop.state(cart).customerAccessToken == nil)
        }
    }
}

import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Tenants")
struct TenantTests {
    /// Two shops in one store, with managers of one or both.
    private struct World {
        let clock = ManualClock()
        let store = InMemoryStore()
        let providers: [StrictProvider]

        init() {
            providers = ["shop-1", "shop-2"].map { [clock] shop in
                StrictProvider(clock: clock, name: "login-\(shop)", tenant: shop)
            }
        }

        func manager(of tenant: String?) throws -> SessionManager {
            try TenantTests.manager(providers, store, clock, tenant: tenant)
        }

        func signIn(at shop: Int) async throws -> SessionID {
            let tokens = providers[shop - 1].mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
            return try await manager(of: "shop-\(shop)").establish(tokens, provider: "login-shop-\(shop)").id
        }
    }

    private static func manager(
        _ providers: [any IdentityProvider],
        _ store: InMemoryStore,
        _ clock: ManualClock,
        tenant: String? = nil
    ) throws -> SessionManager {
        var configuration = SessionManager.Configuration()
        configuration.tenant = tenant
        return SessionManager(
            providers: try ProviderRegistry(providers),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: clock),
            configuration: configuration
        )
    }

    private func expectUnknown(_ call: () async throws -> Void) async {
        let error = await #expect(throws: IdentityError.self) { try await call() }
        #expect(error?.code == .sessionUnknown)
    }

    @Test("sessions of another shop are unknown to every call of a shop's manager")
    func unknown() async throws {
        let world = World()
        let id = try await world.signIn(at: 2)
        let first = try world.manager(of: "shop-1")
        await expectUnknown { _ = try await first.session(id) }
        await expectUnknown { _ = try await first.tokens(for: id) }
        await expectUnknown { _ = try await first.refreshTokens(for: id) }
        await expectUnknown { _ = try await first.cartClaim(for: id) }
        await expectUnknown { _ = try await first.buyerProfile(for: id) }
        await expectUnknown { _ = try await first.logout(id) }
        #expect(try await first.sessions().isEmpty)
        let own = try world.manager(of: "shop-2")
        #expect(try await own.session(id).tenant == "shop-2")
        #expect(try await own.tokens(for: id).outcome == .stored)
        #expect(world.providers[1].refreshes == 0)
    }

    @Test("a manager of one shop lists only that shop's sessions, and none with a filter for another shop")
    func lists() async throws {
        let world = World()
        let ids = [try await world.signIn(at: 1), try await world.signIn(at: 2)]
        let first = try world.manager(of: "shop-1")
        #expect(try await first.sessions().map(\.id) == [ids[0]])
        let buyer = (issuer: "https://id.example", subject: "buyer-1")
        #expect(try await first.sessions(matching: SessionFilter(buyer: buyer)).map(\.id) == [ids[0]])
        #expect(try await first.sessions(matching: SessionFilter(tenant: "shop-2")).isEmpty)
        #expect(
            try await world.manager(of: nil).sessions(matching: SessionFilter(tenant: "shop-2")).map(\.id) == [ids[1]]
        )
        #expect(try await world.manager(of: nil).sessions().count == 2)
    }

    @Test("a manager of one shop has only that shop's providers")
    func providers() async throws {
        let world = World()
        let first = try world.manager(of: "shop-1")
        #expect(first.providerNames == ["login-shop-1"])
        let error = await #expect(throws: IdentityError.self) { _ = try await first.begin("login-shop-2") }
        #expect(error?.code == .providerUnknown)
        // The name comes from a browser's request.
        #expect(error?.kind == .rejected)
    }

    @Test("a callback of one shop's login is refused at another shop")
    func callback() async throws {
        let world = World()
        let started = try await world.manager(of: "shop-1").begin("login-shop-1")
        let callback = try LoginCallback(form: Array("code=c&\(try #require(started.url.query))".utf8))
        let second = try world.manager(of: "shop-2")
        await #expect(throws: IdentityError.self) {
            _ = try await second.complete(callback, browserBinding: started.browserBinding)
        }
        #expect(try await world.manager(of: nil).sessions().isEmpty)
    }

    @Test("logoutAll ends the buyer's sessions at the manager's shop only; a manager of all shops ends all of them")
    func logoutAll() async throws {
        let world = World()
        for shop in [1, 1, 2, 2] { _ = try await world.signIn(at: shop) }
        let both = try world.manager(of: nil)
        let first = try world.manager(of: "shop-1")
        #expect(try await first.logoutAll(issuer: "https://id.example", subject: "buyer-1", tenant: "shop-2").isEmpty)
        #expect(try await both.sessions().count == 4)
        #expect(try await first.logoutAll(issuer: "https://id.example", subject: "buyer-1").count == 2)
        #expect(try await both.sessions().map(\.tenant) == ["shop-2", "shop-2"])
        #expect(try await both.logoutAll(issuer: "https://id.example", subject: "buyer-1", tenant: "shop-1").isEmpty)
        #expect(try await both.logoutAll(issuer: "https://id.example", subject: "buyer-1").count == 2)
    }

    @Test("a login of one shop is unknown at another shop with the same provider name")
    func sameProviderName() async throws {
        let clock = ManualClock()
        let store = InMemoryStore()
        let shops = ["shop-1", "shop-2"].map { StrictProvider(clock: clock, name: "login", tenant: $0) }
        // Each shop has its own registry; only the store is shared.
        func manager(_ shop: Int, tenant: String?) throws -> SessionManager {
            try Self.manager([shops[shop]], store, clock, tenant: tenant)
        }
        for tenant in ["shop-2", nil] {
            let started = try await manager(0, tenant: "shop-1").begin("login")
            let callback = try LoginCallback(form: Array("code=c&\(try #require(started.url.query))".utf8))
            let error = await #expect(throws: IdentityError.self) {
                _ = try await manager(1, tenant: tenant).complete(
                    callback,
                    browserBinding: started.browserBinding,
                    provider: "login"
                )
            }
            #expect(error?.code == .stateUnknown)
            #expect(error?.kind == .rejected)
        }
        #expect(shops[1].exchanges == 0)
    }

    @Test("no token of a shop reaches the provider of another shop with the same name, also without a tenant")
    func tokensOfSameProviderName() async throws {
        let clock = ManualClock()
        let store = InMemoryStore()
        let shops = ["shop-1", "shop-2"].map { LogoutProvider(clock: clock, name: "login", tenant: $0) }
        let first = try Self.manager([shops[0]], store, clock)
        let second = try Self.manager([shops[1]], store, clock)
        let tokens = shops[0].inner.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        let id = try await first.establish(tokens, provider: "login").id
        clock.advance(by: .seconds(3601))
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await second.tokens(for: id) }, { _ = try await second.refreshTokens(for: id) },
            { _ = try await second.buyerProfile(for: id) }, { _ = try await second.beginStepUp(of: id) },
        ]
        for call in calls {
            let error = await #expect(throws: IdentityError.self) { try await call() }
            #expect(error?.code == .providerUnknown && error?.kind == .configuration)
        }
        let unreadable = IdentityError(.rejected, .tokenResponseInvalid, "Unreadable.")
        shops[0].inner.fail(with: [unreadable, unreadable])
        await #expect(throws: IdentityError.self) { try await first.refreshTokens(for: id) }
        #expect(try await second.repair().remaining == 1)
        #expect(shops[1].inner.refreshes == 0)
        clock.advance(by: .seconds(120))
        #expect(try await first.refreshTokens(for: id).outcome == .refreshedLate)
        let result = try await second.logout(id)
        #expect(result.browserURL == nil && result.problems.map(\.code) == [.providerUnknown])
        #expect(shops[1].revoked.isEmpty)
    }

    @Test("a pending logout of one shop is unknown at another, and many logouts at one shop evict none of another shop")
    func logouts() async throws {
        let clock = ManualClock()
        let store = InMemoryStore(maximumAttempts: 3)
        let shops = ["shop-1", "shop-2"].map { LogoutProvider(clock: clock, name: "login", tenant: $0) }
        func manager(_ shop: Int, tenant: String?) throws -> SessionManager {
            try Self.manager([shops[shop]], store, clock, tenant: tenant)
        }
        func logout(_ shop: Int) async throws -> (callback: LogoutCallback, binding: Secret?) {
            let manager = try manager(shop, tenant: "shop-\(shop + 1)")
            let tokens = shops[shop].inner.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
            let session = try await manager.establish(tokens, provider: "login").id
            let options = LogoutOptions(returningTo: "https://app.example/signed-out")
            let result = try await manager.logout(session, options: options)
            let query = try #require(result.browserURL?.query)
            return (try LogoutCallback(url: "/signed-out?\(query)"), result.awaitedReturn?.browserBinding)
        }
        for tenant in ["shop-2", nil] {
            let (callback, binding) = try await logout(0)
            let error = await #expect(throws: IdentityError.self) {
                _ = try await manager(1, tenant: tenant).completeLogout(callback, browserBinding: binding)
            }
            #expect(error?.code == .stateUnknown)
        }
        let kept = try await logout(0)
        for _ in 0..<5 { _ = try await logout(1) }
        let done = try await manager(0, tenant: "shop-1").completeLogout(
            kept.callback,
            browserBinding: kept.binding,
            provider: "login"
        )
        #expect(done.isConfirmed)
    }

    @Test("shops whose names are canonically equivalent in Unicode are different")
    func lookalikes() async throws {
        let clock = ManualClock()
        let store = InMemoryStore()
        let shops = ["K", "\u{212A}"].enumerated().map { StrictProvider(clock: clock, name: "p\($0)", tenant: $1) }
        func manager(_ tenant: String) throws -> SessionManager {
            try Self.manager(shops, store, clock, tenant: tenant)
        }
        let tokens = shops[0].mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        let id = try await manager("K").establish(tokens, provider: "p0").id
        let other = try manager("\u{212A}")
        await expectUnknown { _ = try await other.session(id) }
        #expect(other.providerNames == ["p1"])
        #expect(try await other.sessions().isEmpty)
    }

    @Test("the tokens of a buyer's sessions are revoked eight at a time", .timeLimit(.minutes(5)))
    func revocations() async throws {
        let stage = try LogoutStage()
        for _ in 0..<20 { _ = try await stage.signIn() }
        let running = Mutex((now: 0, most: 0))
        stage.provider.onRevocation { _ in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // Wait until eight revocations run at the same time.
            for _ in 0..<20_000 where running.withLock({ $0.most }) < 8 { try await Task.sleep(for: .milliseconds(1)) }
            running.withLock { $0.now -= 1 }
        }
        let results = try await stage.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        #expect(results.count == 20)
        #expect(results.allSatisfy { $0.problems.isEmpty })
        #expect(stage.provider.revoked.count == 20)
        #expect(running.withLock { $0.most } == 8)
    }
}

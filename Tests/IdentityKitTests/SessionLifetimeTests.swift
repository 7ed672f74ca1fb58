import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

private final class EndCounter: SessionParticipant {
    private let count = Mutex(0)
    var ends: Int { count.withLock { $0 } }
    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws { count.withLock { $0 += 1 } }
}

@Suite("Session lifetime")
struct SessionLifetimeTests {
    private static let day = Duration.seconds(86_400)

    private struct World {
        let clock = ManualClock()
        let store = InMemoryStore()
        let provider: JournaledProvider

        /// `lifetime` is the lifetime of access tokens in days.
        init(lifetime: Double = 1_000) {
            provider = JournaledProvider(clock: clock, lifetime: lifetime * 86_400)
        }

        func manager(_ change: (inout SessionManager.Configuration) -> Void = { _ in }) throws -> SessionManager {
            var configuration = SessionManager.Configuration()
            configuration.sessionRetention = day
            configuration.cachedSessions = 100
            // A busy machine may run the work of carts late.
            configuration.participantWait = .seconds(60)
            change(&configuration)
            return try SessionManager(provider, store: store, clock: clock, configuration: configuration)
        }

        func signIn(_ manager: SessionManager) async throws -> SessionID {
            let tokens = provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
            return try await manager.establish(tokens, provider: "journaled").id
        }
    }

    /// Expects that every call treats the session as unknown; calls logout last.
    private func expectUnknown(
        _ id: SessionID,
        to manager: SessionManager,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let calls: [(name: String, run: () async throws -> Void)] = [
            ("session", { _ = try await manager.session(id) }),
            ("tokens", { _ = try await manager.tokens(for: id) }),
            ("tokens, valid for long", { _ = try await manager.tokens(for: id, validFor: .seconds(1_000_000_000)) }),
            ("refreshTokens", { _ = try await manager.refreshTokens(for: id) }),
            ("cartClaim", { _ = try await manager.cartClaim(for: id) }),
            ("buyerProfile", { _ = try await manager.buyerProfile(for: id) }),
            ("logout", { _ = try await manager.logout(id) }),
        ]
        #expect(try await manager.sessions().isEmpty, sourceLocation: sourceLocation)
        for call in calls {
            let error = await #expect(throws: IdentityError.self, "\(call.name)", sourceLocation: sourceLocation) {
                try await call.run()
            }
            #expect(error?.code == .sessionUnknown, "\(call.name)", sourceLocation: sourceLocation)
        }
    }

    @Test("every call treats a session past its retention as unknown, also before a sweep")
    func retention() async throws {
        let world = World()
        let manager = try world.manager()
        let cart = EndCounter()
        manager.add(cart)
        let id = try await world.signIn(manager)
        world.clock.advance(by: Self.day)
        #expect(try await manager.session(id).id == id)
        #expect(try await manager.tokens(for: id).outcome == .stored)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await world.store.session(id) != nil)
        try await expectUnknown(id, to: manager)
        #expect(world.provider.requests == 0)
        // The logout throws session_unknown, but removes the stored session.
        #expect(try await world.store.session(id) == nil)
        #expect(world.provider.revoked.count == 1)
        #expect(cart.ends == 1)
    }

    @Test("cached tokens are not used after their session's retention")
    func cache() async throws {
        let world = World()
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        world.clock.advance(by: Self.day - .seconds(1))
        #expect(try await manager.tokens(for: id).outcome == .stored)
        world.clock.advance(by: .milliseconds(1_001))
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(error?.code == .sessionUnknown)
    }

    @Test("a guest session past its retention is unknown")
    func guests() async throws {
        let world = World()
        let manager = try world.manager { $0.maximumSessionLifetime = Self.day }
        let guest = try await manager.beginGuest(retainedFor: Self.day * 30).id
        world.clock.advance(by: Self.day * 30)
        #expect(try await manager.session(guest).isGuest)
        world.clock.advance(by: .seconds(1))
        #expect(try await manager.endGuest(guest) == nil)
        try await expectUnknown(guest, to: manager)
    }

    @Test("logoutAll also removes sessions past their retention, and reports only the others")
    func logoutAll() async throws {
        let world = World()
        let manager = try world.manager()
        let old = try await world.signIn(manager)
        world.clock.advance(by: Self.day + .seconds(1))
        let young = try await world.signIn(manager)
        let results = try await manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        #expect(results.map(\.session.id) == [young])
        #expect(try await world.store.session(old) == nil)
        #expect(world.provider.revoked.count == 2)
    }

    @Test("a refresh in doubt is not repaired for a session past its retention")
    func repair() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        try await world.die(at: id)
        let requests = world.provider.requests
        world.clock.advance(by: Self.day * 91)
        #expect(try await world.manager().repair() == RepairReport())
        #expect(world.provider.requests == requests)
    }

    @Test("a session ends with its maximum lifetime since the sign-in, however often it is refreshed")
    func maximum() async throws {
        let world = World(lifetime: 0.5)
        let manager = try world.manager { $0.maximumSessionLifetime = Self.day * 30 }
        let id = try await world.signIn(manager)
        let end = world.clock.now + 30 * 86_400
        for _ in 0..<40 {
            world.clock.advance(by: .seconds(3 * 86_400 / 4))
            guard world.clock.now <= end else { break }
            #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
        }
        #expect(world.provider.requests == 40)
        #expect(try await world.store.session(id)?.retainedUntil == end)
        world.clock.advance(by: .milliseconds(1))
        try await expectUnknown(id, to: manager)
    }

    @Test(
        "a new maximum lifetime applies to existing sessions immediately, and the next sweep removes the expired ones"
    )
    func shortened() async throws {
        let world = World(lifetime: 0.5)
        let id = try await world.signIn(try world.manager { $0.sessionRetention = Self.day * 90 })
        world.clock.advance(by: Self.day * 2)
        let short = try world.manager {
            ($0.sessionRetention, $0.maximumSessionLifetime) = (Self.day * 90, Self.day * 3)
        }
        #expect(try await short.tokens(for: id).outcome == .refreshedLate)
        world.clock.advance(by: Self.day + .seconds(1))
        #expect(try await short.sweep() == 1)
        let other = try await world.signIn(try world.manager { $0.sessionRetention = Self.day * 90 })
        world.clock.advance(by: Self.day * 4)
        try await expectUnknown(other, to: short)
    }

    @Test("without a maximum lifetime a session lasts as long as it is refreshed")
    func unlimited() async throws {
        let world = World(lifetime: 0.5)
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        for _ in 0..<400 {
            world.clock.advance(by: Self.day)
            #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
        }
    }

    @Test(
        "a session that was put back into the store after its logout has revoked tokens, and ends with its maximum lifetime"
    )
    func putBack() async throws {
        let world = World(lifetime: 0.5)
        let manager = try world.manager {
            ($0.sessionRetention, $0.maximumSessionLifetime) = (Self.day * 90, Self.day * 30)
        }
        let id = try await world.signIn(manager)
        let row = try #require(try await world.store.session(id))
        _ = try await manager.logout(id)
        #expect(world.provider.revoked == ["refresh-1"])
        try await world.store.insert(row)
        // The stored session does not show that it was put back: the threat model names this limit.
        #expect(try await manager.session(id).id == id)
        world.clock.advance(by: Self.day * 30 + .seconds(1))
        try await expectUnknown(id, to: manager)
    }
}

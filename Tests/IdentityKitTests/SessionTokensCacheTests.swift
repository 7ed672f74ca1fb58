import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A store that counts reads and can delay them.
private final class ReadingStore: WrappingStore {
    let inner = InMemoryStore()
    private let state = Mutex((reads: 0, gate: (@Sendable () async -> Void)?.none))
    var reads: Int { state.withLock { $0.reads } }
    func hold(_ gate: (@Sendable () async -> Void)?) { state.withLock { $0.gate = gate } }

    func session(_ id: SessionID) async throws -> StoredSession? {
        let gate = state.withLock { state in
            state.reads += 1
            return state.gate
        }
        let found = try await inner.session(id)
        await gate?()
        return found
    }
}

@Suite("Credentials kept in memory")
struct SessionTokensCacheTests {
    private struct World {
        let clock = ManualClock()
        let store = ReadingStore()
        let provider: StrictProvider
        let heard = IdentityCounters()

        init(lifetime: Double = 3600) {
            provider = StrictProvider(clock: clock, lifetime: lifetime)
        }

        func manager(_ maximum: Int = 100) throws -> SessionManager {
            var configuration = SessionManager.Configuration()
            configuration.cachedSessions = maximum
            return try SessionManager(
                provider,
                store: store,
                clock: clock,
                configuration: configuration,
                observers: [heard]
            )
        }

        func signIn(_ manager: SessionManager, _ subject: String = "buyer") async throws -> SessionID {
            try await manager.establish(
                provider.mint(Buyer(issuer: "https://id.example", subject: subject)),
                provider: "strict"
            ).id
        }
    }

    @Test("many calls for one session read the store once until `cacheLifetime` has passed")
    func serves() async throws {
        let world = World()
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        for _ in 0..<100 { #expect(try await manager.tokens(for: id).outcome == .stored) }
        #expect(world.store.reads == 1)
        world.clock.advance(by: .seconds(5))
        _ = try await manager.tokens(for: id)
        #expect(world.store.reads == 2)
    }

    @Test("tokens are cached only if configured")
    func off() async throws {
        let world = World()
        let manager = try world.manager(0)
        let id = try await world.signIn(manager)
        for _ in 0..<3 { _ = try await manager.tokens(for: id) }
        #expect(world.store.reads == 3)
    }

    @Test("a cached token is used only if it stays valid for the requested time")
    func due() async throws {
        let world = World()
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        world.clock.advance(by: .seconds(2690))
        _ = try await manager.tokens(for: id)
        _ = try await manager.tokens(for: id, validFor: .seconds(910))
        #expect(world.provider.refreshes == 0)
        #expect(try await manager.tokens(for: id, validFor: .seconds(911)).outcome == .refreshedEarly)
    }

    @Test("tokens that live less than a minute are cached, and used while a quarter of their lifetime remains")
    func shortLifetime() async throws {
        let world = World(lifetime: 40)
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        for _ in 0..<3 { #expect(try await manager.tokens(for: id).outcome == .stored) }
        #expect(world.store.reads == 1)
        world.clock.advance(by: .seconds(29))
        #expect(try await manager.tokens(for: id).outcome == .stored)
        world.clock.advance(by: .seconds(2))
        #expect(try await manager.tokens(for: id).outcome == .refreshedEarly)
    }

    @Test("the cache sees a refresh and a logout of the same session manager immediately")
    func here() async throws {
        let world = World()
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        let old = try await manager.tokens(for: id)
        let new = try await manager.refreshTokens(for: id)
        let next = try await manager.tokens(for: id)
        #expect(!next.tokens.accessToken.isEqual(to: old.tokens.accessToken))
        #expect(next.tokens.accessToken.isEqual(to: new.tokens.accessToken))
        _ = try await manager.logout(id)
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(error?.code == .sessionUnknown)
    }

    @Test("a logout by another session manager takes effect when `cacheLifetime` has passed")
    func elsewhere() async throws {
        let world = World()
        let (manager, other) = (try world.manager(), try world.manager())
        let id = try await world.signIn(manager)
        _ = try await manager.tokens(for: id)
        _ = try await other.logout(id)
        world.clock.advance(by: .seconds(5))
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
    }

    @Test("a read that began before a logout does not fill the cache after it")
    func race() async throws {
        let world = World()
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        let stop = StoppingPoint()
        world.store.hold { await stop.pass() }
        let reader = Task { try await manager.tokens(for: id) }
        await stop.arrived()
        world.store.hold(nil)
        _ = try await manager.logout(id)
        stop.release()
        _ = try await reader.value
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
    }

    @Test("the credential cache has a size limit, and new credentials replace old ones")
    func bounded() async throws {
        let world = World()
        let manager = try world.manager(8)
        var ids: [SessionID] = []
        for number in 0..<40 { ids.append(try await world.signIn(manager, "buyer-\(number)")) }
        for id in ids { _ = try await manager.tokens(for: id) }
        let before = world.store.reads
        for id in ids { _ = try await manager.tokens(for: id) }
        #expect(world.store.reads - before >= 32)
        let last = try #require(ids.last)
        let reads = world.store.reads
        _ = try await manager.tokens(for: last)
        #expect(world.store.reads == reads)
    }

    @Test("events are counted by name, detail and provider")
    func counters() async throws {
        let world = World()
        let manager = try world.manager()
        let id = try await world.signIn(manager)
        world.clock.advance(by: .seconds(3601))
        _ = try await manager.tokens(for: id)
        world.provider.revokeAll()
        _ = try? await manager.refreshTokens(for: id)
        let counted = world.heard.snapshot.mapValues(\.count)
        #expect(counted[.init(name: "refreshed", detail: "refreshed_late", provider: "strict")] == 1)
        #expect(counted[.init(name: "session_ended", detail: "revoked", provider: "strict")] == 1)
        #expect(world.heard.count("refresh_failed") == 1)
    }
}

import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Several processes at one store")
struct SharedStoreTests {
    /// Independent session managers over one store, as in several processes.
    private struct World {
        let clock = ManualClock(isAdvancedBySleeping: true)
        let store = InMemoryStore()
        let provider: StrictProvider

        init() {
            provider = StrictProvider(clock: clock)
        }

        func manager(_ store: (any SessionStore)? = nil) throws -> SessionManager {
            try SessionManager(provider, store: store ?? self.store, clock: clock)
        }

        func expiredSession() async throws -> SessionID {
            let buyer = Buyer(issuer: "https://id.example", subject: "buyer-1")
            let session = try await manager().establish(provider.mint(buyer), provider: "strict")
            clock.advance(by: .seconds(3601))
            return session.id
        }

        /// Lets refreshes wait at the returned point.
        func stopRefreshes() -> StoppingPoint {
            let stop = StoppingPoint()
            provider.hold { await stop.pass() }
            return stop
        }
    }

    @Test("eight processes at one store use the refresh token once")
    func eight() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let managers = try (0..<8).map { _ in try world.manager() }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for manager in managers {
                for _ in 0..<8 {
                    group.addTask { try await manager.tokens(for: id).tokens.accessToken.reveal() }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(world.provider.refreshes == 1)
        #expect(world.provider.reuses == 0)
        #expect(tokens.count == 1)
    }

    @Test("after a crashed refresh other processes take over when the lease has expired")
    func deadHolder() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let stop = world.stopRefreshes()
        let first = try world.manager(LeasedNode(world.store, shared))
        let other = try world.manager(LeasedNode(world.store, shared))
        let stuck = Task { try await first.tokens(for: id) }
        await stop.arrived()
        world.provider.hold(nil)
        let busy = await #expect(throws: IdentityError.self) { _ = try await other.tokens(for: id) }
        #expect(busy?.code == .refreshBusy)
        #expect(world.provider.refreshes == 1)
        shared.loseLease(of: id)
        #expect(try await other.tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.refreshes == 2)
        stop.release()
        _ = try? await stuck.value
    }

    @Test("if two processes sent one refresh token, the tokens of the one that got a response are kept")
    func lateResponse() async throws {
        let world = World()
        let id = try await world.expiredSession()
        // The response reaches the first process after a second process got invalid_grant.
        let faulty = FaultyStore(world.store)
        let other = try world.manager()
        faulty.script([
            nil,
            .after {
                await #expect(throws: IdentityError.self) { _ = try await other.tokens(for: id) }
                let isGivenUp = try await other.session(id).needsLogin
                #expect(isGivenUp)
            },
        ])
        let answer = try await world.manager(faulty).tokens(for: id)
        #expect(world.provider.reuses == 1)
        #expect(answer.outcome == .refreshedLate)
        let session = try await other.session(id)
        #expect(!session.needsLogin)
        #expect(session.expiresAt == answer.session.expiresAt)
    }

    @Test("a session stays signed in if another process refreshed it while this one got invalid_grant")
    func lostRace() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let faulty = FaultyStore(world.store)
        let other = try world.manager()
        world.provider.fail(with: [IdentityError(.signInAgain, .invalidGrant, "Spent.")])
        faulty.script([
            nil,
            .after {
                _ = try await other.tokens(for: id)
            },
        ])
        let answer = try await world.manager(faulty).tokens(for: id)
        #expect(!answer.session.needsLogin)
        #expect(try await !other.session(id).needsLogin)
    }

    @Test("a process that finds a refresh of another process waits, and does not return the old token as a new one")
    func claimedMeanwhile() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let node = LeasedNode(world.store, shared)
        let stop = world.stopRefreshes()
        let other = try world.manager(LeasedNode(world.store, shared))
        let stuck = Mutex<Task<SessionTokens, any Error>?>(nil)
        // The lease ends while the claim is written.
        node.before({
            shared.loseLease(of: id)
            stuck.withLock { $0 = Task { try await other.tokens(for: id) } }
            await stop.arrived()
        })
        let manager = try world.manager(node)
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(error?.code == .refreshBusy)
        stop.release()
        let answer = try await stuck.withLock { $0 }?.value
        #expect(answer?.outcome == .refreshedLate)
        #expect(world.provider.refreshes == 1)
    }

    @Test("after a failed refresh whose token was certainly not used, the next refresh can begin immediately")
    func givesBack() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let busy = IdentityError.ProviderResponse(error: "temporarily_unavailable", status: 400)
        world.provider.fail(with: [IdentityError(.retryLater, .providerUnavailable, "Down.", providerResponse: busy)])
        await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.refreshes == 2)
    }

    @Test("if the store cannot save that a refresh begins, the refresh token is not sent")
    func failedClaim() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let faulty = FaultyStore(world.store)
        faulty.script([.fails])
        let manager = try world.manager(faulty)
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(world.provider.refreshes == 0)
        #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
    }

    @Test("a save that succeeded although the store reported an error counts as a success")
    func failedAfterCommit() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let faulty = FaultyStore(world.store)
        faulty.script([nil, .failsAfterCommit])
        #expect(try await world.manager(faulty).tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.refreshes == 1)
    }

    @Test(
        "new tokens that cannot be saved are used from memory and saved later, and the used refresh token is not sent again"
    )
    func unsaved() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let faulty = FaultyStore(world.store)
        faulty.script([nil] + Array(repeating: .fails, count: 6))
        let manager = try world.manager(faulty)
        let first = try await manager.tokens(for: id)
        #expect(first.outcome == .refreshedLate)
        let isSaved = try await world.manager().session(id).expiresAt == first.session.expiresAt
        #expect(!isSaved)
        #expect(try await manager.tokens(for: id).tokens.accessToken.isEqual(to: first.tokens.accessToken))
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.isEqual(to: first.tokens.accessToken))
        #expect(world.provider.refreshes == 1)
        #expect(world.provider.reuses == 0)
    }

    @Test("drain saves tokens that could not be saved before")
    func drainSaves() async throws {
        let world = World()
        let id = try await world.expiredSession()
        let faulty = FaultyStore(world.store)
        faulty.script([nil] + Array(repeating: .fails, count: 6))
        let manager = try world.manager(faulty)
        _ = try await manager.tokens(for: id)
        await manager.drain()
        #expect(try await world.manager().tokens(for: id).outcome == .stored)
        #expect(world.provider.refreshes == 1)
    }
}

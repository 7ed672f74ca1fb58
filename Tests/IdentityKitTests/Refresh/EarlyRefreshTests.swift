import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Refreshes in the background")
struct EarlyRefreshTests {
    private static let down = IdentityError(.retryLater, .providerUnavailable, "The provider is down.")

    @Test("a failed refresh in the background is reported to the next caller, with its error as the reason")
    func failedEarly() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        #expect(try await manager.tokens(for: id).reason == nil)
        world.clock.advance(by: .seconds(3500))
        world.provider.refusePreparation(Self.down)
        #expect(try await manager.tokens(for: id).outcome == .stored)
        await manager.drain()
        let got = try await manager.tokens(for: id)
        #expect(got.outcome == .stillValid)
        #expect(got.reason?.code == .providerUnavailable)
        #expect(got.reason?.kind == .retryLater)
        #expect(world.heard.kinds.contains(.refreshFailed(.providerUnavailable)))
        // The provider works again: the next attempt succeeds, and no failure is reported.
        world.clock.advance(by: .seconds(31))
        #expect(try await manager.tokens(for: id).outcome == .stored)
        await manager.drain()
        let refreshed = try await manager.tokens(for: id)
        #expect(refreshed.outcome == .stored)
        #expect(refreshed.reason == nil)
    }

    @Test(
        "if the store cannot save that a background refresh begins, its error is the reason, and the next attempt follows after 30 seconds"
    )
    func refusedClaim() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let store = FaultyStore(world.memory)
        let manager = try world.manager(store)
        _ = try await manager.tokens(for: id)
        world.clock.advance(by: .seconds(3500))
        store.script([.fails])
        #expect(try await manager.tokens(for: id).outcome == .stored)
        await manager.drain()
        #expect(try await manager.tokens(for: id).reason?.code == .storeBusy)
        #expect(world.provider.requests == 1)
        world.clock.advance(by: .seconds(31))
        _ = try await manager.tokens(for: id)
        await manager.drain()
        #expect(world.provider.requests == 2)
    }

    @Test("a caller who waits for a refresh that fails gets the valid token with the error as the reason")
    func failedWhileWaiting() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        _ = try await manager.tokens(for: id)
        world.provider.refusePreparation(Self.down)
        let got = try await manager.tokens(for: id, validFor: .seconds(3601))
        #expect(got.outcome == .stored)
        world.clock.advance(by: .seconds(60))
        let late = try await manager.tokens(for: id, validFor: .seconds(3601))
        #expect(late.outcome == .stillValid)
        #expect(late.reason?.code == .providerUnavailable)
    }
}

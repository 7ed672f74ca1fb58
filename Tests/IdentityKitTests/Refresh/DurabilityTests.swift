import FoundationEssentials
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

/// A store that cannot list its sessions, because one of them is damaged.
private final class DamagedLists: WrappingStore {
    let inner: SpoolingStore

    init(_ inner: SpoolingStore) {
        self.inner = inner
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        throw IdentityError(.configuration, .storeCorrupt, "Damaged.")
    }
}

@Suite("Tokens that are not stored durably")
struct DurabilityTests {
    @Test(
        "tokens that neither the store nor its spool saved come with a warning and an event, and drain() names the session"
    )
    func nowhere() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        #expect(await manager.drain().isEmpty)
        // The claim is the last save that succeeds.
        world.store.allow(1)
        world.store.breakSpool()
        let got = try await manager.tokens(for: id)
        #expect(got.outcome == .refreshedLate)
        #expect(got.warning?.code == .tokensNotDurable)
        #expect(got.warning?.hint != nil)
        #expect(world.heard.kinds.count { $0 == .tokensNotDurable } == 1)
        #expect(await manager.drain() == [id.reference])
        // Later callers get the warning too, also while the store cannot be read; the observers get no further event.
        #expect(try await manager.tokens(for: id).warning?.code == .tokensNotDurable)
        world.store.breakReads(true)
        #expect(try await manager.tokens(for: id).warning?.code == .tokensNotDurable)
        world.store.breakReads(false)
        #expect(world.heard.kinds.count { $0 == .tokensNotDurable } == 1)
        world.store.allow(.max)
        #expect(try await manager.tokens(for: id).warning == nil)
        #expect(await manager.drain().isEmpty)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
    }

    @Test("all callers of one refresh get the warning that its tokens are not durable")
    func waiters() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        world.store.allow(1)
        world.store.breakSpool()
        try await withThrowingTaskGroup(of: IdentityError.Code?.self) { group in
            for _ in 0..<16 { group.addTask { try await manager.tokens(for: id).warning?.code } }
            for try await code in group { #expect(code == .tokensNotDurable) }
        }
        #expect(world.provider.requests == 1)
    }

    @Test("with a store without a spool, unsaved tokens come with the same warning")
    func withoutSpool() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let store = FaultyStore(world.memory)
        store.script([nil] + Array(repeating: .fails, count: 40))
        let manager = try world.manager(store)
        #expect(try await manager.tokens(for: id).warning?.code == .tokensNotDurable)
        #expect(world.heard.kinds.contains(.tokensNotDurable))
        store.script([])
        #expect(await manager.drain().isEmpty)
    }

    @Test("tokens in the spool count as durable: callers get no warning, and observers get tokens_spooled")
    func spooled() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        world.store.allow(1)
        #expect(try await manager.tokens(for: id).warning == nil)
        #expect(world.store.spooled == [id])
        #expect(world.heard.kinds.contains(.tokensSpooled))
        #expect(!world.heard.kinds.contains(.tokensNotDurable))
        #expect(await manager.drain().isEmpty)
    }

    @Test(
        "observers hear nothing of unsaved tokens if only the save of the response failed, or if the response contains no token",
        arguments: [false, true]
    )
    func shortFailure(isWithoutTokens: Bool) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let store = FaultyStore(world.memory)
        store.script(isWithoutTokens ? [nil, .fails, nil, .fails] : [nil, .fails])
        if isWithoutTokens { world.provider.answer(.page, .page) }
        _ = try? await world.manager(store).tokens(for: id)
        #expect(!world.heard.kinds.contains(.tokensSpooled))
        #expect(!world.heard.kinds.contains(.tokensNotDurable))
    }

    @Test("a stored response is durable, although its tokens could not be saved")
    func journaled() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        // The claim and the response are saved, and no later save succeeds.
        world.store.allow(2)
        world.store.breakSpool()
        #expect(try await manager.tokens(for: id).warning == nil)
        #expect(await manager.drain().isEmpty)
        #expect(!world.heard.kinds.contains(.tokensNotDurable))
        // The process crashes.
        world.store.allow(.max)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
    }

    @Test(
        "if tokens expire before they are saved, the error warns of a loss only if they are not in the spool",
        arguments: [true, false]
    )
    func expired(_ isSpooled: Bool) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        world.store.allow(1)
        if !isSpooled { world.store.breakSpool() }
        _ = try await manager.tokens(for: id)
        world.clock.advance(by: .seconds(3601))
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(error?.code == .storeFailed && error?.kind == .retryLater)
        #expect(error?.hint?.contains("The tokens are not lost") == isSpooled)
        #expect(error?.hint?.contains("Keep this process running") == !isSpooled)
    }

    @Test("the old token comes with a warning while a response that cannot be validated exists in memory only")
    func notValidated() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        _ = try await manager.tokens(for: id)
        // The token is valid for ten more minutes, which is shorter than requested.
        world.clock.advance(by: .seconds(3000))
        world.store.allow(1)
        world.store.breakSpool()
        let outage = IdentityError(.retryLater, .providerUnavailable, "No keys.")
        world.provider.refuseValidation(outage, outage)
        let got = try await manager.tokens(for: id, validFor: .seconds(1200))
        #expect(got.outcome == .stillValid)
        #expect(got.warning?.code == .tokensNotDurable)
    }

    @Test("tokens are not durable if a read-only spool contains another response, which could not be removed")
    func otherResponseInSpool() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let outage = IdentityError(.retryLater, .providerUnavailable, "No keys.")
        // The first process spools an HTML page, and the second one stores another page.
        for (store, replacements) in [(world.store, 1), (SpoolingStore(world.memory), Int.max)] {
            store.allow(replacements)
            world.provider.answer(.page)
            world.provider.refuseValidation(outage)
            await #expect(throws: IdentityError.self) { _ = try await world.manager(store).tokens(for: id) }
        }
        #expect(world.store.spooled == [id])
        world.store.breakSpool()
        // Only the claim is saved.
        world.store.allow(1)
        let manager = try world.manager()
        let got = try await manager.tokens(for: id)
        #expect(got.tokens.accessToken.reveal() == "access-2")
        #expect(got.warning?.code == .tokensNotDurable)
        #expect(world.heard.kinds.contains(.tokensNotDurable))
        #expect(await manager.drain() == [id.reference])
    }

    @Test("a repair saves unsaved tokens although a damaged session prevents the list of sessions in doubt")
    func damagedList() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager(DamagedLists(world.store))
        world.store.allow(1)
        #expect(try await manager.tokens(for: id).warning?.code == .tokensNotDurable)
        world.store.allow(.max)
        let report = try await manager.repair()
        #expect(report.repaired == 1 && report.remaining == 1)
        #expect(await manager.drain().isEmpty)
        #expect(world.heard.names.contains("store_failed store_corrupt"))
    }
}

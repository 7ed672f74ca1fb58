import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Responses and tokens that the store cannot save")
struct SpooledResponseTests {
    @Test("if the store saves neither the response nor the tokens, the spool keeps them after the process has ended")
    func spooled() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        let manager = try world.manager()
        let got = try await manager.tokens(for: id)
        #expect(got.outcome == .refreshedLate)
        #expect(world.store.spooled == [id])
        // While the store is down, callers get the tokens from memory.
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        // The same holds while the store cannot be read.
        world.store.breakReads(true)
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        world.store.breakReads(false)
        // The process has crashed, and the store works again.
        world.store.allow(.max)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.store.spooled.isEmpty)
        #expect(world.provider.requests == 1)
        #expect(try await world.manager().tokens(for: id).outcome == .stored)
    }

    @Test("the spool keeps a response that could be neither saved nor validated after the process has ended")
    func spooledResponse() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager().tokens(for: id)
        #expect(world.store.spooled == [id])
        world.store.allow(.max)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        #expect(world.store.spooled.isEmpty)
    }

    @Test("a repair counts a session as remaining if its new tokens could not be saved")
    func unsavedRepair() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        let manager = try world.manager()
        _ = try await manager.tokens(for: id)
        var expected = RepairReport()
        expected.remaining = 1
        #expect(try await manager.repair() == expected)
        world.store.allow(.max)
        (expected.remaining, expected.repaired) = (0, 1)
        #expect(try await manager.repair() == expected)
    }

    @Test("if a process crashes while it validates a spooled response, the next process reports tokens_spooled")
    func reportedByNextProcess() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        // The spool has the response before the response is validated. A process that crashes then has reported no event.
        let stop = StoppingPoint()
        world.provider.holdValidation { await stop.pass() }
        let crashed = try world.manager()
        let running = Task { try? await crashed.tokens(for: id) }
        await stop.arrived()
        #expect(world.store.spooled == [id])
        #expect(!world.heard.kinds.contains(.tokensSpooled))
        world.provider.holdValidation(nil)
        _ = try await world.manager().tokens(for: id)
        #expect(world.heard.kinds.count { $0 == .tokensSpooled } == 1)
        #expect(world.provider.requests == 1)
        stop.release()
        _ = await running.value
    }

    @Test("a response that could be neither saved nor validated is saved by the next repair, before it is validated")
    func savedByRepair() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let noKeys = IdentityError(.retryLater, .providerUnavailable, "No keys.")
        world.provider.refuseValidation(noKeys, noKeys)
        // The claim is written, but the response is not.
        world.store.allow(1)
        let manager = try world.manager()
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        world.store.allow(.max)
        _ = try await manager.repair()
        // Another machine has neither the memory nor the spool of the first one.
        let other = try world.manager(SpoolingStore(world.memory))
        #expect(try await other.tokens(for: id).tokens.refreshToken?.reveal() == "refresh-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
    }

    @Test(
        "a damaged row of a spooled session does not stop the repair of others, nor the removal of expired ones",
        .timeLimit(.minutes(5))
    )
    func damagedRow() async throws {
        let world = RefreshStage()
        world.provider.setGrace(600)
        let damaged = try await world.expiredSession("damaged")
        let claimed = [try await world.expiredSession("claimed-1"), try await world.expiredSession("claimed-2")]
        let backup = try #require(try await world.memory.session(damaged))
        world.store.allow(1)
        _ = try await world.manager().tokens(for: damaged)
        world.store.allow(.max)
        // The row of a backup is not in doubt: only the spool shows that the session needs a repair.
        _ = try await world.memory.remove(damaged)
        try await world.memory.insert(backup)
        try await world.die(at: claimed[0])
        world.store.damage(damaged)
        var expected = RepairReport()
        expected.repaired = 1
        expected.remaining = 1
        #expect(try await world.manager().repair() == expected)
        #expect(world.store.spooled == [damaged])
        // An unreadable spool does not stop the repair. A failed repair does not stop the removal of expired sessions.
        world.store.breakSpoolList()
        try await world.die(at: claimed[1])
        expected.remaining = 0
        #expect(try await world.manager().repair() == expected)
        #expect(world.heard.kinds.contains(.storeFailed(.storeFailed)))
        world.store.breakLists()
        let manager = try world.manager()
        await #expect(throws: IdentityError.self) { _ = try await manager.repair() }
        let upkeep = Task { await manager.maintain() }
        defer { upkeep.cancel() }
        // The clock advances by sleeping, so each look at the events takes longer than the one before: look only until the sweep.
        while !world.heard.kinds.contains(.swept(0)) { try await Task.sleep(for: .milliseconds(5)) }
        upkeep.cancel()
        await upkeep.value
    }

    @Test("spooled tokens replace those of an older row that was restored from a backup")
    func restored() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let backup = try #require(try await world.memory.session(id))
        _ = try await world.manager().tokens(for: id)
        world.clock.advance(by: .seconds(3601))
        world.store.allow(1)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.store.spooled == [id])
        world.store.allow(.max)
        _ = try await world.memory.remove(id)
        try await world.memory.insert(backup)
        #expect(try await world.manager().repair().remaining == 0)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.reuses == 0)
        #expect(world.store.spooled.isEmpty)
        #expect(try await world.manager(world.memory).tokens(for: id).tokens.refreshToken?.reveal() == "refresh-3")
    }

    @Test("spooled tokens do not overwrite newer ones, and are removed with their session")
    func stale() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.setGrace(600)
        world.store.allow(1)
        _ = try await world.manager().tokens(for: id)
        let kept = try #require(try await world.store.spooledSession(id))
        // A process without the spool was faster, within the grace period; then it refreshed the session again.
        let other = try world.manager(world.memory)
        world.clock.advance(by: .seconds(61))
        _ = try await other.tokens(for: id)
        _ = try await other.refreshTokens(for: id)
        world.store.allow(.max)
        _ = try await world.manager().repair()
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.store.spooled.isEmpty)

        _ = try await other.logout(id)
        try await world.store.spool(kept)
        _ = try await world.manager().repair()
        #expect(world.store.spooled.isEmpty)
        #expect(world.provider.revoked.last == "refresh-2")
        #expect(try await world.store.session(id) == nil)
    }

    @Test(
        "tokens in memory or in the spool do not overwrite a response that another machine received later and could not validate",
        arguments: [false, true]
    )
    func laterResponse(isInMemory: Bool) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.setGrace(600, rotatesAgain: true)
        world.store.allow(1)
        let manager = try world.manager()
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.store.spooled == [id])
        world.clock.advance(by: .seconds(61))
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        let other = try world.manager(world.memory)
        await #expect(throws: IdentityError.self) { _ = try await other.tokens(for: id) }
        #expect(world.provider.requests == 2)
        world.store.allow(.max)
        _ = try await (isInMemory ? manager : world.manager()).repair()
        #expect(world.store.spooled.isEmpty)
        #expect(try await other.tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
    }

    @Test("a response that another process keeps from being saved is in the spool while it is validated")
    func conflict() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.hold {
            guard var session = try? await world.memory.session(id) else { return }
            session.generation += 1
            _ = try? await world.memory.replace(session, expecting: session.generation - 1)
        }
        let isSpooled = Mutex(false)
        world.provider.holdValidation { isSpooled.withLock { $0 = world.store.spooled == [id] } }
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(isSpooled.withLock(\.self) && world.store.spooled.isEmpty)
    }

    @Test("while the spool, which may contain newer tokens, cannot be read, a refresh sends no refresh token")
    func refreshWithUnreadableSpool() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.breakSpoolReads(true)
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(error?.kind == .retryLater && world.provider.requests == 0)
        world.store.breakSpoolReads(false)
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
    }

    @Test("a repair reads no further spooled session after the first read that fails because the store is down")
    func storeDown() async throws {
        let world = RefreshStage()
        for number in 0..<3 {
            let id = try await world.expiredSession("buyer-\(number)")
            world.store.allow(1)
            _ = try await world.manager().tokens(for: id)
        }
        world.store.breakReads(true)
        world.store.breakLists()
        let manager = try world.manager()
        let reads = world.store.reads
        await #expect(throws: IdentityError.self) { _ = try await manager.repair() }
        #expect(world.store.reads == reads + 1)
        // A cancelled repair reads no session.
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await manager.repair()
        }
        await #expect(throws: IdentityError.self) { try await cancelled.value }
        #expect(world.store.reads == reads + 1)
        #expect(world.store.spooled.count == 3)
    }

    @Test("if a store has no spool, the only report about unsaved tokens is that they are not durable")
    func withoutSpool() async throws {
        let world = RefreshStage()
        let store = SpoolingStore(world.memory, hasSpool: false)
        let id = try await world.expiredSession()
        store.allow(1)
        let manager = try world.manager(store)
        _ = try await manager.tokens(for: id)
        _ = try await manager.repair()
        #expect(world.heard.kinds.contains(.tokensNotDurable))
        #expect(!world.heard.kinds.contains(.storeFailed(.configurationInvalid)))
    }

    @Test("new tokens that could not be saved are returned instead of the old ones, also while the old ones are valid")
    func newest() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        _ = try await manager.tokens(for: id)
        world.store.allow(1)
        #expect(try await manager.refreshTokens(for: id).tokens.accessToken.reveal() == "access-3")
        let got = try await manager.tokens(for: id)
        #expect(got.tokens.accessToken.reveal() == "access-3" && got.outcome == .stored)
        // Tokens cannot be refreshed before they are saved.
        world.clock.advance(by: .seconds(1800))
        #expect(try await manager.tokens(for: id, validFor: .seconds(1700)).outcome == .stored)
        let short = try await manager.tokens(for: id, validFor: .seconds(1900))
        #expect(short.tokens.accessToken.reveal() == "access-3" && short.outcome == .stillValid)
        #expect(short.reason?.code == .storeFailed)
        // A call starts a repair, which saves the tokens if the store works, unless an earlier repair still runs.
        world.store.allow(.max)
        for _ in 0..<12_000 where !world.store.spooled.isEmpty {
            #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
            try await Task.sleep(for: .milliseconds(5))
        }
        let saved = try await world.manager(world.memory).tokens(for: id)
        #expect(saved.tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
    }
}

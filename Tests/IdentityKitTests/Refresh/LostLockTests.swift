import FoundationEssentials
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Locks that are lost while their holders run")
struct LostLockTests {
    private static func busy() -> RepairReport {
        var report = RepairReport()
        report.busy = 1
        return report
    }

    private static func repaired() -> RepairReport {
        var report = RepairReport()
        report.repaired = 1
        return report
    }

    @Test(
        "after an outage longer than the lease, a second machine does not send a token that the first has used"
    )
    func outage() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let (first, second) = (LeasedNode(world.memory, shared), LeasedNode(world.memory, shared))
        let (one, other) = (try world.manager(first), try world.manager(second))
        world.provider.hold { shared.setDown(true) }
        #expect(try await one.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(first.spooled == [id])
        world.clock.advance(by: .seconds(60))
        shared.setDown(false)
        // The other machine first finds the claim and a free lock.
        #expect(try await other.repair() == Self.busy())
        world.clock.advance(by: .seconds(5))
        #expect(try await one.repair() == Self.repaired())
        #expect(try await other.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
    }

    @Test("a crashed refresh is taken over only after the timeout, the time for saving and one repair interval")
    func crashed() async throws {
        let world = RefreshStage(timeout: .seconds(8))
        world.provider.setGrace(3600)
        let id = try await world.expiredSession()
        try await world.die(at: id)
        let requests = world.provider.requests
        let node = try world.manager(LeasedNode(world.memory, LeasedNode.Shared()))
        for _ in 0..<6 {
            #expect(try await node.repair() == Self.busy())
            world.clock.advance(by: .seconds(3))
        }
        #expect(world.provider.requests == requests)
        #expect(try await node.repair() == Self.repaired())
    }

    @Test("the wait before a crashed refresh is taken over excludes outages of the store and jumps of the wall clock")
    func unreachable() async throws {
        let world = RefreshStage(timeout: .seconds(8))
        let id = try await world.expiredSession()
        try await world.die(at: id)
        let requests = world.provider.requests
        let node = try world.manager(LeasedNode(world.memory, LeasedNode.Shared()))
        #expect(try await node.repair() == Self.busy())
        // No process could reach the store in this time, so the holder of the response could not save it either.
        world.clock.advance(by: .seconds(3600))
        #expect(try await node.repair() == Self.busy())
        world.clock.jump(by: 7200)
        #expect(try await node.repair() == Self.busy())
        world.clock.jump(by: -14_400)
        #expect(try await node.repair() == Self.busy())
        #expect(world.provider.requests == requests)
    }

    @Test("the wait before an unfinished refresh is taken over excludes time in which the store refuses writes")
    func full() async throws {
        let world = RefreshStage(timeout: .seconds(8))
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let (first, second) = (LeasedNode(world.memory, shared), LeasedNode(world.memory, shared))
        let (one, other) = (try world.manager(first), try world.manager(second))
        world.provider.hold { shared.setFull(true) }
        #expect(try await one.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(first.spooled == [id])
        for _ in 0..<10 {
            _ = try? await other.repair()
            world.clock.advance(by: .seconds(5))
        }
        shared.setFull(false)
        #expect(try await other.repair() == Self.busy())
        world.clock.advance(by: .seconds(5))
        #expect(try await one.repair() == Self.repaired())
        #expect(try await other.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
    }

    @Test(
        "the session is claimed again before its token is sent a second time, so that no other process sends the token too"
    )
    func secondRequest() async throws {
        let world = RefreshStage(timeout: .seconds(8))
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let (one, other) = (
            try world.manager(LeasedNode(world.memory, shared)), try world.manager(LeasedNode(world.memory, shared))
        )
        let provider = world.provider
        provider.answer(.page)
        provider.hold {
            guard provider.requests == 2 else { return }
            shared.loseLease(of: id)
            #expect((try? await other.repair()) == Self.busy())
        }
        #expect(try await one.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(provider.requests == 2)
        #expect(try await one.repair() == Self.repaired())
        #expect(try await other.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(provider.requests == 2)
    }

    @Test("a caller who needs new tokens waits until the unfinished refresh of another process may be taken over")
    func caller() async throws {
        let world = RefreshStage(timeout: .seconds(8))
        world.provider.setGrace(3600)
        let id = try await world.expiredSession()
        try await world.die(at: id)
        let before = world.clock.elapsed
        let node = try world.manager(LeasedNode(world.memory, LeasedNode.Shared()))
        #expect(try await node.tokens(for: id).outcome == .refreshedLate)
        #expect(world.clock.elapsed - before >= .seconds(18))
        #expect(world.clock.elapsed - before < .seconds(20))
    }

    @Test("if a process gives up after a lost response, another one sends the token at once, even under a lease")
    func reported() async throws {
        let world = RefreshStage()
        world.provider.setGrace(30)
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        world.provider.answer(.lost(RefreshStage.lost), .refused(RefreshStage.lost))
        _ = try? await world.manager(LeasedNode(world.memory, shared)).tokens(for: id)
        #expect(try await world.manager().session(id).isInDoubt)
        let before = world.clock.elapsed
        let other = try world.manager(LeasedNode(world.memory, shared))
        #expect(try await other.tokens(for: id).outcome == .refreshedLate)
        #expect(world.clock.elapsed == before)
    }

    @Test("a process that loses the lock before the refresh token is sent sends nothing; the session stays in doubt")
    func beforeSending() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let node = LeasedNode(world.memory, shared)
        let generation = try #require(try await world.memory.session(id)).generation
        node.before({ shared.loseLease(of: id) })
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager(node).tokens(for: id) }
        #expect(error?.code == .refreshBusy)
        #expect(world.provider.requests == 0)
        let row = try #require(try await world.memory.session(id))
        #expect(row.generation == generation + 1)
        #expect(row.isInDoubt)
    }

    @Test(
        "a request without a response counts for the circuit breaker, also if the lock is lost before the second request"
    )
    func beforeSecondRequest() async throws {
        let world = RefreshStage()
        let (id, other) = (try await world.expiredSession("a"), try await world.expiredSession("b"))
        let shared = LeasedNode.Shared()
        var limits = SessionManager.RefreshLimits()
        limits.failures = 1
        let manager = try world.manager(LeasedNode(world.memory, shared), limits: limits)
        world.provider.answerAll(.lost(RefreshStage.lost))
        world.provider.hold { shared.loseLease(of: id) }
        for session in [id, other] {
            await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: session) }
        }
        #expect(world.provider.requests == 1)
    }

    @Test("a process that loses the lock during the request saves the response if the session has not changed")
    func ownClaim() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        world.provider.hold { shared.loseLease(of: id) }
        #expect(try await world.manager(LeasedNode(world.memory, shared)).tokens(for: id).outcome == .refreshedLate)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
    }

    @Test("a late response does not restore a session that another process has ended; its tokens are revoked")
    func ended() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let node = LeasedNode(world.memory, shared)
        node.before(
            {},
            {
                shared.loseLease(of: id)
                _ = try? await world.manager().tokens(for: id)
            }
        )
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager(node).tokens(for: id) }
        #expect(error?.code == .rotationLost)
        #expect(try await world.manager().session(id).endReason == .lostRotation)
        #expect(world.provider.revoked == ["refresh-2"])
        #expect(node.spooled.isEmpty)
    }

    @Test("a late response does not overwrite the refresh of another process; it is saved when the lock is free")
    func foreignClaim() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let node = LeasedNode(world.memory, shared)
        let manager = try world.manager(node)
        node.before(
            {},
            {
                shared.loseLease(of: id)
                var row = try #require(try await world.memory.session(id))
                row.generation += 1
                #expect(try await world.memory.replace(row, expecting: row.generation - 1))
            }
        )
        let before = try #require(try await world.memory.session(id)).generation
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(try await world.memory.session(id)?.generation == before + 2)
        #expect(node.spooled == [id])
        #expect(try await manager.repair() == Self.repaired())
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
    }

    @Test("a provider whose timeout exceeds the guaranteed duration of the lock is refused at the start and later")
    func contradiction() async throws {
        let world = RefreshStage(timeout: .seconds(9))
        let id = try await world.expiredSession()
        let node = LeasedNode(world.memory, LeasedNode.Shared(), guaranteedLockDuration: .seconds(8))
        let manager = try world.manager(node)
        for operation: @Sendable () async throws -> Void in [
            { try manager.checkConfiguration() }, { _ = try await manager.repair() },
            { _ = try await manager.begin("journaled") }, { _ = try await manager.tokens(for: id) },
        ] {
            let error = await #expect(throws: IdentityError.self) { try await operation() }
            #expect(error?.code == .configurationInvalid)
            #expect(error?.kind == .configuration)
            #expect(error?.message.contains("journaled") ?? false)
        }
        #expect(world.provider.requests == 0)
        let device = ScriptedDevice([.tokens], clock: world.clock, timeout: .seconds(9))
        let error = await #expect(throws: IdentityError.self) {
            try await world.manager(node, with: [device]).deviceLogin("strict") { _ in }
        }
        #expect(error?.code == .configurationInvalid && device.polls.isEmpty)
        try world.manager(LeasedNode(world.memory, LeasedNode.Shared(), guaranteedLockDuration: .seconds(9)))
            .checkConfiguration()
        try world.manager(world.store).checkConfiguration()
    }

    @Test(
        "the upkeep reports a timeout that is too long for the lock as failed refreshes of the provider",
        .timeLimit(.minutes(1))
    )
    func contradictionDuringUpkeep() async throws {
        let world = RefreshStage(timeout: .seconds(9))
        let node = LeasedNode(world.memory, LeasedNode.Shared(), guaranteedLockDuration: .seconds(8))
        let manager = try world.manager(node)
        let upkeep = Task { await manager.maintain() }
        while world.heard.kinds.isEmpty, !Task.isCancelled { await Task.yield() }
        upkeep.cancel()
        await upkeep.value
        #expect(world.heard.kinds.first == .refreshFailed(.configurationInvalid))
        #expect(!world.heard.kinds.contains(.storeFailed(.configurationInvalid)))
        #expect(world.heard.providers == ["journaled"])
    }

    @Test("a timeout that is too long for the lock stops the refreshes of its own provider only")
    func contradictionOfAnotherProvider() async throws {
        let world = RefreshStage(timeout: .seconds(8))
        let (expired, inDoubt) = (try await world.expiredSession("a"), try await world.expiredSession("b"))
        world.provider.setGrace(3600)
        try await world.die(at: inDoubt)
        let node = LeasedNode(world.memory, LeasedNode.Shared(), guaranteedLockDuration: .seconds(8))
        let other = JournaledProvider(clock: world.clock, name: "other", timeout: .seconds(9))
        let manager = try world.manager(node, with: [other])
        #expect(try await manager.tokens(for: expired).outcome == .refreshedLate)
        // Each repair does the work of the first provider before it throws.
        for _ in 0..<7 {
            let error = await #expect(throws: IdentityError.self) { _ = try await manager.repair() }
            #expect(error?.code == .configurationInvalid)
            world.clock.advance(by: .seconds(3))
        }
        #expect(try await world.memory.session(inDoubt)?.isInDoubt == false)
    }
}

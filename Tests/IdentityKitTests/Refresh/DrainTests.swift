import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

/// A store whose lists of sessions end only when their task is cancelled.
private final class EndlessLists: WrappingStore {
    let inner = InMemoryStore()
    let listed = Gate()

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        listed.open()
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in never {}
        } onCancel: {
            continuation.finish()
        }
        throw CancellationError()
    }
}

@Suite("The end of a process")
struct DrainTests {
    @Test(
        "drain finishes the refresh that runs, and refuses those that wait for the provider, whose tokens stay unused"
    )
    func queue() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let others = [try await world.expiredSession("second"), try await world.expiredSession("third")]
        var limits = SessionManager.RefreshLimits()
        limits.concurrent = 1
        let manager = try world.manager(limits: limits)
        let gate = Gate()
        world.provider.hold { await gate.wait() }
        let running = Task { try await manager.tokens(for: id) }
        while world.provider.requests == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let waiting = others.map { id in Task { try await manager.tokens(for: id) } }
        try await Task.sleep(for: .milliseconds(50))
        let drained = Task { await manager.drain() }
        for task in waiting {
            let error = await #expect(throws: IdentityError.self) { _ = try await task.value }
            #expect(error?.code == .refreshBusy)
        }
        // A refresh that would have to wait from now on is refused, too.
        let late = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: others[1]) }
        #expect(late?.code == .refreshBusy)
        gate.open()
        #expect(try await running.value.outcome == .refreshedLate)
        #expect(await drained.value.isEmpty)
        #expect(world.provider.requests == 1)
        // In a process that goes on, refreshes wait again.
        let second = Gate()
        world.provider.hold { await second.wait() }
        let again = others.map { id in Task { try await manager.tokens(for: id) } }
        while world.provider.requests == 1 { try await Task.sleep(for: .milliseconds(1)) }
        try await Task.sleep(for: .milliseconds(50))
        second.open()
        for task in again { #expect(try await task.value.outcome == .refreshedLate) }
    }

    @Test(
        "drain also waits for the response to a refresh that has exceeded the time limit of its callers",
        .timeLimit(.minutes(5))
    )
    func lateResponse() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        var limits = SessionManager.RefreshLimits()
        limits.maximumWait = .milliseconds(20)
        let manager = try world.manager(limits: limits)
        let gate = Gate()
        world.provider.hold { await gate.wait() }
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        // The time limit may end the wait before the refresh has begun.
        while world.provider.requests == 0 { try await Task.sleep(for: .milliseconds(1)) }
        Task {
            try await Task.sleep(for: .milliseconds(200))
            gate.open()
        }
        await manager.drain()
        #expect(try await world.memory.session(id)?.isInDoubt == false)
    }

    @Test("a cancelled repair starts no further refresh", .timeLimit(.minutes(5)))
    func cancelled() async throws {
        let world = RefreshStage()
        for index in 0..<20 {
            let id = try await world.expiredSession("buyer-\(index)")
            var session = try #require(try await world.memory.session(id))
            let tokens = try #require(try SessionState(session).tokens)
            let claim = RefreshClaim(correlationID: "crashed", startedAt: world.clock.now)
            (session.isInDoubt, session.payload) = (true, SessionState.claimed(tokens, claim).payload())
            #expect(try await world.memory.replace(session, expecting: session.generation))
        }
        let manager = try world.manager()
        let gate = Gate()
        world.provider.hold { await gate.wait() }
        let repair = Task { try await manager.repair() }
        while world.provider.requests < 8 { try await Task.sleep(for: .milliseconds(1)) }
        repair.cancel()
        #expect(try await repair.value.remaining == 20)
        gate.open()
        await manager.drain()
        #expect(world.provider.requests == 8)
    }

    @Test("the end of maintain is not reported as a failure of the store")
    func endOfMaintenance() async throws {
        let clock = ManualClock()
        let (store, heard) = (EndlessLists(), EventSink())
        let manager = try SessionManager(StrictProvider(clock: clock), store: store, clock: clock, observers: [heard])
        let maintenance = Task { await manager.maintain() }
        await store.listed.wait()
        maintenance.cancel()
        await maintenance.value
        #expect(heard.names.isEmpty)
    }
}

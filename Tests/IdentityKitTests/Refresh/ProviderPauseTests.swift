import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Pauses and the circuit breaker of a failing provider")
struct ProviderPauseTests {
    private static let down = IdentityError(
        .retryLater,
        .providerUnavailable,
        "Down.",
        providerResponse: .init(status: 503)
    )

    private func limits(_ failures: Int = 3, concurrent: Int = 64) -> SessionManager.RefreshLimits {
        var limits = SessionManager.RefreshLimits()
        limits.failures = failures
        limits.concurrent = concurrent
        return limits
    }

    @Test("after failures of several sessions no request is sent and no session is changed, until one probe succeeds")
    func breaker() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<6 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        let manager = try world.manager(limits: limits())
        let refusals = Array(repeating: JournaledProvider.Answer.refused(Self.down), count: 4)
        world.provider.answer(refusals[0], refusals[1], refusals[2], refusals[3])
        for id in ids.prefix(3) { _ = try? await manager.tokens(for: id) }
        #expect(world.provider.requests == 3)
        let generation = try await world.store.session(ids[3])?.generation
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: ids[3]) }
        #expect(error?.kind == .retryLater)
        #expect((error?.retryAfter ?? .zero) > .zero)
        #expect(error?.message.contains("\"journaled\" are paused") == true)
        #expect(error?.message.contains("because refreshes failed (number of sessions: 3)") == true)
        #expect(world.provider.requests == 3)
        #expect(try await world.store.session(ids[3])?.generation == generation)
        #expect(world.heard.kinds.contains { if case .providerPaused = $0 { true } else { false } })

        // The probe fails, and the pause begins again for all callers.
        world.clock.advance(by: .seconds(2))
        _ = try? await manager.tokens(for: ids[4])
        #expect(world.provider.requests == 4)
        let again = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: ids[5]) }
        #expect(again?.message.contains("because the first refresh after the last pause failed too") == true)
        #expect(world.provider.requests == 4)
        // The next probe succeeds, and all sessions can be refreshed again.
        world.clock.advance(by: .seconds(120))
        for id in ids { #expect(try await manager.tokens(for: id).outcome == .refreshedLate) }
        #expect(world.heard.kinds.contains(.providerResumed))
    }

    @Test("a provider that blocks the client with 403 opens the circuit breaker")
    func blocked() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<3 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        let manager = try world.manager(limits: limits(2))
        let blocked = IdentityError(
            .configuration,
            IdentityError.Code(rawValue: "request_blocked"),
            "Blocked.",
            providerResponse: .init(status: 403)
        )
        #expect(RefreshRefusal(blocked).kind == .configuration)
        world.provider.answerAll(.refused(blocked))
        for id in ids.prefix(2) { _ = try? await manager.tokens(for: id) }
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: ids[2]) }
        #expect(error?.kind == .configuration && error?.code == blocked.code)
        #expect(world.provider.requests == 2)
    }

    @Test("with waiting = 0 a refresh runs while none runs, and failures still open the circuit breaker")
    func noQueue() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<4 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        var limits = limits(2)
        limits.waiting = 0
        let manager = try world.manager(limits: limits)
        #expect(try await manager.tokens(for: ids[0]).outcome == .refreshedLate)
        world.provider.answerAll(.refused(Self.down))
        for id in ids[1...2] { _ = try? await manager.tokens(for: id) }
        #expect(world.provider.requests == 3)
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: ids[3]) }
        #expect(error?.code == .providerUnavailable)
        #expect(world.provider.requests == 3)
    }

    @Test("one outage opens the circuit breaker once, also with many requests in flight")
    func burst() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<40 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        let manager = try world.manager(limits: limits())
        world.provider.answerAll(.refused(Self.down))
        let (all, provider) = (ids.count, world.provider)
        provider.hold { while provider.requests < all { await Task.yield() } }
        await withTaskGroup(of: Void.self) { group in
            for id in ids { group.addTask { _ = try? await manager.tokens(for: id) } }
        }
        provider.hold(nil)
        let pauses = world.heard.kinds.filter { if case .providerPaused = $0 { true } else { false } }
        #expect(pauses.count == 1)
        world.provider.answerAll(nil)
        world.clock.advance(by: .seconds(2))
        #expect(try await manager.tokens(for: ids[0]).outcome == .refreshedLate)
    }

    @Test("a response to an earlier request does not end the pause that the provider requested")
    func earlierRequest() async throws {
        let world = RefreshStage()
        let ids = [
            try await world.expiredSession("a"), try await world.expiredSession("b"),
            try await world.expiredSession("c"),
        ]
        let manager = try world.manager(limits: limits())
        let (throttled, accepted) = (StoppingPoint(), StoppingPoint())
        world.provider.answer(
            .refused(
                IdentityError(
                    .retryLater,
                    .providerUnavailable,
                    "Too many requests.",
                    retryAfter: .seconds(60),
                    providerResponse: .init(status: 429)
                )
            )
        )
        world.provider.hold { await throttled.pass() }
        let first = Task { try await manager.tokens(for: ids[0]) }
        await throttled.arrived()
        world.provider.hold { await accepted.pass() }
        let second = Task { try await manager.tokens(for: ids[1]) }
        await accepted.arrived()
        throttled.release()
        await #expect(throws: IdentityError.self) { _ = try await first.value }
        accepted.release()
        #expect(try await second.value.outcome == .refreshedLate)
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: ids[2]) }
        #expect(error?.message.contains("the provider requested a pause") == true)
        #expect(world.provider.requests == 2)
        world.clock.advance(by: .seconds(60))
        #expect(try await manager.tokens(for: ids[2]).outcome == .refreshedLate)
    }

    @Test("one session that always fails does not block the others")
    func poison() async throws {
        let world = RefreshStage()
        let (poison, fine) = (try await world.expiredSession("a"), try await world.expiredSession("b"))
        let manager = try world.manager(limits: limits())
        for _ in 0..<10 {
            world.provider.answer(.refused(Self.down))
            _ = try? await manager.tokens(for: poison)
            world.clock.advance(by: .seconds(31))
        }
        world.provider.answer()
        #expect(try await manager.tokens(for: fine).outcome == .refreshedLate)
    }

    @Test("a pause that the provider requests takes effect at once, for at most a minute")
    func retryAfter() async throws {
        let world = RefreshStage()
        let (first, second) = (try await world.expiredSession("a"), try await world.expiredSession("b"))
        let manager = try world.manager(limits: limits())
        let day = IdentityError(
            .retryLater,
            .providerUnavailable,
            "Later.",
            retryAfter: .seconds(86_400),
            providerResponse: .init(status: 429)
        )
        world.provider.answer(.refused(day))
        _ = try? await manager.tokens(for: first)
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: second) }
        #expect(error?.retryAfter == .seconds(60))
        #expect(error?.message.contains("the provider requested a pause") == true)
        world.clock.advance(by: .seconds(61))
        #expect(try await manager.tokens(for: second).outcome == .refreshedLate)
    }

    @Test("if the provider rejects the client, refreshes pause with a configuration error, and no session changes")
    func client() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<3 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        let manager = try world.manager(limits: limits(2))
        let refused = IdentityError(.configuration, .invalidClient, "Client.")
        world.provider.answer(.refused(refused), .refused(refused))
        for id in ids {
            let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
            #expect(error?.kind == .configuration)
            #expect(error?.code == .invalidClient)
        }
        #expect(world.provider.requests == 2)
        for id in ids { #expect(try await !manager.session(id).needsLogin) }
    }

    @Test("a revoked token of one session does not count as a failure of the provider")
    func revokedToken() async throws {
        let world = RefreshStage()
        let manager = try world.manager(limits: limits(1))
        let id = try await world.expiredSession("revoked")
        world.provider.kill()
        _ = try? await manager.tokens(for: id)
        let other = try await world.expiredSession("alive")
        #expect(try await manager.tokens(for: other).outcome == .refreshedLate)
    }

    @Test("at most the permitted number of refreshes run at one provider at a time, and all complete")
    func concurrency() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<20 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        let manager = try world.manager(limits: limits(concurrent: 3))
        let inside = Mutex((now: 0, most: 0))
        world.provider.hold {
            inside.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            // Waits until three refreshes run at the same time, and lets a fourth one begin, which would be a mistake.
            for _ in 0..<20_000 where inside.withLock({ $0.most }) < 3 { try? await Task.sleep(for: .milliseconds(1)) }
            for _ in 0..<20 { await Task.yield() }
            inside.withLock { $0.now -= 1 }
        }
        let outcomes = try await withThrowingTaskGroup(of: TokenOutcome.self) { group in
            for id in ids { group.addTask { try await manager.tokens(for: id).outcome } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .refreshedLate, count: 20))
        #expect(inside.withLock { $0.most } == 3)
    }

    @Test("a refresh before the expiry does not wait, with its lock, for a place at a busy provider")
    func busyProvider() async throws {
        let world = RefreshStage()
        let expired = try await world.expiredSession("a")
        let manager = try world.manager(limits: limits(concurrent: 1))
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let early = try await manager.establish(tokens, provider: "journaled").id
        world.clock.advance(by: .seconds(3300))
        let stop = StoppingPoint()
        world.provider.hold { await stop.pass() }
        async let refreshed = manager.tokens(for: expired)
        await stop.arrived()
        #expect(try await manager.tokens(for: early).outcome == .stored)
        stop.release()
        #expect(try await refreshed.outcome == .refreshedLate)
        _ = await manager.drain()
        #expect(world.provider.requests == 1)
        // The provider has a place again.
        _ = try await manager.tokens(for: early)
        _ = await manager.drain()
        #expect(world.provider.requests == 2)
    }

    @Test("a session that keeps failing is tried less and less often, and works after the outage and its pause")
    func pauses() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager(limits: limits(1_000))
        let failing = IdentityError(
            .retryLater,
            .unexpectedResponse,
            "?",
            providerResponse: .init(error: "server_error")
        )
        var asked = 0
        for _ in 0..<400 {
            world.provider.answer(.refused(failing))
            let before = world.provider.requests
            _ = try? await manager.tokens(for: id)
            asked += world.provider.requests - before
            world.clock.advance(by: .seconds(1))
        }
        // 400 seconds and 400 callers: a few requests while the pauses grow, then one in 15 seconds on average.
        #expect((10...60).contains(asked))
        world.provider.answer()
        world.clock.advance(by: .seconds(31))
        #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
    }

    @Test("a call that a pause, the open circuit breaker or a full queue turns away reports no failed refresh")
    func turnedAway() async throws {
        let world = RefreshStage()
        let (first, second) = (try await world.expiredSession("a"), try await world.expiredSession("b"))
        var limits = limits(2, concurrent: 1)
        limits.waiting = 0
        let manager = try world.manager(limits: limits)
        let failures = { world.heard.kinds.count { if case .refreshFailed = $0 { true } else { false } } }
        let stop = StoppingPoint()
        world.provider.hold { await stop.pass() }
        let failing = IdentityError(
            .retryLater,
            .unexpectedResponse,
            "?",
            providerResponse: .init(error: "server_error")
        )
        world.provider.answerAll(.refused(failing))
        let running = Task { try await manager.tokens(for: first) }
        await stop.arrived()
        let busy = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: second) }
        #expect(busy?.code == .refreshBusy)
        #expect(failures() == 0)
        stop.release()
        _ = try? await running.value
        // The second failure pauses the session.
        for _ in 0..<5 { _ = try? await manager.tokens(for: first) }
        #expect(world.provider.requests == 2)
        #expect(failures() == 2)

        // The breaker opens after failures of two sessions.
        world.provider.answerAll(.refused(Self.down))
        world.clock.advance(by: .seconds(61))
        for id in [first, second] { _ = try? await manager.tokens(for: id) }
        #expect(world.heard.kinds.contains { if case .providerPaused = $0 { true } else { false } })
        let requests = world.provider.requests
        for _ in 0..<5 { _ = try? await manager.tokens(for: second) }
        #expect(world.provider.requests == requests)
        #expect(failures() == requests)
    }
}

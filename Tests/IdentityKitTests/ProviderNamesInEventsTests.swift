import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Provider names in events")
struct ProviderNamesInEventsTests {
    @Test("events report a provider name from a request only if it is registered")
    func registeredNames() async throws {
        let counters = IdentityCounters()
        let sink = EventSink()
        let stage = try LogoutStage(observers: [counters, sink])
        for number in 0..<100 {
            let name = "made-up-\(number)"
            let callback = try LoginCallback(form: Array("code=c&state=unknown".utf8))
            await #expect(throws: IdentityError.self) {
                _ = try await stage.manager.complete(callback, browserBinding: nil, provider: name)
            }
            let back = try LogoutCallback(url: "/signed-out?state=unknown")
            await #expect(throws: IdentityError.self) {
                _ = try await stage.manager.completeLogout(back, browserBinding: nil, provider: name)
            }
            _ = await stage.manager.backChannelLogout(provider: name, body: [], contentType: nil)
            await #expect(throws: IdentityError.self) { _ = try await stage.manager.begin(name) }
            await #expect(throws: IdentityError.self) {
                _ = try await stage.manager.deviceLogin(name) { _ in }
            }
        }
        #expect(sink.providers == [""])
        #expect(counters.snapshot.count <= 4)
        #expect(counters.count("login_failed") == 100)
        #expect(counters.count("logout_refused") == 200)
    }

    @Test("the logout of a session whose provider was removed from the configuration reports no provider")
    func removedProvider() async throws {
        let stage = try LogoutStage()
        let id = try await stage.signIn()
        let sink = EventSink()
        let manager = try SessionManager(
            StrictProvider(clock: stage.clock),
            store: stage.store,
            clock: stage.clock,
            observers: [sink]
        )
        _ = try await manager.logout(id)
        #expect(sink.names.contains("logged_out"))
        #expect(sink.providers == [""])
    }

    /// A store whose locks become free after a while.
    private struct BusyStore: WrappingStore {
        let inner = InMemoryStore()
        let clock: ManualClock

        func withLock<Result: Sendable>(
            _ name: LockName,
            waitingUpTo limit: Duration,
            _ body: @Sendable (HeldLock) async throws -> Result
        ) async throws -> Result {
            clock.advance(by: .milliseconds(20))
            return try await inner.withLock(name, waitingUpTo: limit) { lock in try await body(lock) }
        }
    }

    @Test("the event about the wait for a session's lock has the session's provider and the time of the wait only")
    func lockWait() async throws {
        let clock = ManualClock()
        let sink = EventSink()
        let provider = StrictProvider(clock: clock)
        let manager = try SessionManager(provider, store: BusyStore(clock: clock), clock: clock, observers: [sink])
        let started = try await manager.begin("strict")
        let callback = try LoginCallback(form: Array("code=c&\(started.url.query ?? "")".utf8))
        let login = try await manager.complete(callback, browserBinding: started.browserBinding, provider: "strict")
        provider.hold { clock.advance(by: .seconds(1)) }
        _ = try await manager.refreshTokens(for: login.session.id)
        let waits = sink.all.filter { $0.kind.name == "lock_waited" }
        #expect(waits.map(\.provider) == ["strict"] && waits.map(\.duration) == [.milliseconds(20)])
        #expect(sink.names.last?.hasPrefix("refreshed") == true)
    }

    @Test("events report the name of a registered provider even if the request fails")
    func known() async throws {
        let sink = EventSink()
        let stage = try LogoutStage(observers: [sink])
        let callback = try LoginCallback(form: Array("code=c&state=unknown".utf8))
        await #expect(throws: IdentityError.self) {
            _ = try await stage.manager.complete(callback, browserBinding: nil, provider: "leaving")
        }
        let back = try LogoutCallback(url: "/signed-out?state=unknown")
        await #expect(throws: IdentityError.self) {
            _ = try await stage.manager.completeLogout(back, browserBinding: nil, provider: "leaving")
        }
        _ = await stage.manager.backChannelLogout(provider: "leaving", body: [], contentType: nil)
        #expect(sink.providers == ["leaving"])
    }
}

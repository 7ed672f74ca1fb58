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
        let manager = SessionManager(
            providers: try ProviderRegistry([StrictProvider(clock: stage.clock)]),
            store: stage.store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: stage.clock),
            observers: [sink]
        )
        _ = try await manager.logout(id)
        #expect(sink.names.contains("logged_out"))
        #expect(sink.providers == [""])
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

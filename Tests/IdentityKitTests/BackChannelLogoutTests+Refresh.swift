import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

/// Back-channel logout of sessions that are refreshed.
extension BackChannelLogoutTests {
    @Test("a refresh that runs during a back-channel logout does not restore the session")
    func refresh() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn(session: "s1")
        let stop = StoppingPoint()
        stage.provider.inner.hold { await stop.pass() }
        let refresh = Task { try await stage.manager.refreshTokens(for: session) }
        await stop.arrived()
        #expect(await send(stage.provider.announce(subject: nil, session: "s1"), to: stage).sessions.count == 1)
        stop.release()
        let error = await #expect(throws: IdentityError.self) { _ = try await refresh.value }
        #expect(error?.code == .sessionUnknown)
        #expect(try await ids(stage).isEmpty)
    }

    @Test("a logout token finds a session by the sid of its refreshed ID token")
    func named() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        stage.provider.setNameAtRefresh("s1")
        _ = try await stage.manager.refreshTokens(for: session)
        let result = await send(stage.provider.announce(subject: nil, session: "s1"), to: stage)
        #expect(result.sessions.map(\.id) == [session])
    }

    @Test("the sid of a session survives refreshes and restarts")
    func refreshed() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn(session: "s1")
        #expect(try await stage.manager.refreshTokens(for: session).tokens.providerSessionID == "s1")
        let second = try stage.manager(over: stage.store)
        let token = stage.provider.announce(subject: nil, session: "s1")
        let result = await second.backChannelLogout(
            provider: "leaving",
            body: Array("logout_token=\(token)".utf8),
            contentType: Self.form
        )
        #expect(result.sessions.map(\.id) == [session])
    }
}

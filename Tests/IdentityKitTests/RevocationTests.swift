import FoundationEssentials
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Revocation at logout")
struct RevocationTests {
    @Test("a logout revokes the session's newest tokens after it removed the session")
    func revoked() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        let tokens = try await stage.manager.refreshTokens(for: session).tokens
        stage.provider.onRevocation { _ in
            let stored = try await stage.store.session(session)
            #expect(stored == nil)
        }
        #expect(try await stage.manager.logout(session).problems.isEmpty)
        #expect(stage.provider.revoked == [try #require(tokens.refreshToken).reveal()])
    }

    @Test("a failed revocation does not stop a logout, and is reported as one of its problems")
    func failure() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        stage.provider.onRevocation { _ in throw IdentityError(.retryLater, .providerUnavailable, "Down.") }
        let result = try await stage.manager.logout(session)
        #expect(result.problems.map(\.code) == [.providerUnavailable])
        #expect(result.browserURL != nil)
        #expect(try await stage.manager.sessions().isEmpty)
    }

    @Test("a logout waits at most five seconds for the revocation at an unresponsive provider")
    func limit() async throws {
        let stage = try LogoutStage(skippedSleep: .seconds(6))
        let session = try await stage.signIn()
        stage.provider.onRevocation { _ in try await stage.clock.sleep(for: .seconds(3600)) }
        #expect(try await stage.manager.logout(session).problems.map(\.code) == [.providerUnavailable])
        #expect(stage.clock.elapsed == .seconds(5))
    }

    @Test("the tokens of a buyer's sessions are revoked concurrently", .timeLimit(.minutes(1)))
    func together() async throws {
        let stage = try LogoutStage()
        for _ in 0..<3 { _ = try await stage.signIn() }
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        stage.provider.onRevocation { _ in
            arrival.yield()
            for await _ in released {}
        }
        async let ended = stage.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        var calls = 0
        for await _ in arrived {
            calls += 1
            if calls == 3 { break }
        }
        release.finish()
        #expect(try await ended.map(\.problems.count) == [0, 0, 0])
    }

    @Test("revocation can be switched off, and is skipped for providers that do not support it")
    func off() async throws {
        var configuration = SessionManager.Configuration()
        configuration.revokesTokens = false
        let stage = try LogoutStage(configuration: configuration)
        #expect(try await stage.manager.logout(try await stage.signIn()).problems.isEmpty)
        _ = try await stage.signIn()
        _ = try await stage.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        #expect(stage.provider.revoked.isEmpty)
        let other = try LogoutStage()
        #expect(try await other.manager.logout(try await other.signIn(provider: "strict")).problems.isEmpty)
    }

    @Test(
        "tokens of a refresh that ends after the logout are revoked, too, but not those of a replaced session",
        arguments: [true, false]
    )
    func late(isReplaced: Bool) async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        let stop = StoppingPoint()
        stage.provider.inner.hold { await stop.pass() }
        let refresh = Task { try await stage.manager.refreshTokens(for: session) }
        await stop.arrived()
        if isReplaced {
            let old = try await stage.manager.session(session)
            // The first call notes that the session's tokens stay valid. The second call finds no session and keeps this note.
            for _ in 0..<2 { await stage.manager.endReplaced(old) {} }
        } else {
            _ = try await stage.manager.logout(session)
        }
        stop.release()
        let error = await #expect(throws: IdentityError.self) { _ = try await refresh.value }
        #expect(error?.code == .sessionUnknown)
        #expect(stage.provider.revoked == (isReplaced ? [] : ["refresh-1", "refresh-2"]))
    }

    @Test("if two tasks replace a session at the same time, tokens of a refresh that ends later are not revoked")
    func concurrentReplacements() async throws {
        let stage = try LogoutStage()
        let id = try await stage.signIn()
        let session = try await stage.manager.session(id)
        let refreshing = StoppingPoint()
        stage.provider.inner.hold { await refreshing.pass() }
        let refresh = Task { try await stage.manager.refreshTokens(for: id) }
        await refreshing.arrived()
        let removing = StoppingPoint()
        stage.store.holdRemoval { await removing.pass() }
        let first = Task { await stage.manager.endReplaced(session) {} }
        await removing.arrived()
        await stage.manager.endReplaced(session) {}
        removing.release()
        await first.value
        refreshing.release()
        await #expect(throws: IdentityError.self) { _ = try await refresh.value }
        #expect(stage.provider.revoked.isEmpty)
    }

    @Test("if new tokens could not be saved, a logout revokes them instead of the old ones")
    func unsaved() async throws {
        let stage = try LogoutStage(skippedSleep: .seconds(3))
        let session = try await stage.signIn()
        // The store saves the claim, but not the new tokens.
        stage.store.setReplacements(failingAfter: 1)
        _ = try await stage.manager.refreshTokens(for: session)
        _ = try await stage.manager.logout(session)
        #expect(stage.provider.revoked == ["refresh-2"])
    }

    @Test("a back-channel logout revokes no tokens")
    func backChannel() async throws {
        let stage = try LogoutStage()
        _ = try await stage.signIn()
        let body = Array("logout_token=\(stage.provider.announce())".utf8)
        let result = await stage.manager.backChannelLogout(
            provider: "leaving",
            body: body,
            contentType: "application/x-www-form-urlencoded"
        )
        #expect(result.sessions.count == 1)
        #expect(stage.provider.revoked.isEmpty)
    }
}

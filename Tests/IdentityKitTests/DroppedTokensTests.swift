import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Tokens of a login that could not be stored")
struct DroppedTokensTests {
    private func failedLogin(at provider: String, _ stage: LogoutStage) async throws -> IdentityError? {
        let started = try await stage.manager.begin(provider)
        let callback = try LoginCallback(form: Array("code=c&\(try #require(started.url.query))".utf8))
        stage.store.setBroken(.insertSession)
        defer { stage.store.setBroken() }
        return await #expect(throws: IdentityError.self) {
            _ = try await stage.manager.complete(
                callback,
                browserBinding: started.browserBinding,
                provider: provider
            )
        }
    }

    @Test("tokens of a login that could not be stored are revoked, and events report the login and the revocation")
    func revoked() async throws {
        let sink = EventSink()
        let stage = try LogoutStage(observers: [sink])
        #expect(try await failedLogin(at: "leaving", stage)?.code == .storeBusy)
        #expect(stage.provider.revoked == ["refresh-2"])
        #expect(sink.names == ["login_started", "login_tokens_dropped revoked", "login_failed store_busy"])
    }

    @Test("if the provider does not support revocation, an event reports that the tokens stay valid")
    func unsupported() async throws {
        let sink = EventSink()
        let stage = try LogoutStage(observers: [sink])
        #expect(try await failedLogin(at: "strict", stage)?.code == .storeBusy)
        #expect(sink.names == ["login_started", "login_tokens_dropped not_revoked", "login_failed store_busy"])
    }

    @Test("a failed revocation does not hide the error of the failed login")
    func failure() async throws {
        let sink = EventSink()
        let stage = try LogoutStage(observers: [sink])
        stage.provider.onRevocation { _ in throw IdentityError(.retryLater, .providerUnavailable, "Down.") }
        #expect(try await failedLogin(at: "leaving", stage)?.code == .storeBusy)
        #expect(
            sink.names == [
                "login_started", "revocation_failed provider_unavailable", "login_tokens_dropped not_revoked",
                "login_failed store_busy",
            ]
        )
    }

    @Test("the revocation waits at most five seconds for an unresponsive provider")
    func limit() async throws {
        let stage = try LogoutStage(skippedSleep: .seconds(6))
        stage.provider.onRevocation { _ in try await stage.clock.sleep(for: .seconds(3600)) }
        #expect(try await failedLogin(at: "leaving", stage)?.code == .storeBusy)
        #expect(stage.clock.elapsed == .seconds(5))
    }

    @Test(
        "tokens of a login that could not be stored are revoked even if the caller is cancelled meanwhile",
        .timeLimit(.minutes(5))
    )
    func cancelled() async throws {
        let sink = EventSink()
        let stage = try LogoutStage(observers: [sink])
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        stage.provider.onRevocation { _ in
            arrival.finish()
            // Wait until the caller has been cancelled.
            for _ in 0..<100 { await Task.yield() }
            try Task.checkCancellation()
        }
        let login = Task { try await failedLogin(at: "leaving", stage) }
        for await _ in arrived {}
        login.cancel()
        #expect(try await login.value?.code == .storeBusy)
        #expect(stage.provider.revoked == ["refresh-2"])
        #expect(sink.names.contains("login_tokens_dropped revoked"))
    }

    @Test("tokens that the app passes to `establish` are not revoked if the session cannot be saved")
    func established() async throws {
        let stage = try LogoutStage()
        stage.store.setBroken(.insertSession)
        await #expect(throws: IdentityError.self) { _ = try await stage.signIn() }
        #expect(stage.provider.revoked.isEmpty)
    }
}

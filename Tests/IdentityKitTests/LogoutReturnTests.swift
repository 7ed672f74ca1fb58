import IdentityHTTP
import IdentityKit
import IdentityTesting
import Testing

@Suite("The return from a provider's logout page")
struct LogoutReturnTests {
    private static let address = "https://app.example/signed-out"

    /// Logs out and returns the callback of the logout page.
    private func logout(
        _ stage: LogoutStage,
        _ change: (inout LogoutOptions) -> Void = { _ in }
    ) async throws -> (cookie: Secret?, callback: LogoutCallback) {
        var options = LogoutOptions(returningTo: Self.address)
        change(&options)
        let result = try await stage.manager.logout(try await stage.signIn(), options: options)
        #expect(result.problems.isEmpty)
        let url = try #require(result.browserURL)
        return (
            result.awaitedReturn?.browserBinding,
            try LogoutCallback(url: Self.address + (url.query.map { "?\($0)#top" } ?? ""))
        )
    }

    private func refusal(_ body: () async throws -> CompletedLogout) async -> IdentityError? {
        let error = await #expect(throws: IdentityError.self) { _ = try await body() }
        #expect(error?.kind == .rejected)
        return error
    }

    @Test("a return with the logout's state, in the same browser, is confirmed once and gives the return path")
    func confirmed() async throws {
        let stage = try LogoutStage()
        let (cookie, callback) = try await logout(stage) { $0.returnPath = "/goodbye" }
        let done = try await stage.manager.completeLogout(callback, browserBinding: cookie, provider: "leaving")
        #expect(done.isConfirmed)
        #expect(done.provider == "leaving")
        #expect(done.returnPath == "/goodbye")
        let again = await refusal { try await stage.manager.completeLogout(callback, browserBinding: cookie) }
        #expect(again?.code == .stateUnknown)
    }

    @Test("the configured return address is used if the options name none")
    func configuredAddress() async throws {
        let stage = try LogoutStage()
        let none = try await stage.manager.logout(try await stage.signIn(), options: LogoutOptions())
        #expect(none.awaitedReturn == nil)
        stage.provider.configureReturn("https://app.example/configured")
        let configured = try await stage.manager.logout(try await stage.signIn(), options: LogoutOptions())
        #expect(configured.awaitedReturn != nil)
        _ = try await logout(stage)
        #expect(stage.provider.returns == ["https://app.example/configured", Self.address])
    }

    @Test("a return without a state is not confirmed, and gives no provider and no return path")
    func withoutState() async throws {
        let stage = try LogoutStage()
        let (cookie, _) = try await logout(stage) { $0.returnPath = "/goodbye" }
        for url in [Self.address, "\(Self.address)?", "/signed-out?a=b", "/signed-out?#state=x"] {
            let done = try await stage.manager.completeLogout(try LogoutCallback(url: url), browserBinding: cookie)
            #expect(!done.isConfirmed)
            #expect(done.provider == nil)
            #expect(done.returnPath == nil)
        }
        #expect(try await stage.manager.sessions().isEmpty)
    }

    @Test("an unknown state, an empty state and the state of a login are refused")
    func otherState() async throws {
        let stage = try LogoutStage()
        let (cookie, callback) = try await logout(stage)
        let login = try await stage.manager.begin("leaving")
        for query in ["state=other", "state=", try #require(login.url.query)] {
            let other = try LogoutCallback(url: "\(Self.address)?\(query)")
            let error = await refusal { try await stage.manager.completeLogout(other, browserBinding: cookie) }
            #expect(error?.code == .stateUnknown)
        }
        #expect(try await stage.manager.completeLogout(callback, browserBinding: cookie).isConfirmed)
    }

    @Test("a logout's state is refused from another browser, without a cookie, too late or at another provider")
    func misplaced() async throws {
        let stage = try LogoutStage()
        let (cookie, second) = try await logout(stage)
        let (own, first) = try await logout(stage)
        let (third, late) = try await logout(stage)
        let (fourth, misplaced) = try await logout(stage)
        let wrong = await refusal { try await stage.manager.completeLogout(first, browserBinding: cookie) }
        #expect(wrong?.code == .browserMismatch)
        let none = await refusal { try await stage.manager.completeLogout(second, browserBinding: nil) }
        #expect(none?.code == .browserMismatch)
        #expect(try await stage.manager.completeLogout(first, browserBinding: own).isConfirmed)
        let astray = await refusal {
            try await stage.manager.completeLogout(misplaced, browserBinding: fourth, provider: "other")
        }
        #expect(astray?.code == .responseIssuerMismatch)
        stage.clock.advance(by: .seconds(600))
        let expired = await refusal { try await stage.manager.completeLogout(late, browserBinding: third) }
        #expect(expired?.code == .attemptExpired)
    }

    @Test("the state of a logout does not complete a login")
    func noLogin() async throws {
        let stage = try LogoutStage()
        var options = LogoutOptions(returningTo: Self.address)
        options.sendsState = true
        let result = try await stage.manager.logout(try await stage.signIn(), options: options)
        let query = try #require(result.browserURL?.query)
        let error = await #expect(throws: IdentityError.self) {
            _ = try await stage.manager.complete(
                try LoginCallback(form: Array("code=c&\(query)".utf8)),
                browserBinding: result.awaitedReturn?.browserBinding
            )
        }
        #expect(error?.code == .stateUnknown)
    }

    @Test("no state is sent without a return address, if `sendsState` is false, or if the provider does not support it")
    func unsent() async throws {
        let stage = try LogoutStage()
        var silent = LogoutOptions(returningTo: Self.address)
        silent.sendsState = false
        for options in [LogoutOptions(), silent] {
            let result = try await stage.manager.logout(try await stage.signIn(), options: options)
            #expect(result.awaitedReturn == nil)
            #expect(result.browserURL?.query == nil)
        }
        let plain = try await stage.manager.logout(try await stage.signIn(), returningTo: Self.address)
        #expect(plain.awaitedReturn == nil)
        #expect(plain.browserURL?.query == nil)
        let session = try await stage.signIn(provider: "strict")
        let result = try await stage.manager.logout(session, options: LogoutOptions(returningTo: Self.address))
        #expect(result.awaitedReturn == nil)
        #expect(result.browserURL != nil)
        #expect(result.problems.isEmpty)
    }

    @Test("a store that cannot save the state does not stop the logout")
    func storeDown() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        stage.store.setBroken(.insertAttempt)
        let result = try await stage.manager.logout(session, options: LogoutOptions(returningTo: Self.address))
        #expect(result.problems.map(\.code) == [.storeBusy])
        #expect(result.awaitedReturn == nil)
        #expect(result.browserURL?.text == "https://id.example/logout")
        #expect(try await stage.manager.sessions().isEmpty)
    }

    @Test("a return path to another site is refused before the session ends; a malformed return URL is refused")
    func malformed() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        var options = LogoutOptions(returningTo: Self.address)
        options.returnPath = "//evil.example"
        let error = await #expect(throws: IdentityError.self) {
            _ = try await stage.manager.logout(session, options: options)
        }
        #expect(error?.code == .returnPathRefused)
        #expect(try await stage.manager.sessions().count == 1)
        for query in ["state=a&state=a", "state=%", "state=" + String(repeating: "a", count: 16_384)] {
            let error = #expect(throws: IdentityError.self) { _ = try LogoutCallback(url: "/signed-out?\(query)") }
            #expect(error?.code == .callbackInvalid)
        }
    }
}

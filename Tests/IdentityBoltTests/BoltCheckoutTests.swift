import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("BoltCheckout, with the names of Bolt's documentation")
struct BoltCheckoutTests {
    private func checkout(
        _ presenter: (any Presenter)? = ScriptedPresenter.good,
        onLogOut: (@Sendable () -> Void)? = nil
    ) async throws -> BoltCheckout {
        let checkout = BoltCheckout()
        checkout.configure(provider: try await FakeBolt().provider(), presenter: presenter, onLogOut: onLogOut)
        return checkout
    }

    private func results(_ checkout: BoltCheckout, _ config: BoltLoginConfig) async -> [BoltLoginResult] {
        let results = Mutex<[BoltLoginResult]>([])
        await checkout.startLogin(loginConfig: config) { result in results.withLock { $0.append(result) } }.finished()
        return results.withLock { $0 }
    }

    @Test("the code verifier of a result is empty only without PKCE", arguments: [true, false])
    func verifier(usePkce: Bool) async throws {
        let seen = Mutex("")
        let presenter = ScriptedPresenter { state in
            seen.withLock { $0 = state }
            return "/?code=C0DE&state=\(state)"
        }
        let checkout = try await checkout(presenter)
        let config = BoltLoginConfig(usePkce: usePkce)
        let expectedState = { seen.withLock { $0 } }
        guard case .completed(let code, let verifier, let state) = await checkout.startLogin(loginConfig: config) else {
            Issue.record("The login did not complete.")
            return
        }
        #expect(code == "C0DE")
        #expect(verifier.isEmpty == !usePkce)
        #expect(state == expectedState())
        let called = await results(checkout, config)
        #expect(called.count == 1)
        let delegate = RecordingDelegate()
        await checkout.startLogin(loginConfig: config, delegate: delegate).finished()
        #expect(delegate.told == ["success C0DE \(usePkce ? 43 : 0) \(expectedState())"])
    }

    @Test(
        "without an API key, a login without PKCE is a configuration error before the login page and before the exchange"
    )
    func withoutKeyAndPKCE() async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider(.publicPKCE)
        let checkout = BoltCheckout()
        checkout.configure(provider: provider, presenter: ScriptedPresenter.good)
        #expect(await checkout.startLogin().failure?.kind == .configuration)
        #expect(await checkout.startLogin(loginConfig: BoltLoginConfig(usePkce: true)).failure == nil)
        let phone = BoltLoginResult.completed(authorizationCode: "C0DE", codeVerifier: "", state: "phone678")
        #expect(await failure { try await provider.exchange(phone) }?.kind == .configuration)
        #expect(await failure { try await provider.exchange(phone, redirectURI: nil) }?.kind == .configuration)
        #expect(bolt.requests.isEmpty)
    }

    @Test(
        "denial, a forged state and an invalid callback are failures and not cancellations",
        arguments: [
            ("/?error=access_denied&state=S", IdentityError.Code.accessDenied),
            ("/?code=C0DE&state=other678", .stateInvalid),
            ("/?code=C0DE", .stateInvalid), ("/?state=S", .callbackInvalid), ("/nothing", .callbackInvalid),
            ("/?code=C0DE&code=2&state=S", .callbackInvalid),
        ]
    )
    func failures(template: String, code: IdentityError.Code) async throws {
        let checkout = try await checkout(
            ScriptedPresenter { state in
                template.hasSuffix("state=S") ? template.dropLast(1) + state : template
            }
        )
        let error = try #require(await checkout.startLogin().failure)
        #expect(error.code == code)
        #expect(!error.localizedDescription.isEmpty)
        let delegate = RecordingDelegate()
        await checkout.startLogin(delegate: delegate).finished()
        #expect(delegate.told == ["error \(error.localizedDescription)"])
    }

    @Test("logOut cancels a login whose callback is being checked, and the cancellation of its handle does not")
    func logOutDuringCheck() async throws {
        for logsOut in [true, false] {
            let provider = WaitingBolt(inner: try await FakeBolt().provider())
            let checkout = BoltCheckout()
            checkout.configure(provider: provider, presenter: ScriptedPresenter.good)
            let delegate = RecordingDelegate()
            let login = checkout.startLogin(delegate: delegate)
            await provider.check.arrived()
            if logsOut { checkout.logOut() } else { login.cancel() }
            provider.check.release()
            await login.finished()
            #expect(delegate.told.map { $0.prefix(7) } == [logsOut ? "cancel" : "success"])
        }
    }

    @Test(
        "a closed page, a cancelled handle, a cancelled task or logOut cancels a login, and the delegate gets one cancellation"
    )
    func cancellation() async throws {
        let closing = try await checkout(ScriptedPresenter { _ in throw CancellationError() })
        guard case .canceled = await closing.startLogin() else {
            Issue.record("The login was not canceled.")
            return
        }
        let shown = Gate()
        let waiting = ScriptedPresenter { state in
            shown.open()
            try await Task.sleep(for: .seconds(3600))
            return "/?code=C0DE&state=\(state)"
        }
        let loggedOut = Gate()
        for way in 0..<2 {
            let checkout = try await checkout(waiting) { loggedOut.open() }
            let delegate = RecordingDelegate()
            let login = checkout.startLogin(delegate: delegate)
            await shown.wait()
            if way == 0 { login.cancel() } else { checkout.logOut() }
            login.cancel()
            await login.finished()
            #expect(delegate.told == ["cancel"])
        }
        await loggedOut.wait()
        let checkout = try await checkout(waiting)
        let task = Task { await checkout.startLogin() }
        task.cancel()
        guard case .canceled = await task.value else {
            Issue.record("The login was not canceled.")
            return
        }
    }

    @Test("a flow shows one page and accepts one callback; a later cancel has no effect")
    func explicitPresentation() async throws {
        let checkout = try await checkout()
        let delegate = RecordingDelegate()
        let flow = BoltLoginFlow(delegate: delegate, loginConfig: BoltLoginConfig(usePkce: true), checkout: checkout)
        #expect(await flow.handle(callbackURL: "/?code=C0DE&state=12345678") == false)
        let url = try await flow.authorizationURL
        #expect(try await flow.authorizationURL == url)
        #expect(url.text.contains("code_challenge="))
        let callback = "/?code=C0DE&state=\(state(of: url))"
        #expect(await flow.handle(callbackURL: callback))
        #expect(await flow.handle(callbackURL: callback) == false)
        flow.cancel()
        #expect(delegate.told == ["success C0DE 43 \(state(of: url))"])
        await #expect(throws: IdentityError.self) { _ = try await flow.authorizationURL }
    }

    @Test("a callback at another URL than the redirect URI is a failure")
    func otherPlace() async throws {
        let checkout = BoltCheckout()
        checkout.configure(
            provider: try await FakeBolt().provider { $0.redirectURI = "https://app.example/bolt" },
            presenter: ScriptedPresenter { "https://app.example/shopify?code=C0DE&state=\($0)" }
        )
        let error = try #require(await checkout.startLogin().failure)
        #expect(error.code == .callbackInvalid)
    }

    @Test("one of two concurrent callbacks is accepted, and a cancellation during its check has no effect")
    func concurrentCallbacks() async throws {
        let provider = WaitingBolt(inner: try await FakeBolt().provider())
        let checkout = BoltCheckout()
        checkout.configure(provider: provider)
        let delegate = RecordingDelegate()
        let flow = BoltLoginFlow(delegate: delegate, checkout: checkout)
        let callback = "/?code=C0DE&state=\(state(of: try await flow.authorizationURL))"
        async let first = flow.handle(callbackURL: callback)
        await provider.check.arrived()
        flow.cancel()
        #expect(await flow.handle(callbackURL: callback) == false)
        provider.check.release()
        #expect(await first)
        #expect(delegate.told.count == 1)
        #expect(delegate.told.first?.hasPrefix("success") == true)
    }

    @Test("a second request for the page that fails returns the page of the first one, and the login goes on")
    func failingSecondPage() async throws {
        var provider = WaitingBolt(inner: try await FakeBolt().provider())
        let isFirst = Mutex(true)
        let (firstArrived, secondArrived, firstReturned) = (Gate(), Gate(), Gate())
        provider.beforePage = {
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }; return isFirst
            }) {
                firstArrived.open()
                return await secondArrived.wait()
            }
            secondArrived.open()
            await firstReturned.wait()
            throw CancellationError()
        }
        provider.check.release()
        let checkout = BoltCheckout()
        checkout.configure(provider: provider)
        let delegate = RecordingDelegate()
        let flow = BoltLoginFlow(delegate: delegate, checkout: checkout)
        let first = Task { try await flow.authorizationURL }
        await firstArrived.wait()
        let second = Task { try await flow.authorizationURL }
        let page = try await first.value
        firstReturned.open()
        #expect(try await second.value == page)
        #expect(await flow.handle(callbackURL: "/?code=C0DE&state=\(state(of: page))"))
        #expect(delegate.told.count == 1 && delegate.told.first?.hasPrefix("success") == true)
    }

    @Test("a cancelled flow refuses its callback")
    func cancelledFlow() async throws {
        let checkout = try await checkout()
        let delegate = RecordingDelegate()
        let flow = BoltLoginFlow(delegate: delegate, checkout: checkout)
        let url = try await flow.authorizationURL
        flow.cancel()
        flow.cancel()
        #expect(await flow.handle(callbackURL: "/?code=C0DE&state=\(state(of: url))") == false)
        #expect(delegate.told == ["cancel"])
    }

    @Test("callbacks run on the configured executor, and the reference to a delegate is weak")
    func executorAndDelegate() async throws {
        let queue = Mutex<[@Sendable () -> Void]>([])
        let checkout = BoltCheckout()
        checkout.configure(
            provider: try await FakeBolt().provider(),
            presenter: ScriptedPresenter.good,
            callbacksOn: CallbackExecutor { work in queue.withLock { $0.append(work) } }
        )
        let kept = RecordingDelegate()
        await checkout.startLogin(delegate: kept).finished()
        #expect(kept.told.isEmpty)
        var dropped: RecordingDelegate? = RecordingDelegate()
        weak let observed = dropped
        if let delegate = dropped { await checkout.startLogin(delegate: delegate).finished() }
        dropped = nil
        #expect(observed == nil)
        for work in queue.withLock({ $0 }) { work() }
        #expect(kept.told.count == 1)
    }

    @Test("a checkout without provider or presenter has an error with a hint")
    func notConfigured() async throws {
        for checkout in [BoltCheckout(), try await checkout(nil)] {
            let error = try #require(await checkout.startLogin().failure)
            #expect(error.kind == .configuration)
        }
        let delegate = RecordingDelegate()
        let flow = BoltLoginFlow(delegate: delegate, checkout: BoltCheckout())
        await #expect(throws: IdentityError.self) { _ = try await flow.authorizationURL }
        #expect(delegate.told.count == 1)
    }

    @Test(
        "a login result in a phone's JSON needs one code, and members of the right type",
        arguments: [
            (#"{"authorizationCode":"C","codeVerifier":"","state":"s"}"#, true), (#"{"authCode":"C"}"#, true),
            (#"{"authCode":"C","codeVerifier":null,"state":null}"#, true), (#"{"authCode":""}"#, false),
            (#"{"authCode":"C","authorizationCode":"C"}"#, false), (#"{"authCode":7}"#, false), ("[]", false),
            (#"{"authCode":"C","codeVerifier":"short"}"#, false), (#"{"state":"s"}"#, false), ("{", false),
        ]
    )
    func phone(json: String, isGood: Bool) throws {
        let bytes = Array(json.utf8)
        let strict = try? BoltLoginResult(json: bytes)
        let decoded = try? JSONDecoder().decode(BoltLoginResult.self, from: Data(bytes))
        #expect((strict != nil) == isGood)
        #expect((decoded != nil) == isGood)
    }

    @Test("the error of a login result that is too large names the member and its limit")
    func tooLarge() {
        for (code, state, problem) in [
            (8193, 0, "an authorization code of more than 8192 bytes"), (1, 1025, "a state of more than 1024 bytes"),
        ] {
            let (code, state) = (String(repeating: "c", count: code), String(repeating: "s", count: state))
            let error = #expect(throws: IdentityError.self) {
                try BoltLoginResult(json: Array(#"{"authCode":"\#(code)","state":"\#(state)"}"#.utf8))
            }
            #expect(error?.code == .callbackInvalid && error?.message.contains(problem) == true)
        }
    }

    @Test("neither the printed result nor the printed error of a login shows the code")
    func canary() async throws {
        let canary = SecretCanary()
        let code = canary.plant("code")
        let result = BoltLoginResult.completed(
            authorizationCode: code,
            codeVerifier: canary.plant("verifier"),
            state: canary.plant("state")
        )
        #expect(canary.findings(in: result).isEmpty)
        #expect(canary.findings(in: [result]).isEmpty)
        let checkout = try await checkout(ScriptedPresenter { _ in "/?code=\(code)&state=wrong678" })
        #expect(canary.findings(in: await checkout.startLogin()).isEmpty)
    }
}

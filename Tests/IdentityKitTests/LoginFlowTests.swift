import Dispatch
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Logins with async/await, a completion or a delegate")
struct LoginFlowTests {
    /// A presenter that immediately returns the callback that `answer` makes, or cancels before the login begins.
    private struct Buyer: Presenter {
        var answer: @Sendable (String) async throws -> String = { "https://app.example/callback?code=c&\($0)" }
        var redirectURI: String?
        var begins = true

        func present(_ login: PresentedLogin) async throws -> String {
            guard begins else { throw CancellationError() }
            let url = try await login.authorizationURL(redirectURI: redirectURI ?? login.redirectURI)
            return try await answer(url.query ?? "")
        }
    }

    private func flow(_ presenter: Buyer, _ observers: [any IdentityObserver] = []) throws -> LoginFlow {
        let clock = ManualClock()
        let manager = try SessionManager(StrictProvider(clock: clock), clock: clock, observers: observers)
        return LoginFlow(provider: "strict", sessions: manager, presenter: presenter)
    }

    /// The results of a login with async/await, with a completion and with a delegate.
    private func endings(_ presenter: Buyer) async throws -> [String] {
        let flow = try flow(presenter)
        var endings: [String] = []
        do {
            _ = try await flow.login()
            endings.append("completed")
        } catch let error as IdentityError {
            endings.append(error.kind == .cancelled ? "cancelled" : "failed \(error.code)")
        }
        let called = Mutex<[String]>([])
        let handle = flow.login { result in
            called.withLock { called in
                switch result {
                case .success: called.append("completed")
                case .failure(let error): called.append(error.kind == .cancelled ? "cancelled" : "failed \(error.code)")
                }
            }
        }
        await handle.finished()
        endings += called.withLock { $0 }
        let delegate = RecordingDelegate()
        await flow.login(delegate: delegate).finished()
        endings += delegate.calls.withLock { $0 }
        return endings
    }

    @Test("a login reports the same result, once, with async/await, with a completion and with a delegate")
    func sameEnding() async throws {
        #expect(try await endings(Buyer()) == ["completed", "completed", "completed"])
        let gaveUp = Buyer { _ in throw CancellationError() }
        #expect(try await endings(gaveUp) == ["cancelled", "cancelled", "cancelled"])
        let forged = Buyer { _ in "https://app.example/callback?code=c&state=forged" }
        #expect(try await endings(forged) == Array(repeating: "failed state_unknown", count: 3))
    }

    @Test(
        "a callback must arrive at the redirect URI, given as a URL, as a path or as a bare query",
        arguments: [
            ("https://app.example/cb?", true), ("/cb?", true), ("?", true), ("https://app.example/cb/?", false),
            ("https://app.example:443/cb?", false), ("https://evil.example/cb?", false), ("//evil.example/cb?", false),
            ("/other?", false), ("cb?", false), ("http://app.example/cb?", false),
            ("https://app.example/cb%2F?", false),
        ]
    )
    func place(start: String, isGood: Bool) async throws {
        var buyer = Buyer(answer: { start + "code=c&" + $0 })
        buyer.redirectURI = "https://app.example/cb"
        let flow = try flow(buyer)
        do {
            _ = try await flow.login()
            #expect(isGood)
        } catch let error as IdentityError {
            #expect(!isGood)
            #expect(error.code == .callbackInvalid)
            #expect(error.hint?.contains("redirect URI ") == true)
        }
    }

    @Test(
        "if a redirect URI has no path, the slash that browsers send after the host makes no difference",
        arguments: [
            ("https://app.example", "https://app.example/?"), ("https://app.example", "https://app.example?"),
            ("https://app.example", "/?"), ("https://app.example/", "https://app.example?"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/?"),
            ("com.example.app://done", "com.example.app://done/?"),
        ]
    )
    func emptyPath(redirectURI: String, start: String) async throws {
        var buyer = Buyer(answer: { start + "code=c&" + $0 })
        buyer.redirectURI = redirectURI
        #expect(try await flow(buyer).login().provider == "strict")
    }

    @Test("a login that was reported as started is reported once as completed or failed, also if the presenter failed")
    func events() async throws {
        func events(_ presenter: Buyer) async throws -> [String] {
            let sink = EventSink()
            _ = try? await flow(presenter, [sink]).login()
            return sink.names
        }
        var elsewhere = Buyer { "https://app.example/other?code=c&" + $0 }
        elsewhere.redirectURI = "https://app.example/cb"
        #expect(try await events(Buyer()) == ["login_started", "login_completed"])
        #expect(
            try await events(Buyer { _ in throw CancellationError() }) == ["login_started", "login_failed cancelled"]
        )
        #expect(try await events(elsewhere) == ["login_started", "login_failed callback_invalid"])
        let forged = Buyer { _ in "https://app.example/callback?code=c&state=forged" }
        #expect(try await events(forged) == ["login_started", "login_failed state_unknown"])
        #expect(try await events(Buyer(begins: false)).isEmpty)
    }

    @Test("cancelling a login through its handle is reported once, and has no effect after the login has ended")
    func cancel() async throws {
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let waiting = Buyer { _ in
            arrival.finish()
            try await Task.sleep(for: .seconds(3600))
            return ""
        }
        let delegate = RecordingDelegate()
        let handle = try flow(waiting).login(delegate: delegate)
        for await _ in arrived {}
        handle.cancel()
        await handle.finished()
        handle.cancel()
        #expect(delegate.calls.withLock { $0 } == ["cancelled"])
    }

    @Test("a login holds its delegate weakly")
    func weakDelegate() async throws {
        let (released, release) = AsyncStream<Void>.makeStream()
        var delegate: RecordingDelegate? = RecordingDelegate()
        weak let observed = delegate
        let waiting = Buyer { query in
            for await _ in released {}
            return "/callback?code=c&\(query)"
        }
        let handle = try flow(waiting).login(delegate: try #require(delegate))
        delegate = nil
        #expect(observed == nil)
        release.finish()
        await handle.finished()
    }

    @Test("the completion runs on the queue that the app passes")
    func executor() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: key, value: "here")
        let flow = try flow(Buyer())
        let place = await withCheckedContinuation { continuation in
            flow.login(on: .queue(queue)) { _ in continuation.resume(returning: DispatchQueue.getSpecific(key: key)) }
        }
        #expect(place == "here")
    }
}

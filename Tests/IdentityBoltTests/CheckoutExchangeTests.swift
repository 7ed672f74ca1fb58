import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("BoltCheckout: checks from the login page to the tokens")
struct CheckoutExchangeTests {
    /// Passes the login page to the test, and returns a callback at `redirectURI`, as if it listened there.
    private struct PagePresenter: Presenter {
        var redirectURI: String?
        let see: @Sendable (PresentedLogin, HTTPURL) throws -> Void

        func present(_ login: PresentedLogin) async throws -> String {
            let page = try await login.authorizationURL(redirectURI: redirectURI ?? login.redirectURI)
            try see(login, page)
            return "\(redirectURI ?? "/")?code=C0DE&state=\(state(of: page))"
        }
    }

    private func startLogin(_ provider: BoltProvider, _ presenter: PagePresenter) async -> BoltLoginResult {
        let checkout = BoltCheckout()
        checkout.configure(provider: provider, presenter: presenter)
        return await checkout.startLogin()
    }

    @Test("the ID token must contain the nonce that BoltCheckout sent", arguments: [true, false])
    func nonce(isOurs: Bool) async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider { $0.sendsNonce = true }
        let presenter = PagePresenter { _, page in
            let fields = FormEncoding.decode(Array((page.query ?? "").utf8)) ?? []
            let sent = try #require(fields.first { $0.name == "nonce" }?.value)
            let idToken = try bolt.idToken { $0["nonce"] = .string(isOurs ? sent : "another") }
            bolt.answer("/v1/oauth/token", try bolt.tokens { $0["id_token"] = .string(idToken) })
        }
        let result = await startLogin(provider, presenter)
        if isOurs {
            #expect(try await provider.exchange(result).nonce != nil)
        } else {
            // A repeated exchange is checked too.
            for _ in 1...2 {
                #expect(await failure { try await provider.exchange(result) }?.code == .idTokenNonce)
            }
        }
    }

    @Test(
        "the token request contains the redirect URI with the presenter's port, and for a phone's login the configured one"
    )
    func redirectURI() async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let provider = try bolt.provider { $0.redirectURI = "http://127.0.0.1/cb" }
        let presenter = PagePresenter(redirectURI: "http://127.0.0.1:4711/cb") { _, _ in }
        _ = try await provider.exchange(await startLogin(provider, presenter))
        _ = try await provider.exchange(.completed(authorizationCode: "C0DE", codeVerifier: "", state: "phone678"))
        let sent = bolt.requests(to: "/v1/oauth/token").map { request in
            request.formFields().first { $0.0 == "redirect_uri" }?.1
        }
        #expect(sent == ["http://127.0.0.1:4711/cb", "http://127.0.0.1/cb"])
    }

    @Test("a callback that comes after the attempt has expired is a failure")
    func expired() async throws {
        let bolt = try await FakeBolt()
        let presenter = PagePresenter { _, _ in bolt.clock.advance(by: .seconds(660)) }
        let error = try #require(await startLogin(try bolt.provider(), presenter).failure)
        #expect(error.code == .attemptExpired)
    }

    private final class Watch: Sendable {
        let mixedLogins = Mutex(0)
        let isDone = Atomic(false)
    }

    @Test("a login that starts while the app configures BoltCheckout has provider and presenter of one configuration")
    func reconfiguration() async throws {
        let bolt = try await FakeBolt()
        let checkout = BoltCheckout()
        let watch = Watch()
        let providers = try ["one", "two"].map { name in try bolt.provider { $0.name = name } }
        let configure = { @Sendable in
            for provider in providers {
                let presenter = PagePresenter { login, _ in
                    if login.provider != provider.descriptor.name { watch.mixedLogins.withLock { $0 += 1 } }
                }
                checkout.configure(provider: provider, presenter: presenter)
            }
        }
        configure()
        let configuring = Task.detached {
            while !watch.isDone.load(ordering: .relaxed) {
                configure()
                await Task.yield()
            }
        }
        for _ in 0..<2000 {
            guard case .completed = await checkout.startLogin() else {
                Issue.record("The login did not complete.")
                break
            }
        }
        watch.isDone.store(true, ordering: .relaxed)
        await configuring.value
        #expect(watch.mixedLogins.withLock { $0 } == 0)
    }
}

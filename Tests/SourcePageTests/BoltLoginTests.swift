import Foundation
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import StorefrontSandbox
import Synchronization
import TestDoubles
import Testing

/// The backend of the documentation page: exchanges a code for a session.
private final class Backend: Sendable {
    let provider: any BoltAuthorizing
    let sessions: SessionManager

    init(_ provider: any BoltAuthorizing, _ environment: IdentityEnvironment) throws {
        self.provider = provider
        sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: InMemoryStore(),
            environment: environment
        )
    }

    func exchangeBoltToken(_ authCode: String, _ state: String, codeVerifier: String = "") async throws -> Session {
        let result = BoltLoginResult.completed(authorizationCode: authCode, codeVerifier: codeVerifier, state: state)
        return try await sessions.establish(try await provider.exchange(result), provider: provider.descriptor.name)
    }
}

/// Bolt in the sandbox, at Bolt's own URLs.
private struct Bolt {
    let sandbox: Sandbox
    let hosts: ProviderHosts
    let environment: IdentityEnvironment
    let backend: Backend

    init(_ boltEnvironment: BoltEnvironment = .sandbox, usePkce: Bool = false) async throws {
        var settings = SandboxConfiguration()
        settings.bolt.issuer = "https://api.bolt.com"
        sandbox = try await Sandbox.start(settings)
        hosts = try ProviderHosts([
            ("https://api-sandbox.bolt.com", sandbox.bolt.origin), ("https://api.bolt.com", sandbox.bolt.origin),
            ("https://shop.example", sandbox.sfcc.origin),
        ])
        environment = IdentityEnvironment(transport: hosts)
        let configuration = BoltProvider.Configuration(
            name: "bolt",
            environment: boltEnvironment,
            publishableKey: settings.bolt.publishableKey,
            authentication: usePkce ? .publicPKCE : .confidential(apiKey: Secret(settings.bolt.apiKey))
        )
        backend = try Backend(try BoltProvider(configuration, environment: environment), environment)
        BoltCheckout.configure(provider: backend.provider, presenter: SandboxBuyer(transport: hosts))
    }
}

/// The class of the documentation page: neither final nor `Sendable`, with members that change.
private class LoginManager: BoltLoginDelegate {
    private(set) var outcomes: [String] = []
    private(set) var code: (authCode: String, codeVerifier: String, state: String)?

    func startLogin(loginConfig: BoltLoginConfig = BoltLoginConfig()) async {
        await BoltCheckout.shared.startLogin(loginConfig: loginConfig, delegate: self).finished()
    }

    /// The view controller of the documentation page; the app shows the login page and passes the callback.
    func present(_ loginVC: BoltLoginViewController, in hosts: ProviderHosts) async throws {
        let page = try await loginVC.authorizationURL
        let callback = try await SandboxBuyer(transport: hosts).login(at: page.text, redirectURI: nil)
        await loginVC.handle(callbackURL: callback)
    }

    func onLoginSuccess(authCode: String, codeVerifier: String, state: String) {
        outcomes.append("success")
        code = (authCode, codeVerifier, state)
    }

    func onLoginError(errorReason: String) { outcomes.append("error \(errorReason)") }

    func onLoginCancel() { outcomes.append("cancel") }
}

/// A screen of an app; the class and its conformance to the delegate protocol are isolated to the main actor.
@MainActor
private class LoginScreen: @MainActor BoltLoginDelegate {
    var isSignedIn = false

    func startLogin() -> LoginHandle { BoltCheckout.shared.startLogin(delegate: self) }

    func onLoginSuccess(authCode: String, codeVerifier: String, state: String) { isSignedIn = true }

    func onLoginError(errorReason: String) {}

    func onLoginCancel() {}
}

// The tests run one after the other, because the samples of the documentation page share BoltCheckout.shared.
@Suite("Bolt's page about single sign-on", .serialized)
struct BoltLoginTests {
    /// A login with the completion handler of the documentation page.
    private func result(_ loginConfig: BoltLoginConfig? = nil) async -> BoltLoginResult {
        await withCheckedContinuation { continuation in
            if let loginConfig {
                BoltCheckout.shared.startLogin(loginConfig: loginConfig) { result in
                    continuation.resume(returning: result)
                }
            } else {
                BoltCheckout.shared.startLogin { result in continuation.resume(returning: result) }
            }
        }
    }

    @Test("the completion handler gets a code that the backend exchanges", .sample("B1"))
    func completionHandler() async throws {
        let bolt = try await Bolt()
        switch await result() {
        case .completed(let authorizationCode, let codeVerifier, let state):
            #expect(codeVerifier.isEmpty)
            let session = try await bolt.backend.exchangeBoltToken(authorizationCode, state)
            #expect(session.buyer.email?.value == "ada@example.com")
        case .canceled:
            Issue.record("User canceled login")
        case .failed(let error):
            Issue.record("Login failed: \(error.localizedDescription)")
        }
        BoltCheckout.configure(
            provider: bolt.backend.provider,
            presenter: SandboxBuyer(behaviour: .close, transport: bolt.hosts)
        )
        guard case .canceled = await result() else {
            Issue.record("The login was not canceled.")
            return
        }
    }

    @Test("a class that is neither final nor Sendable can be the delegate", .sample("B2"))
    func delegate() async throws {
        let bolt = try await Bolt()
        let manager = LoginManager()
        await manager.startLogin()
        let code = try #require(manager.code)
        #expect(try await bolt.backend.exchangeBoltToken(code.authCode, code.state).provider == "bolt")
        for behaviour in [SandboxBuyer.Behaviour.deny, .close] {
            bolt.sandbox.bolt.signOutBrowsers()
            let presenter = SandboxBuyer(behaviour: behaviour, transport: bolt.hosts)
            BoltCheckout.configure(provider: bolt.backend.provider, presenter: presenter)
            await manager.startLogin()
        }
        #expect(manager.outcomes.count == 3 && manager.outcomes.first == "success")
        #expect(manager.outcomes[1].hasPrefix("error ") && manager.outcomes.last == "cancel")
    }

    @Test("a delegate that is isolated to the main actor is called on it", .sample("B2"))
    func mainActorDelegate() async throws {
        let bolt = try await Bolt()
        BoltCheckout.configure(
            provider: bolt.backend.provider,
            presenter: SandboxBuyer(transport: bolt.hosts),
            callbacksOn: .main
        )
        let screen = LoginScreen()
        await screen.startLogin().finished()
        // The callback was enqueued on the main queue before this access.
        #expect(await screen.isSignedIn)
    }

    @Test(
        "BoltLoginViewController reports a completed login to its delegate, and the backend can exchange the code",
        .sample("B3")
    )
    func viewController() async throws {
        let bolt = try await Bolt()
        let manager = LoginManager()
        let loginVC = BoltLoginViewController(delegate: manager)
        try await manager.present(loginVC, in: bolt.hosts)
        let code = try #require(manager.code)
        #expect(code.codeVerifier.isEmpty && manager.outcomes == ["success"])
        #expect(try await bolt.backend.exchangeBoltToken(code.authCode, code.state).provider == "bolt")
    }

    @Test("with PKCE all three approaches give the verifier that the exchange needs", .sample("B4"))
    func pkce() async throws {
        let bolt = try await Bolt(usePkce: true)
        let loginConfig = BoltLoginConfig(usePkce: true)
        guard case .completed(let authorizationCode, let codeVerifier, let state) = await result(loginConfig) else {
            Issue.record("The login was not completed.")
            return
        }
        let manager = LoginManager()
        await manager.startLogin(loginConfig: loginConfig)
        let delegated = try #require(manager.code)
        try await manager.present(BoltLoginViewController(delegate: manager, loginConfig: loginConfig), in: bolt.hosts)
        let presented = try #require(manager.code)
        for code in [(authorizationCode, codeVerifier, state), delegated, presented] {
            #expect(code.1.utf8.count == 43)
            let session = try await bolt.backend.exchangeBoltToken(code.0, code.2, codeVerifier: code.1)
            #expect(session.provider == "bolt")
        }
        let challenges = bolt.sandbox.bolt.requests(to: .authorization).map { $0.queryValue("code_challenge") != nil }
        #expect(challenges == [true, true, true])
    }

    @Test("without PKCE no challenge is sent and the verifier is empty", .sample("B5"))
    func withoutPKCE() async throws {
        let bolt = try await Bolt()
        for config in [BoltLoginConfig(), BoltLoginConfig(usePkce: false)] {
            guard case .completed(_, let codeVerifier, _) = await result(config) else {
                Issue.record("The login was not completed.")
                return
            }
            #expect(codeVerifier.isEmpty)
        }
        let request = try #require(bolt.sandbox.bolt.requests(to: .authorization).last)
        #expect(request.queryValue("code_challenge") == nil && request.queryValue("code_challenge_method") == nil)
        _ = try await Bolt(usePkce: true)
        guard case .failed(let error) = await result() else {
            Issue.record("A login without API key and PKCE did not fail.")
            return
        }
        #expect(error.kind == .configuration)
    }

    @Test(
        "the token endpoints are those of Bolt's documentation",
        .sample("B6"),
        arguments: [
            (BoltEnvironment.sandbox, "https://api-sandbox.bolt.com/v1/oauth/token"),
            (.production, "https://api.bolt.com/v1/oauth/token"),
        ]
    )
    func tokenEndpoints(environment: BoltEnvironment, endpoint: String) async throws {
        let bolt = try await Bolt(environment)
        guard case .completed(let authorizationCode, _, let state) = await result() else {
            Issue.record("The login was not completed.")
            return
        }
        _ = try await bolt.backend.exchangeBoltToken(authorizationCode, state)
        #expect(bolt.hosts.requestedURLs.filter { $0.hasSuffix("/token") } == [endpoint])
    }

    @Test("the token request has the page's fields", .sample("B7"))
    func tokenRequest() async throws {
        let bolt = try await Bolt()
        guard case .completed(let authCode, _, let state) = await result() else {
            Issue.record("The login was not completed.")
            return
        }
        _ = try await bolt.backend.exchangeBoltToken(authCode, state)
        let request = try #require(bolt.sandbox.bolt.requests(to: .token).last)
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.formValue("client_id") == bolt.sandbox.bolt.configuration.publishableKey)
        #expect(request.formValue("code") == authCode && request.formValue("state") == state)
        #expect(request.formValue("grant_type") == "authorization_code")
        #expect(request.formValue("scope") == "openid bolt.account.manage")
        // The documentation page does not say how its backend authenticates.
        #expect(request.formValue("client_secret") == bolt.sandbox.bolt.configuration.apiKey)
        #expect(bolt.sandbox.bolt.violations.isEmpty)
    }

    @Test("logOut runs the app's handler and sends nothing; sessions stay until the app ends them", .sample("B8"))
    func logOut() async throws {
        let bolt = try await Bolt()
        guard case .completed(let authCode, _, let state) = await result() else {
            Issue.record("The login was not completed.")
            return
        }
        let session = try await bolt.backend.exchangeBoltToken(authCode, state)
        let calls = Mutex(0)
        BoltCheckout.configure(
            provider: bolt.backend.provider,
            presenter: SandboxBuyer(transport: bolt.hosts),
            onLogOut: { calls.withLock { $0 += 1 } }
        )
        let requests = bolt.hosts.requestedURLs.count
        BoltCheckout.shared.logOut()
        #expect(calls.withLock { $0 } == 1)
        #expect(bolt.hosts.requestedURLs.count == requests)
        _ = try await bolt.backend.sessions.tokens(for: session.id)
        _ = try await bolt.backend.sessions.logout(session.id)
        #expect(await failure { try await bolt.backend.sessions.tokens(for: session.id) }?.code == .sessionUnknown)
    }

    @Test("behind SFCC the code is sent to the two controllers, and PKCE is refused", .sample("B9"))
    func sfcc() async throws {
        let bolt = try await Bolt()
        var configuration = SFCCConfiguration(name: "sfcc", host: "shop.example", siteID: "Shop")
        configuration.environment = .sandbox
        configuration.publishableKey = bolt.sandbox.bolt.configuration.publishableKey
        let backend = try Backend(try SFCCProvider(configuration, environment: bolt.environment), bolt.environment)
        BoltCheckout.configure(provider: backend.provider, presenter: SandboxBuyer(transport: bolt.hosts))
        guard case .completed(let authCode, let codeVerifier, let state) = await result() else {
            Issue.record("The login was not completed.")
            return
        }
        #expect(codeVerifier.isEmpty)
        #expect(try await backend.exchangeBoltToken(authCode, state).provider == "sfcc")
        let base = "https://shop.example/on/demandware.store/Sites-Shop-Site/default"
        let urls = bolt.hosts.requestedURLs
        #expect(urls.first == "https://api-sandbox.bolt.com/v1/oauth/internal/authorize")
        #expect(urls.suffix(2) == ["\(base)/Login-OAuthMobileBolt", "\(base)/Login-ExchangeSFCCToken"])
        guard case .failed(let error) = await result(BoltLoginConfig(usePkce: true)) else {
            Issue.record("The call did not fail.")
            return
        }
        #expect(error.kind == .configuration)
    }
}

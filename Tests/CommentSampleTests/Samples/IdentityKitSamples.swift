import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityPresentation
import IdentityShopify
import ShopifyStorefront

private struct WebView: Sendable {
    func load(_ page: String, untilRedirectedTo redirectURI: String?) async throws -> String { page }
}

private let webView = WebView()

private enum OwnPresenter {
    struct WebViewPresenter: Presenter {
        func present(_ login: PresentedLogin) async throws -> String {
            let page = try await login.authorizationURL(redirectURI: login.redirectURI)
            return try await webView.load(page.text, untilRedirectedTo: login.redirectURI)
        }
    }
}

private actor Orders {
    func remove(_ id: SessionID) {}
}

private let orders = Orders()

struct FailedLogins: IdentityObserver {
    func identityEvent(_ event: IdentityEvent) {
        if case .loginFailed(let code) = event.kind { print("A login at \(event.provider) failed: \(code)") }
    }
}

final class OrderCache: SessionParticipant {
    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        await orders.remove(session.id)
    }
}

// swift-format-ignore
extension App {
    func registry() throws {
        let providers = try ProviderRegistry(
            IdentityConfiguration(contentsOf: "identity.json"),
            factories: [ShopifyProviderFactory(), OpenIDProviderFactory()],
            environment: environment
        )
        let provider = try providers.provider(named: "shopify")
        _ = provider
    }

    func loginFlow() async throws {
        let flow = LoginFlow(provider: "shopify", sessions: sessions, presenter: LoopbackPresenter())
        let session = try await flow.login()
        _ = session
    }

    func events(logger: Logger, storefront: StorefrontConfiguration, policy: inout CartPolicy) {
        let bridge = EventBridge { event in
            logger.log(level: event.level == .critical ? .critical : .debug, "\(event.name) \(event.metadata)")
        }
        let sessions = SessionManager(providers: providers, store: store, environment: environment, observers: [bridge])
        let client = StorefrontClient(configuration: storefront, environment: environment, observers: [bridge])
        policy.onEvent = bridge.cartEvent
        _ = (sessions, client)
    }

    func browser(_ request: HTTPRequest, address: String, callback: LoginCallback, binding: Secret) async throws {
        let browser = BuyerBrowser(address: address, userAgent: request.headers["User-Agent"])
        let completed = try await browser.scope {
            try await sessions.complete(callback, browserBinding: binding, provider: "shopify")
        }
        _ = completed
    }

    func errors(sessionID: SessionID, log: Logger) async throws {
        do {
            try await placeOrder(with: sessions.tokens(for: sessionID))
        } catch let error as IdentityError {
            switch error.kind {
            case .retryLater: respond(503, retryAfter: error.retryAfter)
            case .signInAgain: redirectToLogin()
            case .configuration, .rejected, .cancelled: log.error("\(error)")
            }
        }
    }

    func claims(_ id: SessionID) async throws {
        let session = try await sessions.session(id)
        guard session.claims?.authenticationContext == "urn:example:two-factor" else { return askForSecondFactor() }
        let groups = session.claims?["groups"]?.array ?? []
        _ = groups
    }

    func userInfo(_ id: SessionID) async throws {
        let info = try await sessions.userInfo(for: id)
        let locale = info["locale"]?.string
        _ = locale
    }

    func stepUp(_ id: SessionID) async throws {
        let started = try await sessions.beginStepUp(of: id, requiring: StepUpRequirement(maximumAge: .seconds(300)))
        _ = started
    }

    func accessToken(_ url: HTTPURL, transport: any HTTPTransport) async throws {
        struct Orders {
            init(_ body: [UInt8]) throws {}
        }
        let orders = try await sessions.withAccessToken(of: session.id) { access in
            let headers = try access.headers(for: .get, url)
            let response = try await transport.send(HTTPRequest(method: .get, url: url, headers: headers))
            try access.check(status: response.status, response.headers, sent: headers, from: url)
            return try Orders(response.body)
        }
        _ = orders
    }

    func ownEnvironment() throws {
        let environment = IdentityEnvironment(transport: try CurlTransport(), userAgent: "MyShop/2.1")
        _ = environment
    }

    func secrets() {
        let secret = Secret("s3cret")
        print(secret)           // <secret>
        send(secret.reveal())   // s3cret
    }

    func authorization(_ provider: any IdentityProvider, callbackURL: String) async throws {
        let request = try await provider.authorizationRequest(LoginOptions())
        // Store request.attempt, send the browser to request.url, and receive the callback.
        let tokens = try await provider.exchange(LoginCallback(url: callbackURL), for: request.attempt)
        _ = tokens
    }

    func loginDefaults(_ configuration: inout OpenIDProvider.Configuration) {
        configuration.loginDefaults.prompt = "consent"
    }

    func loginOptions(email: String) {
        let options = LoginOptions(prompt: "login", loginHint: email, returnPath: "/account")
        _ = options
    }

    func section(_ section: inout ConfigurationSection) throws {
        let clientID = try section.string("clientID")
        let secret = try section.optionalSecret("clientSecret")
        try section.finish()
        _ = (clientID, secret)
    }

    func configurationFile() throws {
        let configuration = try IdentityConfiguration(contentsOf: "identity.json")
        let providers = try ProviderRegistry(configuration, factories: [ShopifyProviderFactory()], environment: environment)
        _ = providers
    }

    func returnPath(of request: (path: String, query: [String: String]), response: Redirecting) throws {
        let policy = try ReturnPathPolicy(origins: ["https://blog.example"], otherwise: "/")
        response.redirect(to: try policy.location(for: request.query["next"] ?? "/"))
    }

    func stepUp(_ id: SessionID, response: HTTPResponse) async throws -> StartedLogin {
        // The app's own rule:
        let started = try await sessions.beginStepUp(of: id, requiring: StepUpRequirement(maximumAge: .seconds(300)))
        // A resource server's response (RFC 9470):
        if let requirement = StepUpRequirement(challenges: response.headers.values(for: "WWW-Authenticate")) {
            return try await sessions.beginStepUp(of: id, requiring: requirement)
        }
        return started
    }

    func sessionManager(callback: LoginCallback) async throws {
        let sessions = SessionManager(providers: providers, store: store, environment: environment)
        let login = try await sessions.begin("shopify")
        // Redirect the browser to login.url, with the binding as a cookie, and receive the callback.
        let completed = try await sessions.complete(callback, browserBinding: login.browserBinding, provider: "shopify")
        let tokens = try await sessions.tokens(for: completed.session.id)
        _ = tokens
    }

    func inMemoryStore() {
        let sessions = SessionManager(providers: providers, store: InMemoryStore(), environment: environment)
        _ = sessions
    }

    func journal(_ provider: any JournaledRefreshing, tokens: TokenSet, lock: HeldLock) async throws {
        try await provider.prepareRefresh(of: tokens)
        let response = try await provider.requestRefresh(of: tokens, under: lock)
        // SessionManager stores the response here.
        let newTokens = try await provider.tokens(from: response, refreshing: tokens)
        _ = newTokens
    }
}

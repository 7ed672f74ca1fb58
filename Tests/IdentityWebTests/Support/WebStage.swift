import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestStores
import Testing

/// The routes over the sandbox's OpenID provider, once with a callback by GET and once by form post, and a shop with real carts.
struct WebStage {
    static let origin = "https://shop.example"
    static let mug = "gid://shopify/ProductVariant/1"
    static let shirt = "gid://shopify/ProductVariant/2"
    static let session = "__Host-identity-session"
    static let guest = "__Host-identity-guest"

    let sandbox: ShopSandbox
    let clock = ManualClock()
    let store: BreakableStore
    let sessions: SessionManager
    let carts: CartAdapter
    let routes: SignInRoutes
    /// Simulated buyers, who sign in on the provider's pages.
    let ada = SandboxBuyer()
    let grace = SandboxBuyer(email: "grace@example.com")

    init(
        origin: String = Self.origin,
        providers names: [String] = ["op", "posted"],
        displayNames: [String: String] = [:],
        scopes: [String] = ["openid", "email", "profile"],
        formerIssuer: String? = nil,
        bridge: EventBridge = EventBridge { _ in },
        manager: (inout SessionManager.Configuration) -> Void = { _ in },
        routes change: (inout SignInRoutes.Configuration) -> Void = { _ in },
        sandbox prepare: (inout SandboxConfiguration) -> Void = { _ in },
        merge: CartPolicy.Merge = .keepGuest,
        maximumSessionsPerTenant: Int? = nil
    ) async throws {
        store = BreakableStore(maximumSessionsPerTenant: maximumSessionsPerTenant)
        var settings = SandboxConfiguration()
        settings.clock = clock
        settings.buyers = [
            .ada, SandboxBuyerAccount(email: "grace@example.com", firstName: "Grace", lastName: "Hopper"),
        ]
        settings.openID.claimsIn = .idToken
        settings.openID.redirectURIs = names.map { "\(origin)/auth/callback/\($0)" }
        settings.openID.postLogoutRedirectURIs = ["\(origin)/auth/logout/done"]
        prepare(&settings)
        sandbox = try await ShopSandbox.start(settings)
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        let openID = sandbox.openID
        let providers = try names.map { name in
            var client = OpenIDProvider.Configuration(
                name: name,
                issuer: openID.issuer,
                clientID: settings.openID.clientID
            )
            client.authentication = settings.openID.clientSecret.map { .secretBasic(Secret($0)) } ?? .none
            client.acceptedIssuers = formerIssuer.map { .exactly([openID.issuer, $0]) }
            client.redirectURI = "\(origin)/auth/callback/\(FormEncoding.escape(name))"
            client.scopes = scopes
            client.displayName = displayNames[name]
            client.responseMode = name == "posted" ? .formPost : .query
            client.allowsLoopbackHTTP = true
            return try OpenIDProvider(client, environment: environment)
        }
        var configuration = SessionManager.Configuration()
        // The sign-in must end after the merge of the carts, also on a slow machine.
        configuration.participantWait = .seconds(60)
        manager(&configuration)
        sessions = SessionManager(
            providers: try ProviderRegistry(providers),
            store: store,
            environment: environment,
            configuration: configuration,
            observers: [bridge]
        )
        let file = sandbox.labConfiguration()
        let lab = try IdentityConfiguration(json: file.json.serialized, environmentVariables: file.environment)
        let storefront = try StorefrontConfiguration(#require(lab.storefront))
        var policy = CartPolicy()
        policy.onEvent = bridge.cartEvent
        policy.merge = merge
        carts = CartAdapter(
            client: StorefrontClient(
                configuration: storefront,
                environment: environment,
                retry: .none,
                observers: [bridge]
            ),
            sessions: sessions,
            store: store,
            policy: policy
        )
        var web = SignInRoutes.Configuration(publicOrigin: origin)
        change(&web)
        routes = try SignInRoutes(sessions: sessions, carts: carts, configuration: web)
    }

    func browser() -> TestBrowser { TestBrowser(routes) }

    /// Begins a sign-in, goes through the provider's pages, and returns the callback, which the browser has not delivered yet.
    func begin(
        _ browser: TestBrowser,
        _ provider: String = "op",
        returning path: String = "/orders",
        as buyer: SandboxBuyer? = nil
    ) async throws -> SandboxCallback {
        let answer = try await browser.get("/auth/login/\(provider)?return=\(path)")
        return try await (buyer ?? ada).callback(
            at: answer.location,
            redirectURI: "\(Self.origin)/auth/callback/\(provider)"
        )
    }

    /// Delivers a callback as a browser does that comes from the provider's site.
    func deliver(_ callback: SandboxCallback, _ browser: TestBrowser) async throws -> WebResponse {
        let target = String(callback.url.dropFirst(Self.origin.count))
        guard let body = callback.body else { return try await browser.get(target, from: .otherSite) }
        let fields = FormEncoding.decode(body) ?? []
        let answer = try await browser.post(
            target,
            fields,
            from: .postFromOtherSite,
            headers: ["Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"]
        )
        guard answer.status == 303 else { return answer }
        return try await browser.get(answer.location, from: .otherSite)
    }

    @discardableResult
    func signIn(
        _ browser: TestBrowser,
        _ provider: String = "op",
        as buyer: SandboxBuyer? = nil
    ) async throws -> WebResponse {
        try await deliver(try await begin(browser, provider, as: buyer), browser)
    }

    func sessionID(_ browser: TestBrowser) -> SessionID? {
        browser.value(of: Self.session).flatMap { SessionID(rawValue: $0) }
    }
}

extension SandboxStorefront {
    /// Refuses to add a variant to any cart; `first` is the line before it when both are added.
    func refuseLines(_ variant: String, after first: String) {
        planFault(
            .before { [self] in
                guard let body = requests.last?.bodyText, body.contains("cartLinesAdd("), body.contains(variant) else {
                    return
                }
                refuseNext(
                    code: "MERCHANDISE_NOT_APPLICABLE",
                    field: ["lines", body.contains(first) ? "1" : "0", "merchandiseId"]
                )
            },
            on: .storefront,
            times: .max
        )
    }
}

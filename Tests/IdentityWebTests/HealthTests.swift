import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestStores
import Testing

@Suite("Readiness probe and events")
struct HealthTests {
    private func health(_ stage: WebStage) async throws -> (status: Int, json: JSONValue) {
        let answer = await stage.routes.health()
        return (answer.status, try JSONValue(parsing: answer.body))
    }

    @Test(
        "the readiness probe reports store, circuit breakers and keys, calls no provider, and fails only if the store fails"
    )
    func probe() async throws {
        let stage = try await WebStage(providers: ["op"], scopes: ["openid", "email", "offline_access"])
        let idle = try await health(stage)
        #expect(idle.status == 200 && idle.json["store"]?.string == "ok")
        #expect(idle.json["providers"]?["op"]?["keys"]?.string == "not_fetched")
        let browser = stage.browser()
        try await stage.signIn(browser)
        stage.clock.advance(by: .seconds(5))
        let fresh = try await health(stage).json["providers"]?["op"]
        #expect(fresh?["keys"]?.string == "fresh" && fresh?["keys_age"]?.number?.integer == 5)
        #expect(fresh?["breaker"]?.string == "closed" && fresh?["retry_after"] == nil)

        stage.sandbox.openID.planFault(.tooManyRequests(retryAfter: 30), on: .token)
        let id = try #require(stage.sessionID(browser))
        _ = try? await stage.sessions.refreshTokens(for: id)
        await stage.sandbox.stop()
        let paused = try await health(stage)
        #expect(paused.status == 200 && paused.json["providers"]?["op"]?["breaker"]?.string == "open")
        #expect((paused.json["providers"]?["op"]?["retry_after"]?.number?.integer ?? 0) > 0)

        stage.store.isBroken = true
        let broken = try await health(stage)
        #expect(broken.status == 503 && broken.json["ready"]?.bool == false)
        #expect(broken.json["store"]?.string == "store_unavailable")
    }

    @Test("an EventBridge receives the events of sessions, GraphQL operations and carts, without a session id")
    func bridge() async throws {
        let log = EventLog()
        let stage = try await WebStage(providers: ["op"], bridge: log.bridge)
        let browser = stage.browser()
        let guest = try await stage.sessions.beginGuest()
        _ = try await stage.carts.add([CartLineInput(merchandiseID: WebStage.mug)], for: guest.id)
        browser.plant(WebStage.guest, guest.id.rawValue)
        try await stage.signIn(browser)
        let id = try #require(stage.sessionID(browser))
        _ = try await browser.get("/auth/callback/op?code=x&state=forged")
        func event(_ name: String) throws -> ObservedEvent { try #require(log.all.first { $0.name == name }) }
        func value(_ name: String, _ fields: [(name: String, value: String)]) -> String? {
            fields.first { $0.name == name }?.value
        }

        let login = try event("identity_login_completed")
        #expect(login.level == .debug && value("provider", login.labels) == "op")
        #expect(value("session", login.metadata) == id.reference.rawValue)
        #expect(value("correlation_id", login.metadata)?.count == 16)
        let failed = try event("identity_login_failed")
        #expect(failed.level == .critical && value("detail", failed.labels) == "state_unknown")
        let graphQL = try event("graphql_finished")
        #expect(value("operation", graphQL.labels) != nil && value("host", graphQL.labels) != nil)
        log.bridge.cartEvent(CartEvent(.degraded(.identityRejected), session: id.reference))
        let degraded = try event("cart_degraded")
        #expect(degraded.level == .notice && value("detail", degraded.labels) == "identity_rejected")
        #expect(value("session", degraded.metadata) == id.reference.rawValue)
        let canary = SecretCanary()
        for id in [id, guest.id] { canary.watch(Secret(id.rawValue)) }
        for event in log.all { #expect(canary.findings(in: event) == [], "\(event.name)") }
    }

    @Test("TestSignIn signs a buyer in without a provider and without a browser")
    func testSignIn() async throws {
        let sessions = SessionManager(
            providers: try ProviderRegistry([]),
            store: InMemoryStore(),
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        let routes = try SignInRoutes(sessions: sessions, configuration: .init(publicOrigin: "https://shop.example"))
        @Sendable func app(_ context: WebContext) async throws -> WebResponse {
            if context.request.method == .post { try context.refuseCSRF() }
            let session = try await context.requireSession(maxAge: .seconds(300), acr: ["gold"])
            let scopes = session.scopes.joined(separator: ",")
            return .html("\(session.buyer.subject) \(session.tenant) \(scopes) \(context.request.formValue("a") ?? "")")
        }
        var signIn = TestSignIn(buyer: Buyer(issuer: "https://id.example", subject: "ada"))
        signIn.acr = "gold"
        signIn.tenant = "north"
        signIn.scopes = ["openid", "orders"]
        let page = await routes.handle(try await signIn.request(to: routes), otherwise: app)
        #expect(page.status == 200 && page.text == "ada north openid,orders ")
        let posted = await routes.handle(
            try await signIn.request(to: routes, .post, "/x", form: [("a", "b c")]),
            otherwise: app
        )
        #expect(posted.text == "ada north openid,orders b c")
        signIn.age = .seconds(600)
        let old = await routes.handle(try await signIn.request(to: routes), otherwise: app)
        // The provider of the session is not in the registry, so the step-up cannot begin.
        #expect(old.status == 500)
        signIn.age = .zero
        signIn.acr = nil
        let weak = await routes.handle(try await signIn.request(to: routes), otherwise: app)
        #expect(weak.status == 500)
    }
}

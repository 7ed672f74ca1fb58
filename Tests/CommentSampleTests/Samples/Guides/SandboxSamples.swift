import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Testing

// swift-format-ignore
private struct SandboxPage {
    @Test func buyersStaySignedInThroughAnOutage() async throws {
        let sandbox = try await Sandbox.start()
        let environment = IdentityEnvironment(transport: try CurlTransport())

        let client = SandboxShopifyClient.confidential
        var configuration = ShopifyProvider.Configuration(
            name: "shop", shopDomain: "sandbox.myshopify.com", clientID: client.id,
            client: .confidential(Secret(client.secret ?? "")))
        configuration.redirectURI = "https://app.example/callback/shopify"
        configuration.issuers = [sandbox.shopify.issuer]
        configuration.endpoints.discovery = try HTTPURL(sandbox.shopify.endpoints.discovery)
        configuration.allowsLoopbackHTTP = true
        let provider = try ShopifyProvider(configuration, environment: environment)

        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]), store: InMemoryStore(), environment: environment)
        let flow = LoginFlow(provider: "shop", sessions: sessions, presenter: SandboxBuyer())
        let session = try await flow.login()

        sandbox.shopify.planFault(.htmlPage(status: 503), on: .token, times: 10)
        await #expect(throws: IdentityError.self) { try await sessions.refreshTokens(for: session.id) }
        sandbox.shopify.removeAllFaults()
        _ = try await sessions.refreshTokens(for: session.id)

        #expect(sandbox.shopify.counters.refreshes == 1)
        await sandbox.stop()
    }
}

// swift-format-ignore
extension App {
    func sandboxPageBuyers() {
        let buyers = [
            SandboxBuyer(),                                  // ada@example.com signs in
            SandboxBuyer(email: "grace@example.com"),        // an unknown address becomes a new buyer
            SandboxBuyer(behaviour: .mistypeCode),           // a wrong code first, then the right one
            SandboxBuyer(behaviour: .deny),                  // presses Cancel: the callback says access_denied
            SandboxBuyer(behaviour: .close),                 // closes the window: CancellationError
        ]
        _ = buyers
    }

    func sandboxPageFaults(in sandbox: ShopSandbox) {
        sandbox.shopify.planFault(.delay(.seconds(20)), on: .token)                  // slower than your timeout
        sandbox.shopify.planFault(.loseResponse, on: .token)                         // it acted, and its response is lost
        sandbox.shopify.planFault(.tooManyRequests(retryAfter: 7), on: .token, times: 2)
        sandbox.shopify.planFault(.claim("nonce", .string("another")), on: .token)   // an ID token for somebody else's login
        sandbox.shopify.planFault(.signature(.foreignKey), on: .token)
        sandbox.bolt.planFault(.boltExpiredToken, on: .api)                          // 403 with code 18
        sandbox.storefront.planFault(.storefrontThrottled, on: .storefront)
        sandbox.storefront.planFault(
            .storefrontUserError(code: "SERVICE_UNAVAILABLE", field: ["cartId"]).and(.delay(.seconds(1))), on: .storefront)
    }

    func sandboxPage(publicJWK: JSONObject) async throws {
        var configuration = SandboxConfiguration()
        configuration.openID.clientAuthentication = .privateKeyJWT
        configuration.openID.clientKeys = [publicJWK]
        configuration.openID.dpop = .required
        configuration.openID.dpopNonce = .rotating
        configuration.openID.pushedRequests = .required
        let sandbox = try await Sandbox.start(configuration)
        // … a login …
        #expect(sandbox.openID.violations.isEmpty)
    }

    func sandboxPageLogout(in sandbox: Sandbox, appURL: String) async throws {
        let sid = sandbox.openID.sessionIDs(ofBuyer: "ada@example.com")[0]
        let response = try await sandbox.openID.sendLogoutToken(for: .session(sid), to: appURL) { $0.claims["nonce"] = .string("n") }
        #expect(response.status == 400)                                               // the app must refuse a nonce
        sandbox.openID.planFault(.logoutState("other"), on: .logout)                  // the wrong way back from a logout
    }

    func sandboxPage(_ configuration: inout SandboxConfiguration) {
        configuration.openID.clientSecret = SandboxOpenIDConfiguration.specialClientSecret
    }

    func sandboxPageRequests(to sandbox: ShopSandbox) throws {
        let request = try #require(sandbox.shopify.requests(to: .token).last)
        #expect(request.formValue("code_verifier") != nil)
        #expect(request.header("User-Agent")?.hasPrefix("MyShop/") == true)           // IdentityEnvironment.userAgent
        #expect(sandbox.bolt.counters.reusesPunished == 0)
        #expect(sandbox.storefront.cartStates.first?.customerAccessToken == nil)     // detached, not merely forgotten
    }

    func sandboxPageTime() async throws {
        let clock = ManualClock()                 // from IdentityTesting
        var configuration = SandboxConfiguration()
        configuration.clock = clock
        configuration.accessTokenLifetime = .seconds(120)
        let sandbox = try await Sandbox.start(configuration)
        _ = sandbox
    }

    func hostileProviderPage(in sandbox: Sandbox, listener: SandboxListener) {
        sandbox.openID.planFault(.idTokenText { token in token + "\n" }, on: .token)
        sandbox.openID.planFault(.before { sandbox.openID.rotateSigningKey(keepingOld: false) }, on: .token)
        sandbox.openID.planFault(.member("jwks_uri", .string(listener.origin + "/keys")), on: .discovery)
    }
}

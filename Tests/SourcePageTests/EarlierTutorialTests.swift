import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestDoubles
import Testing

/// The web view's navigation delegate of the page: an ordinary class of an app, neither final nor `Sendable`.
private class LoginScreen: AuthWebViewDelegate {
    let client: AuthClient
    var savedState = ""
    private(set) var outcomes: [String] = []

    init(_ client: AuthClient) { self.client = client }

    func buildAuthorizationUrl(codeVerifier: String) -> String? {
        let codeChallenge = client.generateCodeChallenge(for: codeVerifier)
        savedState = client.generateRandomString(length: 36)
        var components = URLComponents(string: "https://shopify.com/authentication/\(Shop.id)/oauth/authorize")
        components?.queryItems = [
            URLQueryItem(name: "scope", value: "openid email customer-account-api:full"),
            URLQueryItem(name: "client_id", value: client.customerAccountsApiClientId),
            URLQueryItem(name: "response_type", value: "code"),
            URLQueryItem(name: "redirect_uri", value: client.customerAccountsApiRedirectUri),
            URLQueryItem(name: "state", value: savedState),
            URLQueryItem(name: "code_challenge", value: codeChallenge),
            URLQueryItem(name: "code_challenge_method", value: "S256"),
        ]
        return components?.url?.absoluteString
    }

    func code(of url: URL) -> String? {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let configuredComponents = URLComponents(string: client.customerAccountsApiRedirectUri),
            components.scheme == configuredComponents.scheme, components.host == configuredComponents.host,
            let queryItems = components.queryItems,
            let state = queryItems.first(where: { $0.name == "state" })?.value, state == savedState
        else { return nil }
        return queryItems.first(where: { $0.name == "code" })?.value
    }

    /// Begins the exchange of the code if the URL is the callback; nil for other URLs, which the web view may open.
    func webView(decidePolicyFor url: URL) -> LoginHandle? {
        guard let code = code(of: url) else { return nil }
        return client.exchangeCodeForTokens(code: code)
    }

    func loginComplete(token: String) { outcomes.append("complete \(token)") }

    func loginFailed(error: String) { outcomes.append("failed \(error)") }
}

/// The mutation as the tutorial prints it.
private struct PageCartCreate: GraphQLOperation {
    static let document = GraphQLDocument(
        name: "cartCreate",
        kind: .mutation,
        text: """
            mutation cartCreate($input: CartCreateInput!) {
              cartCreate(input: $input) { checkoutUrl userErrors { field message } }
            }
            """,
        repetition: .once
    )
    var variables: GraphQLInputObject {
        var variables = GraphQLInputObject()
        variables.set("input", GraphQLInputObject())
        return variables
    }
    typealias Output = JSONValue
}

@Suite("The tutorial Authenticate checkouts, earlier version")
struct EarlierTutorialTests {
    @Test("random texts have the wanted length, only URL characters, and never repeat", .sample("E1"))
    func randomText() {
        let client = AuthClient(shopDomain: "a.example", clientId: "c", redirectUri: Shop.redirectURI)
        for length in [1, 36, 43, 100] {
            let text = client.generateRandomString(length: length)
            #expect(text.utf8.count == length)
            #expect(
                text.utf8.allSatisfy { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || "0123456789-_".utf8.contains($0) }
            )
        }
        #expect(client.generateRandomString(length: 0).isEmpty && client.generateRandomString(length: -1).isEmpty)
        #expect(Set((0..<20).map { _ in client.generateRandomString(length: 36) }).count == 20)
    }

    @Test("Shopify accepts an authorization URL that the app built by hand", .sample("E2"))
    func authorizationURL() async throws {
        let shop = try await Shop()
        let screen = LoginScreen(shop.client())
        let page = try #require(screen.buildAuthorizationUrl(codeVerifier: screen.client.generateCodeVerifier()))
        let callback = try await shop.callback(of: page)
        #expect(screen.code(of: callback)?.isEmpty == false)
        #expect(shop.sandbox.shopify.violations.isEmpty)
    }

    @Test("a navigation with the saved state signs in once, and one with another state does nothing", .sample("E3"))
    func navigation() async throws {
        let shop = try await Shop()
        let screen = LoginScreen(shop.client())
        screen.client.delegate = screen
        let page = try #require(screen.buildAuthorizationUrl(codeVerifier: screen.client.generateCodeVerifier()))
        let callback = try await shop.callback(of: page)
        let forged = try #require(URL(string: Shop.redirectURI + "?code=stolen&state=forged"))
        #expect(screen.webView(decidePolicyFor: forged) == nil)
        for _ in 0..<2 { await screen.webView(decidePolicyFor: callback)?.finished() }
        #expect(screen.outcomes == ["complete \(screen.client.currentTokens?.accessToken ?? "")"])
        // A code of a login that this client started, and one that belongs to no login.
        let own = try await shop.callback(of: try await screen.client.buildAuthorizationUrl())
        await screen.client.exchangeCodeForTokens(code: try #require(screen.client.handleCallback(url: own))).finished()
        await screen.client.exchangeCodeForTokens(code: "stolen").finished()
        #expect(screen.outcomes.count == 3 && screen.outcomes[1].hasPrefix("complete "))
        #expect(screen.outcomes.last?.contains("state_unknown") == true)
        #expect(shop.sandbox.shopify.requests(to: .token).count == 2)
    }

    @Test("the code of an authorization URL built by hand is exchanged once, with its own verifier", .sample("E4"))
    func exchange() async throws {
        let shop = try await Shop()
        let screen = LoginScreen(shop.client())
        let codeVerifier = screen.client.generateCodeVerifier()
        let page = try #require(screen.buildAuthorizationUrl(codeVerifier: codeVerifier))
        let code = try #require(screen.code(of: try await shop.callback(of: page)))
        let token: OAuthTokenResult = try await screen.client.requestAccessToken(code: code, codeVerifier: codeVerifier)
        #expect(try token.tokens.buyer.email?.value == "ada@example.com")
        let fields = try #require(shop.sandbox.shopify.requests(to: .token).last)
        #expect(fields.formValue("grant_type") == "authorization_code")
        #expect(fields.formValue("code_verifier") == codeVerifier)
        #expect(fields.formValue("redirect_uri") == Shop.redirectURI)

        func error(_ code: String, _ verifier: String) async -> IdentityError? {
            await failure { try await screen.client.requestAccessToken(code: code, codeVerifier: verifier) }
        }
        #expect(await error(code, codeVerifier)?.code == .stateUnknown)
        #expect(await error(code, "short")?.code == .configurationInvalid)
        // The code of another login, as an attacker would inject it.
        let stolenPage = try #require(screen.buildAuthorizationUrl(codeVerifier: screen.client.generateCodeVerifier()))
        let stolen = try #require(screen.code(of: try await shop.callback(of: stolenPage)))
        #expect(await error(stolen, screen.client.generateCodeVerifier())?.code == .invalidGrant)
        // The verifier of a login that this client started, after that login ended.
        let own = screen.client.generateCodeVerifier()
        let callback = try await shop.callback(of: try await screen.client.buildAuthorizationUrl(codeVerifier: own))
        shop.clock.advance(by: .seconds(601))
        #expect(screen.client.handleCallback(url: callback) == nil)
        #expect(await error("anything", own)?.code == .stateUnknown)
        #expect(shop.sandbox.shopify.requests(to: .token).count == 2)
    }

    @Test("Shopify refuses the page's cartCreate, and accepts the SDK's with the same variables", .sample("E5"))
    func cart() async throws {
        let shop = try await Shop()
        let storefront = try shop.storefront()
        #expect(await failure { try await storefront.execute(PageCartCreate()) }?.code == .graphQLErrors)
        let tokens = try await shop.client().login(with: shop.buyer()).tokens
        let token = CustomerAccessToken(
            issuedByShopify: tokens.accessToken,
            expiresAt: tokens.expiresAt,
            issuer: tokens.buyer.issuer
        )
        let input = CartInput(
            buyerIdentity: .set(CartBuyerIdentityInput(customerAccessToken: .set(token))),
            lines: .set([CartLineInput(merchandiseID: Shop.variant, quantity: .set(1))])
        )
        let payload = try await storefront.execute(CartCreate(input: .set(input), readsCheckoutURL: true)).data
        let checkoutURL = try #require(payload.checkoutURL)
        #expect(try await shop.checkoutPage(checkoutURL.reveal().text).contains("ada@example.com"))
    }

    @Test("tokens of the facade become a stored session, and its checkout opens signed in", .sample("E6"))
    func session() async throws {
        let shop = try await Shop()
        let token = try await shop.client().login(with: shop.buyer())
        var configuration = ShopifyProvider.Configuration(
            name: "shopify",
            shopDomain: Shop.domain,
            clientID: Shop.clientID,
            client: .publicMobile
        )
        configuration.redirectURI = Shop.redirectURI
        let provider = try ShopifyProvider(configuration, environment: shop.environment)
        let store = InMemoryStore()
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: shop.environment
        )
        let session = try await sessions.establish(try token.tokens, provider: "shopify")
        #expect(session.buyer.email?.value == "ada@example.com")
        // The session refreshes the tokens from now on.
        shop.clock.advance(by: .seconds(3601))
        let fresh = try await sessions.tokens(for: session.id).tokens.accessToken.reveal()
        #expect(fresh != token.accessToken)
        let carts = CartAdapter(client: try shop.storefront(), sessions: sessions, store: store)
        _ = try await carts.add([CartLineInput(merchandiseID: Shop.variant)], for: session.id)
        let handoff = try await carts.checkout(for: session.id)
        #expect(handoff.identity == .customer)
        #expect(try await shop.checkoutPage(handoff.url.reveal().text).contains("ada@example.com"))
        // An unverified response does not become a session.
        let json = Data(#"{"access_token":"shcat_x","expires_in":3600,"id_token":"a.b.c"}"#.utf8)
        let decoded = try JSONDecoder().decode(OAuthTokenResult.self, from: json)
        #expect(
            await failure { try await sessions.establish(try decoded.tokens, provider: "shopify") }?.code
                == .idTokenMissing
        )
    }
}

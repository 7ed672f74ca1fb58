import Foundation
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import Synchronization
import TestDoubles
import Testing

/// A token storage that keeps the refresh token, counts writes and can fail.
private final class Vault: AuthTokenStorage {
    private let state = Mutex<(refreshToken: String?, writes: Int, isBroken: Bool)>((nil, 0, false))

    var refreshToken: String? { state.withLock { $0.refreshToken } }
    var writes: Int { state.withLock { $0.writes } }

    func breakDown() { state.withLock { $0.isBroken = true } }

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {
        let refreshToken = tokens.refreshToken
        try write(refreshToken)
    }

    func removeTokens() async throws { try write(nil) }

    private func write(_ refreshToken: String?) throws {
        try state.withLock { state in
            guard !state.isBroken else { throw CocoaError(.fileWriteOutOfSpace) }
            state = (refreshToken, state.writes + 1, false)
        }
    }
}

@Suite("The tutorial Authenticate checkouts, current version")
struct CurrentTutorialTests {
    @Test("the initializer takes four strings, and the PKCE functions give the values of RFC 7636", .sample("T1"))
    func pkce() {
        let client = AuthClient(
            shopDomain: "example.myshopify.com",
            clientId: "client",
            redirectUri: "shop.1.app://callback",
            storefrontAccessToken: "token"
        )
        #expect(client.shopDomain == "example.myshopify.com")
        #expect(client.customerAccountsApiClientId == "client")
        #expect(client.customerAccountsApiRedirectUri == "shop.1.app://callback")
        #expect(client.storefrontAccessToken?.reveal() == "token")
        let codeVerifier = client.generateCodeVerifier()
        #expect(codeVerifier.utf8.count == 43 && codeVerifier != client.generateCodeVerifier())
        // RFC 7636 appendix B.
        let codeChallenge = client.generateCodeChallenge(for: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(codeChallenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("discovery gives both endpoints of the shop", .sample("T2"))
    func discovery() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let (authEndpoint, tokenEndpoint) = try await client.discoverAuthEndpoints()
        #expect(authEndpoint == "https://shopify.com/authentication/\(Shop.id)/oauth/authorize")
        #expect(tokenEndpoint == "https://shopify.com/authentication/\(Shop.id)/oauth/token")
        let elsewhere = AuthClient(
            shopDomain: "nowhere.example",
            clientId: "c",
            redirectUri: Shop.redirectURI,
            environment: shop.environment
        )
        #expect(await failure { try await elsewhere.discoverAuthEndpoints() }?.kind == .retryLater)
    }

    @Test("the authorization URL has the page's parameters, and a nonce", .sample("T3"))
    func authorizationURL() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let url = try await client.buildAuthorizationUrl()
        let components = try #require(URLComponents(string: url))
        let items = (components.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value ?? "" }
        #expect(url.hasPrefix("https://shopify.com/authentication/\(Shop.id)/oauth/authorize?"))
        #expect(items["scope"] == "openid email customer-account-api:full")
        #expect(items["client_id"] == Shop.clientID && items["redirect_uri"] == Shop.redirectURI)
        #expect(items["response_type"] == "code" && items["code_challenge_method"] == "S256")
        #expect(items["code_challenge"]?.utf8.count == 43)
        #expect((items["state"]?.utf8.count ?? 0) >= 36 && items["nonce"]?.isEmpty == false)
        #expect(shop.sandbox.shopify.violations.isEmpty)
    }

    @Test(
        "a callback with the login's state gives its code once, and a callback with another state gives none",
        .sample("T4")
    )
    func callback() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let url = try await shop.callback(of: try await client.buildAuthorizationUrl())
        let forged = try #require(URL(string: Shop.redirectURI + "?code=stolen&state=forged"))
        #expect(client.handleCallback(url: forged) == nil)
        #expect(client.handleCallback(url: url)?.isEmpty == false)
        #expect(client.handleCallback(url: url) == nil)
    }

    @Test("a code is exchanged for verified tokens, and a server error is thrown", .sample("T5"))
    func exchange() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let url = try await shop.callback(of: try await client.buildAuthorizationUrl())
        let code = try #require(client.handleCallback(url: url))
        let result: OAuthTokenResult = try await client.requestAccessToken(code: code)
        #expect(result.accessToken.hasPrefix("shcat_") && result.expiresIn == 3600)
        #expect(result.refreshToken?.hasPrefix("shcrt_") == true)
        #expect(try result.tokens.buyer.email?.value == "ada@example.com")
        let second = try await shop.callback(of: try await client.buildAuthorizationUrl())
        let lost = try #require(client.handleCallback(url: second))
        shop.sandbox.shopify.planFault(.status(503), on: .token)
        #expect(await failure { try await client.requestAccessToken(code: lost) }?.kind == .retryLater)
        #expect(shop.sandbox.shopify.violations.isEmpty)
    }

    @Test("an authenticated cart needs a valid access token and the Storefront token", .sample("T6"))
    func cart() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let accessToken = try await client.login(with: shop.buyer()).accessToken
        let checkoutUrl = try await client.createAuthenticatedCart(variantId: Shop.variant, accessToken: accessToken)
        #expect(checkoutUrl.hasPrefix("https://\(Shop.domain)/cart/c/"))
        let cart = try #require(shop.sandbox.storefront.cartStates.first)
        #expect(cart.customerAccessToken == accessToken && cart.quantities == [Shop.variant: 1])
        let request = shop.sandbox.storefront.requests.last { $0.bodyText.contains("cartCreate") }
        let publicToken = shop.sandbox.storefront.configuration.publicToken
        #expect(request?.header("X-Shopify-Storefront-Access-Token") == publicToken)

        func refusal(_ client: AuthClient, _ variant: String, _ token: String) async -> IdentityError? {
            await failure { try await client.createAuthenticatedCart(variantId: variant, accessToken: token) }
        }
        #expect(await refusal(client, Shop.variant, "shcat_expired")?.code == .identityRejected)
        #expect(await refusal(client, "gid://shopify/ProductVariant/0", accessToken)?.code == .cartUserErrors)
        func clientWith(_ storefrontToken: String) -> AuthClient {
            AuthClient(
                shopDomain: Shop.domain,
                clientId: Shop.clientID,
                redirectUri: Shop.redirectURI,
                storefrontAccessToken: storefrontToken,
                environment: shop.environment
            )
        }
        #expect(await refusal(clientWith("revoked"), Shop.variant, accessToken)?.code == .storefrontRefused)
        #expect(await refusal(clientWith(""), Shop.variant, accessToken)?.code == .configurationInvalid)
        #expect(shop.sandbox.storefront.cartStates.count == 1)
        let errors = #"[{"message":"x","path":["cartCreate","cart","checkoutUrl"]}]"#
        let body = #"{"data":{"cartCreate":{"cart":null,"userErrors":[]}},"errors":\#(errors)}"#
        shop.sandbox.storefront.planFault(.answer(status: 200, body: body), on: .storefront)
        #expect(await refusal(client, Shop.variant, accessToken)?.code == .outcomeUnknown)
    }

    @Test("the checkout URL opens a checkout that is signed in, for a short time", .sample("T7"))
    func present() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let accessToken = try await client.login(with: shop.buyer()).accessToken
        let checkoutUrl = try await client.createAuthenticatedCart(variantId: Shop.variant, accessToken: accessToken)
        #expect(try await shop.checkoutPage(checkoutUrl).contains("ada@example.com"))
        shop.clock.advance(by: .seconds(7200))
        #expect(try await shop.checkoutPage(checkoutUrl).contains("Guest checkout"))
    }

    @Test("the token storage has the tokens of login and refresh, and none after logout", .sample("T8"))
    func storage() async throws {
        let shop = try await Shop()
        let vault = Vault()
        let client = shop.client(tokenStorage: vault)
        let tokens = try await client.login(with: shop.buyer())
        let refreshToken = try #require(tokens.refreshToken)
        #expect(vault.refreshToken == refreshToken)
        let refreshed = try await client.refreshAccessToken(refreshToken: refreshToken)
        #expect(vault.refreshToken == refreshed.refreshToken && refreshed.refreshToken != refreshToken)
        try await client.logout(idToken: try #require(client.getIdToken()))
        #expect(vault.refreshToken == nil && vault.writes == 3)
        #expect(client.getIdToken() == nil && shop.sandbox.shopify.counters.logouts == 1)
    }

    @Test("if the token storage fails, the login fails and the tokens stay in memory", .sample("T9"))
    func brokenStorage() async throws {
        let shop = try await Shop()
        let vault = Vault()
        vault.breakDown()
        let client = shop.client(tokenStorage: vault)
        let error = await failure { try await client.login(with: shop.buyer()) }
        // A repetition would send the code again, so this is no `retryLater`.
        #expect(error?.code == .storeFailed && error?.kind == .configuration)
        let idToken = try #require(client.currentTokens?.idToken)
        let logout = await failure { try await client.logout(idToken: idToken) }
        #expect(logout?.code == .storeFailed && logout?.kind == .retryLater)
        #expect(client.currentTokens == nil && shop.sandbox.shopify.counters.logouts == 1)
    }

    @Test("a callback without a state is state_invalid, one with an unknown state is state_unknown", .sample("T4"))
    func states() async throws {
        let client = try await Shop().client()
        for (query, code) in [
            ("code=x", IdentityError.Code.stateInvalid), ("code=x&state=", .stateInvalid),
            ("code=x&state=y", .stateUnknown),
        ] {
            let url = try #require(URL(string: Shop.redirectURI + "?" + query))
            let error = await failure { try await client.completeLogin(url: url) }
            #expect(error?.code == code && error?.isAttackSuspected == true, "\(query)")
        }
    }

    @Test("an error of a busy logout endpoint says when to try again", .sample("T8"))
    func busyLogout() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let idToken = try #require(try await client.login(with: shop.buyer()).idToken)
        shop.sandbox.shopify.planFault(.tooManyRequests(retryAfter: 7), on: .logout)
        let error = await failure { try await client.logout(idToken: idToken) }
        #expect(error?.code == .providerUnavailable && error?.retryAfter == .seconds(7))
    }
}

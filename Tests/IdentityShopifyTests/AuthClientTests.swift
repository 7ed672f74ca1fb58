import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import StorefrontSandbox
import Synchronization
import TestDoubles
import Testing

final class Listener: AuthWebViewDelegate {
    private let calls = Mutex<[String]>([])

    var heard: [String] { calls.withLock { $0 } }

    func loginComplete(token: String) { calls.withLock { $0.append("complete \(token)") } }

    func loginFailed(error: String) { calls.withLock { $0.append("failed \(error)") } }
}

@Suite("AuthClient, with the names of Shopify's pages")
struct AuthClientTests {
    private func client(_ shop: Shop) throws -> AuthClient {
        AuthClient(provider: try shop.provider(), storefrontAccessToken: "storefront")
    }

    private func callback(
        _ page: String,
        _ client: AuthClient,
        _ buyer: SandboxBuyer = SandboxBuyer()
    ) async throws -> URL {
        let url = try await buyer.login(at: page, redirectURI: client.customerAccountsApiRedirectUri)
        return try #require(URL(string: url))
    }

    @Test("the steps of Shopify's tutorial sign a buyer in, refresh the tokens and log out")
    func tutorial() async throws {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        let codeVerifier = client.generateCodeVerifier()
        let page = try await client.buildAuthorizationUrl(codeVerifier: codeVerifier)
        #expect(page.contains("code_challenge=\(client.generateCodeChallenge(for: codeVerifier))&"))
        let answer = try await callback(page, client)
        let code = try #require(client.handleCallback(url: answer))
        let token: OAuthTokenResult = try await client.requestAccessToken(code: code, codeVerifier: codeVerifier)
        #expect(token.accessToken.hasPrefix("shcat_"))
        #expect(token.expiresIn == 3600)
        #expect(token.tokenType == "bearer")
        #expect(client.currentTokens?.accessToken == token.accessToken)
        let idToken = try #require(token.idToken)
        let refreshed = try await client.refreshAccessToken(refreshToken: try #require(token.refreshToken))
        #expect(refreshed.accessToken != token.accessToken)
        #expect(refreshed.idToken == idToken)
        #expect(try refreshed.tokens.buyer.issuer == Shop.issuer)
        let browserURL = try await client.logout(idToken: idToken)
        #expect(browserURL?.text == shop.shopify.endpoints.logout + "?id_token_hint=\(idToken)")
        #expect(shop.shopify.counters.logouts == 1)
        #expect(client.currentTokens == nil)
    }

    @Test("the challenge is computed as in RFC 7636, and each verifier is new and has 43 characters")
    func pkce() async throws {
        let client = AuthClient(shopDomain: "a.example", clientId: "c", redirectUri: "shop.1.app://callback")
        // RFC 7636 appendix B.
        #expect(
            client.generateCodeChallenge(for: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        )
        let verifiers = (0..<20).map { _ in client.generateCodeVerifier() }
        #expect(Set(verifiers).count == 20)
        #expect(verifiers.allSatisfy { $0.utf8.count == 43 })
        for bad in ["", "short", String(repeating: "a", count: 129), String(repeating: "+", count: 43)] {
            #expect(
                await failure { try await client.buildAuthorizationUrl(codeVerifier: bad) }?.code
                    == .configurationInvalid
            )
        }
    }

    @Test("an invalid shop domain is reported by the first call that needs it")
    func deferredError() async {
        let client = AuthClient(shopDomain: "https://a.example", clientId: "c", redirectUri: "shop.1.app://callback")
        let error = await failure { try await client.buildAuthorizationUrl() }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("shopDomain") == true)
    }

    @Test(
        "a callback with another or no state, another URI or a repeated parameter gives no code, and a code works once"
    )
    func callbacks() async throws {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        let page = try await client.buildAuthorizationUrl()
        let goodURL = try await callback(page, client)
        let good = goodURL.absoluteString
        let state = try LoginCallback(url: good).value(of: "state")?.reveal() ?? ""
        let redirectURI = "shop.82920341806.app://callback"
        for bad in [
            redirectURI + "?code=x&state=y", redirectURI + "?code=x", "https://evil.example/?code=x&state=\(state)",
            redirectURI + ".evil?code=x&state=\(state)", redirectURI + "?code=x&state=\(state)&state=\(state)",
            "?code=x&state=\(state)",
        ] {
            let url = try #require(URL(string: bad))
            #expect(client.handleCallback(url: url) == nil, "\(bad)")
        }
        let code = try #require(client.handleCallback(url: goodURL))
        #expect(client.handleCallback(url: goodURL) == nil)
        let wrong = client.generateCodeVerifier()
        #expect(
            await failure { try await client.requestAccessToken(code: code, codeVerifier: wrong) }?.code
                == .stateUnknown
        )
        _ = try await client.requestAccessToken(code: code)
        #expect(await failure { try await client.requestAccessToken(code: code) }?.code == .stateUnknown)
        #expect(shop.shopify.requests(to: .token).count == 1)
    }

    @Test("two concurrent logins are independent, and an expired login cannot be completed")
    func parallelLogins() async throws {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        let first = try await client.buildAuthorizationUrl()
        let second = try await client.buildAuthorizationUrl()
        let firstCallback = try await callback(first, client)
        let secondCallback = try await callback(second, client)
        _ = try await client.completeLogin(url: secondCallback)
        _ = try await client.completeLogin(url: firstCallback)
        let late = try await callback(try await client.buildAuthorizationUrl(), client)
        shop.clock.advance(by: .seconds(601))
        #expect(await failure { try await client.completeLogin(url: late) }?.code == .stateUnknown)
    }

    @Test("nonce and login_required are checked also if the app reads the code from the callback itself")
    func ownCode() async throws {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        let verifier = client.generateCodeVerifier()
        let page = try await client.buildAuthorizationUrl(codeVerifier: verifier)
        let answer = try LoginCallback(url: try await callback(page, client).absoluteString)
        let code = try answer.value(of: "code")?.reveal() ?? ""
        shop.shopify.planFault(.claim("nonce", .string("another")), on: .token)
        let error = await failure { try await client.requestAccessToken(code: code, codeVerifier: verifier) }
        #expect(error?.code == .idTokenNonce)
        #expect(client.currentTokens == nil)

        let silent = client.generateCodeVerifier()
        _ = try await client.buildAuthorizationUrl(codeVerifier: silent)
        #expect(
            await failure { try await client.requestAccessToken(code: "login_required", codeVerifier: silent) }?.code
                == .loginRequired
        )
        #expect(shop.shopify.requests(to: .token).count == 1)
    }

    @Test("the delegate is called exactly once, however often the callback arrives")
    func delegate() async throws {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        let listener = Listener()
        client.delegate = listener
        let url = try await callback(try await client.buildAuthorizationUrl(), client)
        let elsewhere = try #require(URL(string: "https://shop.example/login"))
        #expect(client.continueLogin(url: elsewhere) == nil)
        let handles = (0..<5).map { _ in client.continueLogin(url: url) }
        for handle in handles { await handle?.finished() }
        #expect(handles.allSatisfy { $0 != nil })
        #expect(listener.heard == ["complete \(client.currentTokens?.accessToken ?? "")"])

        let denied = try await callback(
            try await client.buildAuthorizationUrl(),
            client,
            SandboxBuyer(email: "eve@example.com", behaviour: .deny)
        )
        await client.continueLogin(url: denied)?.finished()
        await client.continueLogin(url: denied)?.finished()
        #expect(listener.heard.count == 2)
        #expect(listener.heard.last?.contains("access_denied") == true)

        await client.startLogin(with: SandboxBuyer(email: "eve@example.com", behaviour: .close)).finished()
        #expect(listener.heard.count == 3)
        #expect(listener.heard.last?.contains("cancelled") == true)
        await client.startLogin(with: SandboxBuyer()).finished()
        #expect(listener.heard.count == 4)
        #expect(listener.heard.last?.hasPrefix("complete shcat_") == true)
    }

    @Test("the reference to the delegate is weak")
    func weakDelegate() async throws {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            client.delegate = listener
            #expect(client.delegate === listener)
        }
        #expect(gone == nil)
        #expect(client.delegate == nil)
        await client.startLogin(with: SandboxBuyer()).finished()
        #expect(client.currentTokens != nil)
    }

    @Test("callbacks run on the given executor")
    func executor() async throws {
        let shop = try await Shop(.publicMobile)
        let ran = Mutex(0)
        let executor = CallbackExecutor { work in
            ran.withLock { $0 += 1 }
            work()
        }
        let client = AuthClient(provider: try shop.provider(), callbackExecutor: executor)
        await client.startLogin(with: SandboxBuyer()).finished()
        #expect(ran.withLock { $0 } == 1)
    }

    @Test("each callback of the guide gets a value or an error, once; a refresh token of an earlier process works")
    func guideCallbacks() async throws {
        let shop = try await Shop(.publicMobile)
        let first = try client(shop)
        let tokens = try await first.login(with: SandboxBuyer())
        let refreshToken = try #require(tokens.refreshToken)
        // The app was restarted and has the refresh token from its keychain.
        let client = try client(shop)
        let refreshed = await withCheckedContinuation { continuation in
            client.refreshAccessToken(refreshToken: refreshToken) { token, error in
                continuation.resume(returning: (token, error))
            }
        }
        #expect(refreshed.0?.hasPrefix("shcat_") == true)
        #expect(refreshed.1 == nil)
        #expect(client.currentTokens?.refreshToken != refreshToken)
        let again = await withCheckedContinuation { continuation in
            client.refreshAccessToken(refreshToken: refreshToken) { token, error in
                continuation.resume(returning: (token, error))
            }
        }
        #expect(again.0 == nil)
        #expect(again.1?.contains("invalid_grant") == true)
        let loggedOut = await withCheckedContinuation { continuation in
            client.logout(idToken: tokens.idToken ?? "") { success, error in
                continuation.resume(returning: (success, error))
            }
        }
        #expect(loggedOut == (true, nil))
        let refused = await withCheckedContinuation { continuation in
            client.logout(idToken: "x") { success, error in continuation.resume(returning: (success, error)) }
        }
        #expect(!refused.0)
        #expect(refused.1 != nil)
    }

    @Test(
        "if a client that has no tokens refreshes, it fetches the keys first, and the buyer comes from the response's ID token"
    )
    func bareRefresh() async throws {
        let shop = try await Shop(.publicMobile)
        let tokens = try await client(shop).login(with: SandboxBuyer())
        let (idToken, refreshToken) = (try #require(tokens.idToken), try #require(tokens.refreshToken))
        shop.shopify.planFault(.member("id_token", .string(idToken)), on: .token)
        let restarted = try client(shop)
        shop.shopify.planFault(.htmlPage(status: 503), on: .jwks)
        #expect(
            await failure { try await restarted.refreshAccessToken(refreshToken: refreshToken) }?.kind == .retryLater
        )
        #expect(shop.shopify.requests(to: .token).count == 1)
        let refreshed = try await restarted.refreshAccessToken(refreshToken: refreshToken)
        #expect(try refreshed.tokens.buyer.isSamePerson(as: try tokens.tokens.buyer))
        #expect(refreshed.idToken == idToken)
    }

    @Test("concurrent refreshes with one refresh token send it once")
    func singleFlight() async throws {
        // A caller that begins after the response sends the used refresh token. On a busy machine the response must wait longer for it.
        for pause in [1, 5, 20] where try await sentTokens(pause: .seconds(pause)) == 1 { return }
        Issue.record("Concurrent calls sent one refresh token more than once.")
    }

    /// Refreshes eight times at once, and returns how many different access tokens the calls got.
    private func sentTokens(pause: Duration) async throws -> Int {
        let shop = try await Shop(.publicMobile)
        let client = try client(shop)
        let refreshToken = try #require(try await client.login(with: SandboxBuyer()).refreshToken)
        let (callers, begin) = AsyncStream.makeStream(of: Void.self)
        let waiting = SandboxFault.before {
            var begun = 0
            for await _ in callers {
                begun += 1
                if begun == 8 { break }
            }
            try? await Task.sleep(for: pause)
        }
        shop.shopify.planFault(waiting, on: .token)
        let tokens = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    begin.yield()
                    return try? await client.refreshAccessToken(refreshToken: refreshToken).accessToken
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        return shop.shopify.counters.reusesPunished == 0 ? tokens.count : 0
    }

    @Test("client and response do not print tokens")
    func privacy() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(provider: try shop.provider(), storefrontAccessToken: "canary-storefront")
        let response = try await client.login(with: SandboxBuyer())
        let canary = SecretCanary()
        canary.watch(Secret("canary-storefront"))
        for token in [response.accessToken, response.refreshToken, response.idToken] {
            if let token { canary.watch(Secret(token)) }
        }
        #expect(canary.findings(in: response as Any).isEmpty)
        #expect(canary.findings(in: [response] as Any).isEmpty)
        #expect(canary.findings(in: client as Any).isEmpty)
        #expect(canary.findings(inText: response.accessToken) != [])
    }
}

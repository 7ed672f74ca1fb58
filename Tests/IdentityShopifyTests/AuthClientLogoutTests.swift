import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import Synchronization
import TestDoubles
import Testing

/// A token storage that removes tokens only after 200 milliseconds, or then fails.
private final class SlowVault: AuthTokenStorage {
    private let state = Mutex(false)
    private let isBroken: Bool

    init(isBroken: Bool) { self.isBroken = isBroken }

    var isEmpty: Bool { state.withLock(\.self) }

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws { state.withLock { $0 = false } }

    func removeTokens() async throws {
        try await Task.sleep(for: .milliseconds(200))
        if isBroken { throw CocoaError(.fileWriteOutOfSpace) }
        state.withLock { $0 = true }
    }
}

/// A token storage that opens a gate when it removes tokens.
private final class RemovalVault: AuthTokenStorage {
    let removal = Gate()

    func saveTokens(_ tokens: CustomerAccountAccessTokenResponse) async throws {}
    func removeTokens() async throws { removal.open() }
}

@Suite("The logout of AuthClient")
struct AuthClientLogoutTests {
    private func callback(_ page: String) async throws -> URL {
        let url = try await SandboxBuyer().login(at: page, redirectURI: "shop.82920341806.app://callback")
        return try #require(URL(string: url))
    }

    @Test("a login that began before a logout fails with state_unknown, also at the delegate")
    func loginsBefore() async throws {
        let shop = try await Shop(.publicMobile)
        let listener = Listener()
        let client = AuthClient(provider: try shop.provider())
        client.delegate = listener
        let idToken = try #require(try await client.login(with: SandboxBuyer()).idToken)
        let (checked, pending) = (client.generateCodeVerifier(), client.generateCodeVerifier())
        let first = try await callback(try await client.buildAuthorizationUrl(codeVerifier: checked))
        let code = try #require(client.handleCallback(url: first))
        let second = try await callback(try await client.buildAuthorizationUrl(codeVerifier: pending))
        let otherCode = try LoginCallback(url: second.absoluteString).value(of: "code")?.reveal() ?? ""
        try await client.logout(idToken: idToken)
        for (code, verifier) in [(code, checked), (otherCode, pending)] {
            let error = await failure { try await client.requestAccessToken(code: code, codeVerifier: verifier) }
            #expect(error?.code == .stateUnknown)
            #expect(await failure { try await client.requestAccessToken(code: code) }?.code == .stateUnknown)
            await client.exchangeCodeForTokens(code: code).finished()
        }
        await client.continueLogin(url: second)?.finished()
        #expect(listener.heard.count == 3 && listener.heard.allSatisfy { $0.contains("state_unknown") })
        #expect(client.handleCallback(url: first) == nil && client.currentTokens == nil)
        #expect(shop.shopify.requests(to: .token).count == 1)
        _ = try await client.login(with: SandboxBuyer())
    }

    @Test("a code verifier that was generated before a logout completes no login of a URL that the app built")
    func verifiersBefore() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(provider: try shop.provider())
        let idToken = try #require(try await client.login(with: SandboxBuyer()).idToken)
        let verifiers = (0..<2).map { _ in client.generateCodeVerifier() }
        try await client.logout(idToken: idToken)
        for verifier in verifiers {
            let error = await failure { try await client.requestAccessToken(code: "code", codeVerifier: verifier) }
            #expect(error?.code == .stateUnknown)
        }
        #expect(shop.shopify.requests(to: .token).count == 1)
    }

    @Test("a login during which the buyer signs out is cancelled")
    func loginDuringLogout() async throws {
        let shop = try await Shop(.publicMobile)
        let listener = Listener()
        let client = AuthClient(provider: try shop.provider())
        client.delegate = listener
        let idToken = try #require(try await client.login(with: SandboxBuyer()).idToken)
        let logout = SandboxFault.before { _ = try? await client.logout(idToken: idToken) }
        shop.shopify.planFault(logout, on: .token)
        #expect(await failure { try await client.login(with: SandboxBuyer()) }?.kind == .cancelled)
        shop.shopify.planFault(logout, on: .token)
        await client.startLogin(with: SandboxBuyer()).finished()
        #expect(listener.heard.count == 1 && listener.heard.first?.contains("signed out") == true)
        #expect(client.currentTokens == nil && shop.shopify.counters.logouts == 2)
    }

    @Test("a refresh and a login whose calls return before a logout begins do not sign the buyer in after it")
    func logoutAfterCall() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(provider: try shop.provider())
        let tokens = try await client.login(with: SandboxBuyer())
        let (refresh, idToken) = (try #require(tokens.refreshToken), try #require(tokens.idToken))
        let ended = Gate()
        client.refreshAccessToken(refreshToken: refresh) { _, _ in ended.open() }
        try await client.logout(idToken: idToken)
        await ended.wait()
        #expect(client.currentTokens == nil)
        let login = client.startLogin(with: SandboxBuyer())
        try await client.logout(idToken: idToken)
        await login.finished()
        #expect(client.currentTokens == nil)
        // The app built the URL of this login with a code verifier that this client does not know.
        let verifier = AuthClient(provider: try shop.provider()).generateCodeVerifier()
        let exchange = client.exchangeCodeForTokens(params: [
            "client_id": client.customerAccountsApiClientId, "grant_type": "authorization_code",
            "code": try await client.codeOfOwnURL(verifier), "redirect_uri": client.customerAccountsApiRedirectUri,
            "code_verifier": verifier,
        ])
        try await client.logout(idToken: idToken)
        await exchange.finished()
        #expect(client.currentTokens == nil)
    }

    @Test("a login is cancelled if the buyer signs out while its authorization URL is created")
    func loginURLDuringLogout() async throws {
        let shop = try await Shop(.publicMobile)
        let vault = RemovalVault()
        let client = AuthClient(provider: try shop.provider(), tokenStorage: vault)
        let logout = Mutex<Task<Void, Never>?>(nil)
        let fault = SandboxFault.before {
            logout.withLock { $0 = Task { _ = try? await client.logout(idToken: "unknown") } }
            // The logout needs the metadata too, so the metadata waits only until the logout has removed the tokens.
            await vault.removal.wait()
        }
        shop.shopify.planFault(fault, on: .discovery)
        #expect(await failure { try await client.login(with: SandboxBuyer()) }?.kind == .cancelled)
        await logout.withLock(\.self)?.value
        #expect(client.currentTokens == nil && shop.shopify.requests(to: .token).isEmpty)
    }

    @Test("a logout fails if Shopify redirects it permanently, and succeeds with a temporary redirect or status 200")
    func redirects() async throws {
        let shop = try await Shop(.publicMobile)
        for status in [301, 308, 302, 303, 200] {
            let client = AuthClient(provider: try shop.provider())
            let idToken = try #require(try await client.login(with: SandboxBuyer()).idToken)
            let answer = SandboxFault.answer(status: status, headers: [("Location", "https://shopify.com/")])
            shop.shopify.planFault(answer, on: .logout)
            let error = await failure { try await client.logout(idToken: idToken) }
            #expect(error?.code == ([301, 308].contains(status) ? .redirectRefused : nil))
            #expect(client.currentTokens == nil)
        }
    }

    @Test("the configured page after the logout is in the URL for the browser, and not in the client's own request")
    func pageAfterLogout() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(
            provider: try shop.provider { $0.postLogoutRedirectURI = "http://127.0.0.1:9/bye" }
        )
        let idToken = try #require(try await client.login(with: SandboxBuyer()).idToken)
        let url = try #require(try await client.logout(idToken: idToken))
        #expect(url.text.hasSuffix("&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fbye"))
        let call = try #require(shop.shopify.requests(to: .logout).last)
        #expect(call.queryValue("post_logout_redirect_uri") == nil && call.queryValue("id_token_hint") == idToken)
    }

    @Test("a logout that fails at Shopify still removes the tokens from the storage, and reports a failed removal")
    func removal() async throws {
        let shop = try await Shop(.publicMobile)
        for isBroken in [false, true] {
            let vault = SlowVault(isBroken: isBroken)
            let client = AuthClient(provider: try shop.provider(), tokenStorage: vault)
            _ = try await client.login(with: SandboxBuyer())
            let error = await failure { try await client.logout(idToken: "unknown") }
            #expect(error?.code == (isBroken ? .storeFailed : .unexpectedResponse))
            #expect(vault.isEmpty == !isBroken)
        }
    }
}

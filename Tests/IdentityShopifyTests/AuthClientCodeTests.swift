import Foundation
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import Testing

@Suite("The authorization codes of AuthClient")
struct AuthClientCodeTests {
    private static let redirectURI = "shop.82920341806.app://callback"

    /// A client with a login whose page the buyer has left.
    private func login(
        _ shop: Shop,
        _ listener: Listener
    ) async throws -> (client: AuthClient, verifier: String, callback: URL) {
        let client = AuthClient(provider: try shop.provider())
        client.delegate = listener
        let verifier = client.generateCodeVerifier()
        let page = try await client.buildAuthorizationUrl(codeVerifier: verifier)
        let url = try await SandboxBuyer().login(at: page, redirectURI: Self.redirectURI)
        return (client, verifier, try #require(URL(string: url)))
    }

    @Test("concurrent exchanges of one code call the delegate once", arguments: [true, false])
    func concurrentExchanges(hasParameters: Bool) async throws {
        let shop = try await Shop(.publicMobile)
        // The test needs several rounds, because the order of the threads differs from round to round.
        for _ in 0..<20 {
            let listener = Listener()
            let (client, verifier, callback) = try await login(shop, listener)
            let code = try #require(client.handleCallback(url: callback))
            let parameters = [
                "client_id": client.customerAccountsApiClientId, "grant_type": "authorization_code", "code": code,
                "redirect_uri": Self.redirectURI, "code_verifier": verifier,
            ]
            let handles = (0..<5).map { _ in
                hasParameters
                    ? client.exchangeCodeForTokens(params: parameters) : client.exchangeCodeForTokens(code: code)
            }
            for handle in handles { await handle.finished() }
            #expect(listener.heard == ["complete \(client.currentTokens?.accessToken ?? "")"])
        }
    }

    @Test("the nonce is checked for a code that the app read from the callback and passes without its verifier")
    func recordedVerifier() async throws {
        let shop = try await Shop(.publicMobile)
        let listener = Listener()
        for isForged in [true, false] {
            let (client, _, callback) = try await login(shop, listener)
            let code = try LoginCallback(url: callback.absoluteString).value(of: "code")?.reveal() ?? ""
            if isForged { shop.shopify.planFault(.claim("nonce", .string("another")), on: .token) }
            await client.exchangeCodeForTokens(code: code).finished()
            #expect((client.currentTokens == nil) == isForged)
        }
        #expect(listener.heard.first?.contains("id_token_nonce") == true)
        #expect(listener.heard.last?.hasPrefix("complete shcat_") == true)
    }

    @Test("a callback of an expired login calls the delegate with state_unknown")
    func expiredLogin() async throws {
        let shop = try await Shop(.publicMobile)
        let listener = Listener()
        let (client, _, callback) = try await login(shop, listener)
        shop.clock.advance(by: .seconds(601))
        await client.continueLogin(url: callback)?.finished()
        #expect(listener.heard.count == 1 && listener.heard.first?.contains("state_unknown") == true)
    }

    @Test("the delegate is told once of a callback that belongs to no login, and the pending login can be completed")
    func unknownCallback() async throws {
        let shop = try await Shop(.publicMobile)
        let listener = Listener()
        let (client, _, callback) = try await login(shop, listener)
        let unknown = try #require(URL(string: "\(Self.redirectURI)?code=c&state=unknown"))
        for url in [unknown, unknown, callback] { await client.continueLogin(url: url)?.finished() }
        #expect(listener.heard.count == 2 && listener.heard.first?.contains("state_unknown") == true)
        #expect(client.currentTokens != nil && shop.shopify.requests(to: .token).count == 1)
    }
}

import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Testing

@Suite("Bolt's token requests") struct TokenRequestTests {
    @Test("a backend's token request has exactly Bolt's documented parameters, and both keys as headers")
    func confidential() async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let provider = try bolt.provider()
        let tokens = try await provider.exchange(
            BoltLoginResult.completed(authorizationCode: "C0DE", codeVerifier: "", state: "s7")
        )
        let request = try #require(bolt.requests(to: "/v1/oauth/token").first)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=authorization_code&client_id=aaa.bbb.ccc&client_secret=APIKEY&code=C0DE"
                + "&scope=openid%20bolt.account.manage&state=s7"
        )
        #expect(request.method == "POST")
        #expect(request.query == nil)
        #expect(request.header("content-type") == "application/x-www-form-urlencoded")
        #expect(request.header("x-api-key") == "APIKEY")
        #expect(request.header("x-publishable-key") == "aaa.bbb.ccc")
        #expect(request.header("authorization") == nil)
        #expect(tokens.buyer.subject == "BAc1")
        #expect(tokens.expiresAt == bolt.clock.now + 3600)
    }

    @Test("a public client sends its verifier, and neither an API key nor the key headers")
    func publicClient() async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let provider = try bolt.provider(.publicPKCE)
        let request = try await provider.authorizationRequest(LoginOptions())
        let verifier = try #require(request.attempt.codeVerifier?.reveal())
        let state = request.attempt.state.reveal()
        #expect(request.url.text.contains("code_challenge_method=S256"))
        _ = try await provider.exchange(
            try LoginCallback(url: "/?authorization_code=C0DE&state=\(state)"),
            for: request.attempt
        )
        let sent = try #require(bolt.requests(to: "/v1/oauth/token").first)
        #expect(
            String(decoding: sent.body, as: UTF8.self)
                == "grant_type=authorization_code&client_id=aaa.bbb.ccc&code=C0DE&code_verifier=\(verifier)"
                + "&scope=openid%20bolt.account.manage&state=\(state)"
        )
        #expect(sent.header("x-api-key") == nil)
        #expect(sent.header("x-publishable-key") == nil)
    }

    @Test("a backend without PKCE sends exactly the published parameters")
    func authorizationURL() async throws {
        let bolt = try await FakeBolt()
        let request = try await bolt.provider { $0.stateLength = 8 }.authorizationRequest(LoginOptions())
        let state = request.attempt.state.reveal()
        #expect(state.utf8.count == 8)
        #expect(
            request.url.text
                == "\(bolt.origin)/v1/oauth/authorize?client_id=aaa.bbb.ccc&response_type=code"
                + "&scope=openid%20bolt.account.manage&state=\(state)"
        )
    }

    @Test("key form, scope separator, redirect URI, verifier and secret are sent as configured")
    func variants() async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let provider = try bolt.provider(.confidentialPKCE(apiKey: Secret("APIKEY\n"))) {
            $0.clientIDForm = .lastSection
            $0.scopeSeparator = .plus
            $0.redirectURI = "https://app.example/cb"
        }
        _ = try await bolt.signIn(provider)
        let fields = try #require(bolt.requests(to: "/v1/oauth/token").first).formFields()
        #expect(
            fields.map(\.0) == [
                "grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "scope", "state",
            ]
        )
        let sent = Dictionary(uniqueKeysWithValues: fields)
        #expect(sent["client_id"] == "ccc")
        #expect(sent["client_secret"] == "APIKEY")
        #expect(sent["scope"] == "openid+bolt.account.manage")
        #expect(sent["redirect_uri"] == "https://app.example/cb")
    }

    @Test("a phone's code without state is exchanged without state")
    func relayed() async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let result = try BoltLoginResult(json: Array(#"{"authCode":"C0DE"}"#.utf8))
        _ = try await bolt.provider().exchange(result)
        let fields = try #require(bolt.requests(to: "/v1/oauth/token").first).formFields()
        #expect(!fields.contains { $0.0 == "state" || $0.0 == "code_verifier" })
    }
}

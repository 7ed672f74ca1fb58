import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import Testing

@Suite("OpenID provider")
struct OpenIDProviderTests {
    private static let discovery = "/.well-known/openid-configuration"

    @Test("the redirect URI of one login is checked like the configured one")
    func redirectURIOfOneLogin() async throws {
        try await FakeWorld.run { world in
            var options = LoginOptions()
            options.redirectURI = "https://app.example@evil.example/callback"
            let error = await #expect(throws: IdentityError.self) { try await world.begin(options) }
            #expect(error?.code == .configurationInvalid)
        }
    }

    @Test("a complete login sends verifier and redirect URI, and reads the buyer from the ID token")
    func login() async throws {
        try await FakeWorld.run { world in
            let request = try await world.begin()
            let tokens = try await world.provider.exchange(try world.callback(request), for: request.attempt)
            #expect(tokens.buyer.subject == "buyer-1")
            #expect(tokens.buyer.issuer == world.fake.origin)
            #expect(tokens.scopes == ["openid", "email"])
            #expect(tokens.expiresAt == world.clock.now + 3600)
            let sent = try #require(world.fake.requests(to: "/token").first)
            let fields = Dictionary(sent.formFields(), uniquingKeysWith: { one, _ in one })
            let verifier = try #require(fields["code_verifier"])
            let challenge = Base64URL.encode(try Digest.sha256(Array(verifier.utf8)))
            #expect((FormEncoding.decode(Array((request.url.query ?? "").utf8)) ?? []).contains { $0.1 == challenge })
            #expect(fields["grant_type"] == "authorization_code")
            #expect(fields["code"] == "code-1")
            #expect(fields["client_id"] == "client-1")
            #expect(fields["redirect_uri"] == "https://app.example/callback?a=1&b=ü")
            #expect(fields.count == 5)
            #expect(sent.header("Authorization") == nil)
            #expect(sent.header("Accept") == "application/json")
        }
    }

    @Test("the authorization URL has the expected parameters, byte for byte")
    func authorizationURL() async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { $0["authorization_endpoint"] = .string("https://id.example/a?x=%20") })
            var options = LoginOptions()
            options.loginHint = "a+b@example.com"
            options.prompt = "none"
            options.locale = "de"
            options.maximumAge = .seconds(60)
            options.authenticationContexts = ["phr", "phrh"]
            options.additionalParameters = [("a-b", "c&d=é")]
            let request = try await world.begin(options)
            let attempt = request.attempt
            let verifier = try #require(attempt.codeVerifier)
            let challenge = Base64URL.encode(try Digest.sha256(verifier.revealBytes()))
            let nonce = try #require(attempt.nonce).reveal()
            #expect(attempt.state.count == 43)
            #expect(verifier.count == 43)
            #expect(Set([attempt.state.reveal(), nonce, verifier.reveal()]).count == 3)
            #expect(
                request.url.text
                    == "https://id.example/a?x=%20&client_id=client-1&response_type=code&scope=openid%20email"
                    + "&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback%3Fa%3D1%26b%3D%C3%BC"
                    + "&state=\(attempt.state.reveal())&nonce=\(nonce)"
                    + "&code_challenge=\(challenge)&code_challenge_method=S256&prompt=none"
                    + "&login_hint=a%2Bb%40example.com&max_age=60&acr_values=phr%20phrh&ui_locales=de&a-b=c%26d%3D%C3%A9"
            )
        }
    }

    @Test(
        "additional parameters cannot replace protocol parameters",
        arguments: [
            "state", "nonce", "redirect_uri", "client_id", "response_type", "scope", "code_challenge",
            "code_challenge_method", "request", "request_uri", "prompt", "response_mode", "dpop_jkt", "client_secret",
            "client_assertion", "client_assertion_type",
        ]
    )
    func reserved(name: String) async throws {
        try await FakeWorld.run { world in
            var options = LoginOptions()
            options.prompt = "login"
            options.additionalParameters = [(name, "x")]
            #expect(await world.refusal(options)?.code == .configurationInvalid)
        }
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: IdentityError.Kind
        let code: IdentityError.Code
        var response: LoopbackResponse?
        var change: @Sendable (inout JSONObject) -> Void = { _ in }
    }

    static let discoveryLies: [Lie] = [
        Lie(testDescription: "another issuer", kind: .rejected, code: .discoveryIssuerMismatch) {
            $0["issuer"] = .string("https://evil.example")
        },
        Lie(testDescription: "no issuer", kind: .rejected, code: .discoveryFailed) { $0["issuer"] = nil },
        Lie(testDescription: "http endpoint", kind: .rejected, code: .discoveryFailed) {
            $0["token_endpoint"] = .string("http://id.example/token")
        },
        Lie(testDescription: "an endpoint that is not a string", kind: .rejected, code: .discoveryFailed) {
            $0["jwks_uri"] = .integer(1)
        },
        Lie(testDescription: "no authorization endpoint", kind: .configuration, code: .unsupportedByProvider) {
            $0["authorization_endpoint"] = nil
        },
        Lie(testDescription: "PKCE with plain only", kind: .configuration, code: .unsupportedByProvider) {
            $0["code_challenge_methods_supported"] = .array([.string("plain")])
        },
        Lie(
            testDescription: "HTML",
            kind: .retryLater,
            code: .discoveryFailed,
            response: .message(status: 200, body: Array("<html>".utf8))
        ),
        Lie(testDescription: "404", kind: .configuration, code: .discoveryFailed, response: .message(status: 404)),
        Lie(testDescription: "500", kind: .retryLater, code: .providerUnavailable, response: .message(status: 500)),
        Lie(testDescription: "429", kind: .retryLater, code: .providerUnavailable, response: .message(status: 429)),
        Lie(
            testDescription: "huge",
            kind: .rejected,
            code: .unexpectedResponse,
            response: .message(status: 200, body: [UInt8](repeating: 0x20, count: 2 << 20))
        ),
        Lie(
            testDescription: "redirect",
            kind: .configuration,
            code: .discoveryFailed,
            response: .message(status: 302, headers: [("Location", "https://evil.example/")])
        ),
    ]

    @Test("invalid discovery fails the login before the redirect", arguments: discoveryLies)
    func discovery(lie: Lie) async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: lie.change)
            if let response = lie.response { world.fake.replace(Self.discovery, by: response) }
            let error = await world.refusal()
            #expect(error?.code == lie.code)
            #expect(error?.kind == lie.kind)
            #expect(Set(world.fake.paths()) == [Self.discovery])
        }
    }

    @Test("earlier metadata are used while discovery is invalid or down, and discovery is repeated once a minute")
    func oldMetadata() async throws {
        try await FakeWorld.run { world in
            _ = try await world.begin()
            world.clock.advance(by: .seconds(3599))
            _ = try await world.begin()
            #expect(world.fake.requests(to: Self.discovery).count == 1)
            world.fake.change(metadata: { $0["issuer"] = .string("https://evil.example") })
            world.clock.advance(by: .seconds(1))
            for _ in 0..<3 { #expect(try await world.begin().attempt.issuer == world.fake.origin) }
            #expect(world.fake.requests(to: Self.discovery).count == 2)
            world.fake.replace(Self.discovery, by: .message(status: 503))
            world.clock.advance(by: .seconds(60))
            _ = try await world.begin()
            #expect(world.fake.requests(to: Self.discovery).count == 3)
        }
    }

    static let tokenLies: [Lie] = [
        Lie(
            testDescription: "HTML",
            kind: .retryLater,
            code: .unexpectedResponse,
            response: .message(status: 200, body: Array("<html>".utf8))
        ),
        Lie(
            testDescription: "huge",
            kind: .rejected,
            code: .unexpectedResponse,
            response: .message(status: 200, body: [UInt8](repeating: 0x20, count: 2 << 20))
        ),
        Lie(
            testDescription: "redirect",
            kind: .rejected,
            code: .redirectRefused,
            response: .message(status: 307, headers: [("Location", "/other")])
        ),
        Lie(
            testDescription: "slow",
            kind: .retryLater,
            code: .providerUnavailable,
            response: .script([.delay(.seconds(30))])
        ),
        Lie(testDescription: "no access token", kind: .rejected, code: .tokenResponseInvalid) {
            $0["access_token"] = nil
        },
        Lie(testDescription: "no token type", kind: .rejected, code: .tokenResponseInvalid) { $0["token_type"] = nil },
        Lie(testDescription: "no ID token", kind: .rejected, code: .idTokenMissing) { $0["id_token"] = nil },
        Lie(testDescription: "error with 200", kind: .rejected, code: .invalidGrant) {
            $0["error"] = .string("invalid_grant")
        },
    ]

    @Test("an invalid token response fails the login, and the code is sent at most once", arguments: tokenLies)
    func tokenEndpoint(lie: Lie) async throws {
        // The timeout is short only in the case "slow", because a busy machine delays every response.
        try await FakeWorld.run({ if lie.testDescription == "slow" { $0.timeout = .seconds(1) } }) { world in
            world.fake.change(answer: lie.change)
            if let response = lie.response { world.fake.replace("/token", by: response) }
            let error = await world.refusal()
            #expect(error?.code == lie.code)
            #expect(error?.kind == lie.kind)
            #expect(world.fake.requests(to: "/token").count <= 1)
            #expect(!world.fake.paths().contains("/other"))
        }
    }

    static let claimLies: [Lie] = [
        Lie(testDescription: "nonce", kind: .rejected, code: .idTokenNonce) { $0["nonce"] = .string("other") },
        Lie(testDescription: "no nonce", kind: .rejected, code: .idTokenNonce) { $0["nonce"] = nil },
        Lie(testDescription: "at_hash", kind: .rejected, code: .idTokenAccessTokenHash) {
            $0["at_hash"] = .string("AAAAAAAAAAAAAAAAAAAAAA")
        },
        Lie(testDescription: "audience", kind: .rejected, code: .idTokenAudience) { $0["aud"] = .string("other") },
        Lie(testDescription: "issuer", kind: .rejected, code: .idTokenIssuer) {
            $0["iss"] = .string("https://evil.example")
        },
        Lie(testDescription: "expired", kind: .rejected, code: .idTokenTime) { $0["exp"] = .integer(1_789_999_000) },
    ]

    @Test("the claims of the ID token are checked at a login", arguments: claimLies)
    func claims(lie: Lie) async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: lie.change)
            #expect(await world.refusal()?.code == lie.code)
        }
    }

    @Test("requested max_age and acr_values are checked")
    func authentication() async throws {
        try await FakeWorld.run { world in
            var recent = LoginOptions()
            recent.maximumAge = .seconds(60)
            #expect(await world.refusal(recent)?.code == .idTokenAuthentication)
            var strong = LoginOptions()
            strong.authenticationContexts = ["phr"]
            #expect(await world.refusal(strong)?.code == .idTokenAuthentication)
            world.fake.change(claims: {
                $0["acr"] = .string("phr")
                $0["auth_time"] = .integer(1_790_000_000)
            })
            #expect(await world.refusal(strong) == nil)
            #expect(await world.refusal(recent) == nil)
        }
    }
}

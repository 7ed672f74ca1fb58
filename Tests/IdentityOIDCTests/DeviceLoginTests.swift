import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import Testing

@Suite("OpenID provider: login on another device")
struct DeviceLoginTests {
    private static func refusal(_ body: () async throws -> Void) async -> IdentityError? {
        do {
            try await body()
            return nil
        } catch {
            return IdentityError.wrapping(error)
        }
    }

    private static func error(_ name: String, _ status: Int = 400, _ more: JSONObject = [:]) -> LoopbackResponse {
        var object: JSONObject = ["error": .string(name)]
        for member in more.members { object[member.name] = member.value }
        return FakeProvider.json(object, status: status)
    }

    /// A manager whose waiting takes no time; the fake's tokens are issued by the world's clock, which stands still.
    private static func manager(_ world: FakeWorld, _ clock: ManualClock) throws -> SessionManager {
        SessionManager(
            providers: try ProviderRegistry([world.provider]),
            store: InMemoryStore(),
            environment: IdentityEnvironment(transport: world.environment.transport, clock: clock)
        )
    }

    @Test("a complete device login: requests, prompt and buyer")
    func login() async throws {
        try await FakeWorld.run({ $0.authentication = .secretBasic(Secret("s")) }) { world in
            let pending = Self.error("authorization_pending")
            world.fake.script("/token", [pending, Self.error("slow_down"), .message(status: 503), pending])
            let clock = ManualClock(isAdvancedBySleeping: true)
            let shown = Mutex<DeviceLoginPrompt?>(nil)
            var options = LoginOptions()
            options.loginHint = "ada@example.com"
            options.additionalParameters = [("resource", "https://api.example/")]
            let session = try await Self.manager(world, clock).deviceLogin("fake", options: options) { prompt in
                shown.withLock { $0 = prompt }
            }
            #expect(session.buyer.subject == "buyer-1")
            #expect(session.scopes == ["openid", "email"])
            let prompt = try #require(shown.withLock { $0 })
            #expect(prompt.provider == "fake")
            #expect(prompt.userCode == "WDJB-MJHT")
            #expect(prompt.verificationURI.text == "https://id.example/device")
            #expect(prompt.verificationURIComplete?.text == "https://id.example/device?user_code=WDJB-MJHT")
            #expect(prompt.expiresAt == world.clock.now + 600)
            #expect(!"\(prompt)".contains("WDJB"))
            // 7, 7, 12, twice that after the outage, 12 again.
            #expect(clock.elapsed == .seconds(7 + 7 + 12 + 24 + 12))

            let asked = try #require(world.fake.requests(to: "/device").first)
            #expect(asked.method == "POST")
            #expect(asked.header("Authorization")?.hasPrefix("Basic ") == true)
            let fields = [
                "client_id=client-1", "scope=openid email", "login_hint=ada@example.com",
                "resource=https://api.example/",
            ]
            #expect(asked.formFields().map { "\($0.0)=\($0.1)" } == fields)
            let polls = world.fake.requests(to: "/token")
            #expect(polls.count == 5)
            for poll in polls {
                #expect(poll.header("Authorization")?.hasPrefix("Basic ") == true)
                let fields = poll.formFields().map { "\($0.0)=\($0.1)" }
                #expect(fields.first == "grant_type=urn:ietf:params:oauth:grant-type:device_code")
                #expect(fields.dropFirst() == ["client_id=client-1", "device_code=device-code-1"])
            }
        }
    }

    @Test("a response without scope grants the requested scopes")
    func scopeless() async throws {
        try await FakeWorld.run { world in
            world.fake.change(answer: { $0["scope"] = nil })
            let session = try await Self.manager(world, ManualClock(isAdvancedBySleeping: true)).deviceLogin("fake") {
                _ in
            }
            #expect(session.scopes == ["openid", "email"])
        }
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isGood: Bool
        let change: @Sendable (inout JSONObject) -> Void

        init(_ member: String, _ value: JSONValue?, isGood: Bool = false) {
            let shown = value.map { String(decoding: $0.serialized.prefix(50), as: UTF8.self) } ?? "missing"
            testDescription = "\(member) \(shown)"
            self.isGood = isGood
            change = { $0[member] = value }
        }
    }

    static let lies: [Lie] = [
        Lie("device_code", nil), Lie("device_code", .string("")), Lie("device_code", .integer(1)),
        Lie("device_code", .string(String(repeating: "x", count: 4097))), Lie("device_code", .string("a\nb")),
        Lie("device_code", .string(String(repeating: "x", count: 4096)), isGood: true),
        Lie("user_code", nil), Lie("user_code", .string("")), Lie("user_code", .integer(123_456)),
        Lie("user_code", .string(String(repeating: "x", count: 65))), Lie("user_code", .string("AB\u{1B}[2J")),
        Lie("user_code", .string("AB\u{7F}")), Lie("user_code", .string("АВ-СD")), Lie("user_code", .string(" ")),
        Lie("user_code", .string("AB ")), Lie("user_code", .string("AB\u{202E}CD")),
        Lie("user_code", .string("123 456"), isGood: true),
        Lie("verification_uri", nil), Lie("verification_uri", .string("http://id.example/device")),
        Lie("verification_uri", .string("https://id.example@evil.example/")),
        Lie("verification_uri", .string("/device")),
        Lie("verification_uri", .string("javascript:alert(1)")),
        Lie("verification_uri", .string("https://id.example/\u{1B}")),
        Lie("verification_uri", .string("https://id.example/" + String(repeating: "x", count: 2048))),
        Lie("verification_uri", .string("http://127.0.0.1:9/device"), isGood: true),
        Lie("verification_uri_complete", .string("http://id.example/")), Lie("verification_uri_complete", .integer(1)),
        Lie("verification_uri_complete", nil, isGood: true), Lie("verification_uri_complete", .null, isGood: true),
        Lie("expires_in", nil), Lie("expires_in", .integer(0)), Lie("expires_in", .integer(-1)),
        Lie("expires_in", .string("600 s")), Lie("expires_in", .string("600"), isGood: true),
        Lie("expires_in", .integer(86_401)),
        Lie("expires_in", .integer(1), isGood: true),
        Lie("interval", .integer(-1)), Lie("interval", .string("5.0")), Lie("interval", .string("5"), isGood: true),
        Lie("interval", .integer(86_401)),
        Lie("interval", .integer(0), isGood: true), Lie("interval", nil, isGood: true),
    ]

    @Test("an invalid response shows the buyer nothing", arguments: lies)
    func answer(lie: Lie) async throws {
        try await FakeWorld.run { world in
            world.fake.change(deviceAnswer: lie.change)
            let error = await Self.refusal { _ = try await world.provider.deviceAuthorization(LoginOptions()) }
            #expect(error?.code == (lie.isGood ? nil : .tokenResponseInvalid))
            #expect(error?.kind == (lie.isGood ? nil : .rejected))
        }
    }

    @Test(
        "an http verification page needs allowsLoopbackHTTP, and the default interval is five seconds"
    )
    func parsing() throws {
        var object: JSONObject = [
            "device_code": .string("d"), "user_code": .string("u"), "verification_url": .string("http://127.0.0.1/"),
            "expires_in": .integer(60),
        ]
        #expect(throws: IdentityError.self) { try DeviceAuthorizationResponse(object, allowsLoopbackHTTP: false) }
        object["verification_url"] = .string("https://id.example/")
        let response = try DeviceAuthorizationResponse(object, allowsLoopbackHTTP: false)
        #expect(response.interval == .seconds(5))
        #expect(response.verificationURI.text == "https://id.example/")
    }

    @Test("a login that cannot succeed fails before the buyer sees a code")
    func beforehand() async throws {
        func refusal(
            _ metadata: @escaping @Sendable (inout JSONObject) -> Void = { _ in },
            replacing path: String = "",
            by response: LoopbackResponse? = nil,
            asking options: LoginOptions = LoginOptions()
        ) async throws -> IdentityError? {
            let refused = Mutex<IdentityError?>(nil)
            try await FakeWorld.run { world in
                world.fake.change(metadata: metadata)
                world.fake.replace(path, by: response)
                let error = await Self.refusal { _ = try await world.provider.deviceAuthorization(options) }
                refused.withLock { $0 = error }
            }
            return refused.withLock { $0 }
        }
        for name in ["device_authorization_endpoint", "token_endpoint", "jwks_uri"] {
            #expect(try await refusal { $0[name] = nil }?.code == .unsupportedByProvider)
        }
        #expect(
            try await refusal { $0["device_authorization_endpoint"] = .string("http://id.example/") }?.code
                == .unsupportedByProvider
        )
        #expect(try await refusal(replacing: "/jwks", by: .message(status: 500))?.kind == .retryLater)
        #expect(try await refusal(replacing: "/device", by: .message(status: 500))?.kind == .retryLater)
        let refused = try await refusal(replacing: "/device", by: Self.error("unauthorized_client"))
        #expect(refused?.code == .unauthorizedClient)
        #expect(try await refusal(replacing: "/device", by: Self.error("invalid_scope"))?.code == .invalidScope)
        var options = LoginOptions()
        options.scopes = ["email"]
        #expect(try await refusal(asking: options)?.code == .configurationInvalid)
        for name in ["client_id", "scope", "device_code", "grant_type", "client_secret", "client_assertion"] {
            options = LoginOptions()
            options.additionalParameters = [(name, "x")]
            #expect(try await refusal(asking: options)?.code == .configurationInvalid, "\(name)")
        }
    }

    struct Poll: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackResponse
        /// `pending`, `slowDown`, `unanswered`, or the code of the error that ends the login.
        let outcome: String

        init(_ error: String, _ outcome: String, status: Int = 400) {
            testDescription = "\(error) \(status)"
            response = DeviceLoginTests.error(error, status)
            self.outcome = outcome
        }

        init(_ name: String, _ response: LoopbackResponse, _ outcome: String) {
            testDescription = name
            self.response = response
            self.outcome = outcome
        }
    }

    static let polls: [Poll] = [
        Poll("authorization_pending", "pending"), Poll("authorization_pending", "pending", status: 428),
        Poll("authorization_pending", "pending", status: 200), Poll("slow_down", "slowDown"),
        Poll("slow_down", "slowDown", status: 403),
        Poll("slow_down", "slowDown", status: 429), Poll("expired_token", "attempt_expired"),
        Poll("access_denied", "access_denied"), Poll("access_denied", "access_denied", status: 403),
        Poll("invalid_grant", "invalid_grant"), Poll("invalid_client", "invalid_client", status: 401),
        Poll("unauthorized_client", "unauthorized_client"), Poll("unsupported_grant_type", "unsupported_grant_type"),
        Poll("Authorization_Pending", "unexpected_response"), Poll("pending", "unexpected_response"),
        Poll("authorization_pending", "unanswered", status: 500), Poll("access_denied", "unanswered", status: 503),
        Poll("expired_token", "attempt_expired", status: 429), Poll("temporarily_unavailable", "unanswered"),
        Poll("429 alone", .message(status: 429), "unanswered"), Poll("502 page", .message(status: 502), "unanswered"),
        Poll("200 page", .message(status: 200, body: Array("<html>".utf8)), "unanswered"),
        Poll("authorization_pending", "redirect_refused", status: 302),
        Poll("no token", FakeProvider.json(["token_type": .string("Bearer")]), "token_response_invalid"),
        Poll("broken JSON", .message(status: 200, body: Array("{\"error\":".utf8)), "token_response_invalid"),
    ]

    @Test("the meaning of each response to a poll", arguments: polls)
    func poll(_ poll: Poll) async throws {
        try await FakeWorld.run { world in
            let authorization = try await world.provider.deviceAuthorization(LoginOptions())
            world.fake.replace("/token", by: poll.response)
            let outcome: String
            do {
                switch try await world.provider.poll(authorization) {
                case .pending: outcome = "pending"
                case .slowDown: outcome = "slowDown"
                case .unanswered: outcome = "unanswered"
                case .authorized: outcome = "authorized"
                }
            } catch let error as IdentityError {
                outcome = error.code.rawValue
            }
            #expect(outcome == poll.outcome)
        }
    }

    @Test("a connection that is refused or reset does not end the login")
    func reset() async throws {
        try await FakeWorld.run { world in
            var authorization = try await world.provider.deviceAuthorization(LoginOptions())
            world.fake.replace("/token", by: .script([.reset]))
            guard case .unanswered(let error) = try await world.provider.poll(authorization) else {
                Issue.record("The login ended.")
                return
            }
            #expect(error.code == .providerUnavailable)
            authorization.issuer = "https://another.example"
            let refused = await Self.refusal { _ = try await world.provider.poll(authorization) }
            #expect(refused?.code == .discoveryIssuerMismatch)
        }
    }

    struct Token: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: IdentityError.Code?
        var options = LoginOptions()
        let change: @Sendable (inout JSONObject) -> Void
    }

    static let tokens: [Token] = {
        var recent = LoginOptions()
        recent.maximumAge = .seconds(60)
        var strong = LoginOptions()
        strong.authenticationContexts = ["phr"]
        return [
            Token(testDescription: "a nonce that nobody sent", code: .idTokenNonce) { $0["nonce"] = .string("n") },
            Token(testDescription: "a nonce that is no text", code: .idTokenNonce) { $0["nonce"] = .integer(1) },
            Token(testDescription: "another access token's hash", code: .idTokenAccessTokenHash) {
                $0["at_hash"] = .string("AAAAAAAAAAAAAAAAAAAAAA")
            },
            Token(testDescription: "another issuer", code: .idTokenIssuer) {
                $0["iss"] = .string("https://evil.example")
            },
            Token(testDescription: "another audience", code: .idTokenAudience) { $0["aud"] = .string("client-2") },
            Token(testDescription: "expired", code: .idTokenTime) { $0["exp"] = .integer(1_789_000_000) },
            Token(testDescription: "an old login", code: .idTokenAuthentication, options: recent) {
                $0["auth_time"] = .integer(1_789_990_000)
            },
            Token(testDescription: "a recent login", code: nil, options: recent) {
                $0["auth_time"] = .integer(1_789_999_990)
            },
            Token(testDescription: "another acr", code: .idTokenAuthentication, options: strong) {
                $0["acr"] = .string("pwd")
            },
        ]
    }()

    @Test("the ID token is validated as after any login, and must not have a nonce", arguments: tokens)
    func idToken(token: Token) async throws {
        try await FakeWorld.run { world in
            let authorization = try await world.provider.deviceAuthorization(token.options)
            world.fake.change(claims: token.change)
            let error = await Self.refusal { _ = try await world.provider.poll(authorization) }
            #expect(error?.code == token.code)
        }
    }

    @Test("a response without ID token, or with a forged one, fails the login")
    func forged() async throws {
        try await FakeWorld.run { world in
            let authorization = try await world.provider.deviceAuthorization(LoginOptions())
            world.fake.change(answer: { $0["id_token"] = nil })
            let missing = await Self.refusal { _ = try await world.provider.poll(authorization) }
            #expect(missing?.code == .idTokenMissing)
            world.fake.change(answer: { _ in })
            world.fake.rotate(to: try TokenForge(.es256), publishing: false)
            let forged = await Self.refusal { _ = try await world.provider.poll(authorization) }
            #expect(forged?.code == .idTokenSignature)
        }
    }
}

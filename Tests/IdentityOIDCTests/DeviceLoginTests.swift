import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("OpenID provider: login on another device")
struct DeviceLoginTests {
    static func error(_ name: String, _ status: Int = 400, _ more: JSONObject = [:]) -> LoopbackResponse {
        var object: JSONObject = ["error": .string(name)]
        for member in more.members { object[member.name] = member.value }
        return FakeProvider.json(object, status: status)
    }

    /// A manager on a manual clock; the fake provider issues ID tokens with fixed times.
    private static func manager(_ world: FakeWorld, _ clock: ManualClock) throws -> SessionManager {
        SessionManager(
            providers: try ProviderRegistry([world.provider]),
            store: InMemoryStore(),
            environment: IdentityEnvironment(transport: world.environment.transport, clock: clock)
        )
    }

    @Test("a complete device login sends the expected requests, shows the prompt and returns the buyer")
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
            // The intervals: 7, 7, 12, twice 12 after the outage, and 12 again.
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
                #expect(fields.dropFirst() == ["device_code=device-code-1"])
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
        Lie("expires_in", .integer(86_401), isGood: true), Lie("expires_in", .integer(1), isGood: true),
        Lie("interval", .integer(-1)), Lie("interval", .string("5.0")), Lie("interval", .string("5"), isGood: true),
        Lie("interval", .integer(86_401)),
        Lie("interval", .integer(0), isGood: true), Lie("interval", nil, isGood: true),
    ]

    @Test("an invalid device authorization response fails before the buyer sees a code", arguments: lies)
    func answer(lie: Lie) async throws {
        try await FakeWorld.run { world in
            world.fake.change(deviceResponse: lie.change)
            let error = await failure { try await world.provider.deviceAuthorization(LoginOptions()) }
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

    @Test(
        "a code that is valid for longer than a day counts as valid for a day",
        arguments: ["86401", "31536000", "1e300"]
    )
    func longLifetime(seconds: String) throws {
        let text = """
            {"device_code": "d", "user_code": "u", "verification_uri": "https://id.example/", "expires_in": \(seconds)}
            """
        let object = try #require(JSONValue(parsing: Array(text.utf8)).object)
        let response = try DeviceAuthorizationResponse(object, allowsLoopbackHTTP: false)
        #expect(response.lifetime == .seconds(86_400))
    }

    @Test("a device login that cannot succeed fails before the buyer sees a code")
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
                let error = await failure { try await world.provider.deviceAuthorization(options) }
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
}

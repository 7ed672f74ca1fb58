import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

@Suite("Login defaults of the configuration")
struct LoginDefaultsTests {
    /// The query of the authorization URL with an entry of the configuration file.
    private func query(_ members: JSONObject, _ options: LoginOptions = LoginOptions()) async throws -> [String: String]
    {
        var query: [(String, String)] = []
        try await FakeWorld.run { world in
            var entry: JSONObject = [
                "kind": .string("openid"), "issuer": .string(world.fake.origin), "clientID": .string("client-1"),
                "redirectURI": .string("https://app.example/cb"), "allowsLoopbackHTTP": .bool(true),
                "timeout": .integer(60),
            ]
            for member in members.members { entry[member.name] = member.value }
            let root: JSONObject = ["providers": .object(["any": .object(entry)])]
            let registry = try ProviderRegistry(
                try IdentityConfiguration(json: JSONValue.object(root).serialized, environmentVariables: [:]),
                factories: [OpenIDProviderFactory()],
                environment: world.environment
            )
            let request = try await registry.provider(named: "any").authorizationRequest(options)
            query = (FormEncoding.decode(Array((request.url.query ?? "").utf8)) ?? [])
        }
        return Dictionary(query) { $1 }
    }

    private func refusal(_ members: JSONObject, _ options: LoginOptions = LoginOptions()) async throws -> IdentityError?
    {
        await failure { try await query(members, options) }
    }

    private static let everything: JSONObject = [
        "prompt": .string("login consent"), "maxAge": .integer(300),
        "acrValues": .array([.string("phr"), .string("urn:x:2")]),
        "uiLocales": .array([.string("fr-CA"), .string("fr")]), "loginHint": .string("ada@example.com"),
        "authorizationParameters": .object(["audience": .string("https://api.example/ä"), "a.b-c_d": .string("1")]),
    ]

    @Test("the configuration file sets parameters of the authorization request")
    func configured() async throws {
        let query = try await query(Self.everything)
        #expect(query["prompt"] == "login consent")
        #expect(query["max_age"] == "300")
        #expect(query["acr_values"] == "phr urn:x:2")
        #expect(query["ui_locales"] == "fr-CA fr")
        #expect(query["login_hint"] == "ada@example.com")
        #expect(query["audience"] == "https://api.example/ä")
        #expect(query["a.b-c_d"] == "1")
    }

    @Test("the options of one login replace the defaults member by member")
    func replaced() async throws {
        var options = LoginOptions()
        options.prompt = "none"
        options.locale = "de"
        options.authenticationContexts = ["phrh"]
        options.additionalParameters = [("audience", "other"), ("resource", "r")]
        let query = try await query(Self.everything, options)
        #expect(query["prompt"] == "none")
        #expect(query["max_age"] == "300")
        #expect(query["acr_values"] == "phrh")
        #expect(query["ui_locales"] == "de")
        #expect(query["login_hint"] == "ada@example.com")
        #expect(query["audience"] == "other")
        #expect(query["resource"] == "r")
        #expect(query["a.b-c_d"] == "1")
    }

    @Test("with a configured max_age, an ID token without auth_time or with too old an auth_time is refused")
    func maximumAge() async throws {
        try await FakeWorld.run {
            $0.loginDefaults.maximumAge = .seconds(60)
        } _: { world in
            let now = Int(world.clock.now.timeIntervalSince1970)
            // 60 seconds more are permitted, because the clocks may differ.
            let cases: [(age: Int?, code: IdentityError.Code?)] = [
                (nil, .idTokenAuthentication), (121, .idTokenAuthentication), (119, nil),
            ]
            for (age, code) in cases {
                world.fake.change(claims: { $0["auth_time"] = age.map { .integer(now - $0) } })
                #expect(await world.refusal()?.code == code, "age \(age ?? -1)")
            }
        }
    }

    @Test("a device login uses the login defaults too")
    func device() async throws {
        try await FakeWorld.run {
            $0.loginDefaults.prompt = "consent"
            $0.loginDefaults.additionalParameters = [("audience", "x")]
        } _: { world in
            _ = try await world.provider.deviceAuthorization(LoginOptions())
            let request = try #require(world.fake.requests(to: "/device").first)
            let fields = Dictionary(FormEncoding.decode(request.body) ?? []) { $1 }
            #expect(fields["prompt"] == "consent")
            #expect(fields["audience"] == "x")
        }
    }

    static let protocolNames = [
        "client_id", "response_type", "scope", "state", "redirect_uri", "nonce", "code_challenge",
        "code_challenge_method", "request", "request_uri", "response_mode", "dpop_jkt", "client_secret",
        "client_assertion", "client_assertion_type", "grant_type", "code", "code_verifier", "refresh_token",
        "device_code", "State", "STATE", "client.id", "redirect.uri",
    ]

    @Test(
        "a protocol parameter is refused in the configuration file, with the member's path",
        arguments: protocolNames
    )
    func protocolParameter(name: String) async throws {
        let error = try await refusal(["authorizationParameters": .object([name: .string("x")])])
        #expect(error?.code == .configurationInvalid)
        #expect(error?.message.contains("providers.any.authorizationParameters.\(name) ") == true)
    }

    @Test("a protocol parameter is refused in the options of one login", arguments: protocolNames)
    func protocolParameterOfLogin(name: String) async throws {
        var options = LoginOptions()
        options.additionalParameters = [(name, "x")]
        let error = try await refusal([:], options)
        #expect(error?.code == .configurationInvalid)
        #expect(error?.message.contains("\"\(name)\"") == true)
    }

    @Test(
        "an authorization parameter that has its own configuration member is refused, and the hint names that member",
        arguments: [
            ("prompt", "prompt"), ("max_age", "maxAge"), ("acr_values", "acrValues"), ("ui_locales", "uiLocales"),
            ("login_hint", "loginHint"),
        ]
    )
    func ownMember(name: String, member: String) async throws {
        let error = try await refusal(["authorizationParameters": .object([name: .string("x")])])
        #expect(error?.hint?.contains("member \(member),") == true)
        var options = LoginOptions()
        options.additionalParameters = [(name, "1")]
        #expect(try await refusal([:], options)?.code == .configurationInvalid)
    }

    @Test(
        "the parameter claims is refused if it requests what the SDK would not check in the ID token",
        arguments: ["claims", "Claims"]
    )
    func claims(name: String) async throws {
        let value = #"{"id_token":{"acr":{"essential":true}}}"#
        let error = try await refusal(["authorizationParameters": .object([name: .string(value)])])
        #expect(error?.message.contains("providers.any.authorizationParameters.\(name) ") == true)
        #expect(error?.hint?.contains("acrValues and maxAge") == true)
        for value in [value, #"{"id_token":{"auth_time":null}}"#, "acr", #"{"id_token":"acr"}"#] {
            var options = LoginOptions()
            options.additionalParameters = [(name, value)]
            #expect(try await refusal([:], options)?.code == .configurationInvalid)
        }
        var other = LoginOptions()
        other.additionalParameters = [(name, #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#)]
        #expect(try await refusal([:], other) == nil)
    }

    @Test(
        "an invalid or unknown login default is an error with the member's path",
        arguments: [
            ("prompt", .string("none login")), ("prompt", .string("login  consent")), ("prompt", .string(" login")),
            ("prompt", .array([.string("login")])), ("prompt", .string("é")), ("maxAge", .integer(-1)),
            ("maxAge", .string("300")), ("maxAge", .integer(31_536_001)), ("acrValues", .string("phr")),
            ("acrValues", .array([])), ("acrValues", .array([.string("a b")])), ("uiLocales", .string("de")),
            ("uiLocales", .array([.string("de_DE")])), ("loginHint", .string("")), ("loginHint", .string("a\nb")),
            ("authorizationParameters", .string("a=b")), ("promt", .string("login")),
        ] as [(String, JSONValue)]
    )
    func badValue(member: String, value: JSONValue) async throws {
        let error = try await refusal([member: value])
        #expect(error?.code == .configurationInvalid)
        #expect(error?.message.contains("providers.any.\(member) ") == true, "\(error?.message ?? "accepted")")
    }

    @Test(
        "an invalid name or value in authorizationParameters is an error with the member's path",
        arguments: [("a b", .string("x")), ("", .string("x")), ("a[]", .string("x")), ("a", .integer(1))]
            as [(String, JSONValue)]
    )
    func badParameter(name: String, value: JSONValue) async throws {
        let error = try await refusal(["authorizationParameters": .object([name: value])])
        #expect(error?.code == .configurationInvalid)
        #expect(error?.message.contains("providers.any.authorizationParameters.") == true)
    }

    @Test("description and mirror do not show the login hint and the values of further parameters")
    func description() {
        var defaults = LoginDefaults()
        defaults.loginHint = "ada@example.com"
        defaults.additionalParameters = [("a", "hidden-value")]
        #expect(!"\(defaults)".contains("ada") && !String(reflecting: defaults).contains("hidden-value"))
        #expect(Mirror(reflecting: defaults).children.isEmpty)
    }
}

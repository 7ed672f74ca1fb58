import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import Testing

@Suite("Pushed authorization requests")
struct PushedAuthorizationTests {
    private static func answer(_ changes: (inout JSONObject) -> Void = { _ in }, status: Int = 201) -> LoopbackResponse
    {
        var object: JSONObject = [
            "request_uri": .string("urn:request:1 2".replacing(" ", with: "%")), "expires_in": .integer(60),
        ]
        changes(&object)
        return FakeProvider.json(object, status: status)
    }

    private static func offer(_ world: FakeWorld, isRequired: Bool = false) {
        let url = world.fake.origin + "/par"
        world.fake.change(metadata: {
            $0["pushed_authorization_request_endpoint"] = .string(url)
            $0["require_pushed_authorization_requests"] = .bool(isRequired)
        })
    }

    @Test("the authenticated client pushes the request first, and the browser gets only client_id and request_uri")
    func push() async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        try await FakeWorld.run {
            $0.pushesAuthorizationRequest = true
            $0.authentication = .privateKeyJWT(key)
            $0.usesDPoP = true
        } _: { world in
            Self.offer(world)
            world.fake.change(answer: { $0["token_type"] = .string("DPoP") })
            world.fake.intercept { request in
                guard request.path == "/par" else { return nil }
                guard ObservedProof.nonce(in: request) == "n" else {
                    return .message(
                        status: 400,
                        headers: [("DPoP-Nonce", "n")],
                        body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)
                    )
                }
                return Self.answer()
            }
            var options = LoginOptions()
            options.loginHint = "ada@example.com"
            let request = try await world.begin(options)
            #expect(
                request.url.text
                    == world.fake.origin + "/authorize?client_id=client-1&request_uri=urn%3Arequest%3A1%252"
            )
            _ = try await world.provider.exchange(try world.callback(request), for: request.attempt)
            let pushed = world.fake.requests(to: "/par")
            #expect(pushed.count == 2)
            let fields = Dictionary(try #require(pushed.last).formFields(), uniquingKeysWith: { _, _ in "twice" })
            #expect(
                fields.keys.sorted() == [
                    "client_assertion", "client_assertion_type", "client_id", "code_challenge", "code_challenge_method",
                    "dpop_jkt", "login_hint", "nonce", "redirect_uri", "response_type", "scope", "state",
                ]
            )
            #expect(fields["state"] == request.attempt.state.reveal())
            #expect(fields["dpop_jkt"] == (try ObservedProof(try #require(pushed.last), from: world)).thumbprint)
            let assertions = (pushed + world.fake.requests(to: "/token")).compactMap { request in
                request.formFields().first { $0.0 == "client_assertion" }?.1
            }
            #expect(assertions.count == 3)
            #expect(Set(assertions).count == 3)
        }
    }

    @Test(
        "a request is pushed if the metadata require it, but not only because they list the endpoint",
        arguments: [true, false]
    )
    func choice(isRequired: Bool) async throws {
        try await FakeWorld.run { world in
            Self.offer(world, isRequired: isRequired)
            world.fake.replace("/par", by: Self.answer())
            let query = try #require(try await world.begin().url.query)
            #expect(query.contains("request_uri=") == isRequired)
            #expect(query.contains("state=") != isRequired)
            #expect(world.fake.requests(to: "/par").count == (isRequired ? 1 : 0))
        }
    }

    @Test("an option that a form cannot carry is a configuration error, and nothing is pushed")
    func nul() async throws {
        try await FakeWorld.run { world in
            Self.offer(world, isRequired: true)
            world.fake.replace("/par", by: Self.answer())
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.begin(LoginOptions(loginHint: "ada\0@example.com"))
            }
            #expect(error?.kind == .configuration)
            #expect(error?.message.contains("NUL") == true)
            #expect(world.fake.requests(to: "/par").isEmpty)
        }
    }

    @Test("a login fails if the provider or the app requires PAR and there is no endpoint", arguments: [true, false])
    func missing(isChosen: Bool) async throws {
        try await FakeWorld.run {
            $0.pushesAuthorizationRequest = isChosen
        } _: { world in
            world.fake.change(metadata: { $0["require_pushed_authorization_requests"] = .bool(!isChosen) })
            #expect(await world.refusal()?.code == .unsupportedByProvider)
        }
    }

    @Test("a reference with a long lifetime is accepted")
    func longLifetime() async throws {
        try await FakeWorld.run {
            $0.pushesAuthorizationRequest = true
        } _: { world in
            Self.offer(world)
            world.fake.replace("/par", by: Self.answer { $0["expires_in"] = .integer(1_000_000) })
            _ = try await world.begin()
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackResponse
        var kind = IdentityError.Kind.rejected
        var code = IdentityError.Code.unexpectedResponse
    }

    static let cases: [Case] = [
        Case(testDescription: "200", response: answer(status: 200)),
        Case(testDescription: "no reference", response: answer({ $0["request_uri"] = nil })),
        Case(testDescription: "empty reference", response: answer({ $0["request_uri"] = .string("") })),
        Case(testDescription: "blank in reference", response: answer({ $0["request_uri"] = .string("urn:a b") })),
        Case(
            testDescription: "long reference",
            response: answer({ $0["request_uri"] = .string(String(repeating: "a", count: 4097)) })
        ),
        Case(testDescription: "no lifetime", response: answer({ $0["expires_in"] = nil })),
        Case(testDescription: "lifetime 0", response: answer({ $0["expires_in"] = .integer(0) })),
        Case(testDescription: "lifetime as words", response: answer({ $0["expires_in"] = .string("60 s") })),
        Case(
            testDescription: "invalid_request",
            response: FakeProvider.json(["error": .string("invalid_request")], status: 400),
            kind: .configuration,
            code: .invalidRequest
        ),
        Case(
            testDescription: "invalid_client",
            response: FakeProvider.json(["error": .string("invalid_client")], status: 401),
            kind: .configuration,
            code: .invalidClient
        ),
        Case(
            testDescription: "access_denied",
            response: FakeProvider.json(["error": .string("access_denied")], status: 400),
            code: .accessDenied
        ),
        Case(
            testDescription: "login_required",
            response: FakeProvider.json(["error": .string("login_required")], status: 400),
            kind: .signInAgain,
            code: .loginRequired
        ),
        Case(
            testDescription: "503 that blames the request",
            response: FakeProvider.json(["error": .string("invalid_request")], status: 503),
            kind: .retryLater,
            code: .providerUnavailable
        ),
        Case(
            testDescription: "429 that blames the request",
            response: FakeProvider.json(["error": .string("invalid_request")], status: 429),
            kind: .retryLater,
            code: .providerUnavailable
        ),
        Case(testDescription: "413", response: .message(status: 413), kind: .configuration, code: .invalidRequest),
        Case(testDescription: "503", response: .message(status: 503), kind: .retryLater, code: .providerUnavailable),
        Case(testDescription: "429", response: .message(status: 429), kind: .retryLater, code: .providerUnavailable),
        Case(
            testDescription: "page",
            response: .message(status: 404, body: Array("<html>".utf8)),
            kind: .retryLater,
            code: .unexpectedResponse
        ),
        Case(
            testDescription: "redirect",
            response: .message(status: 307, headers: [("Location", "https://evil.example/")]),
            code: .redirectRefused
        ),
    ]

    @Test("an invalid response to a pushed request fails the login with its reason", arguments: cases)
    func answers(_ example: Case) async throws {
        try await FakeWorld.run {
            $0.pushesAuthorizationRequest = true
        } _: { world in
            Self.offer(world)
            world.fake.replace("/par", by: example.response)
            let error = try #require(await world.refusal())
            #expect(error.code == example.code)
            #expect(error.kind == example.kind)
            #expect(world.fake.requests(to: "/token").isEmpty)
        }
    }
}

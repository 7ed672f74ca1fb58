import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Testing

@Suite("Clients that the provider refuses")
struct ClientRefusalTests {
    private static func answer(_ status: Int, _ error: String?) -> LoopbackResponse {
        guard let error else { return .message(status: status, body: Array("<html>".utf8)) }
        return FakeProvider.json(["error": .string(error)], status: status)
    }

    private static func audiences(_ fake: FakeProvider, _ path: String) throws -> [String?] {
        try fake.requests(to: path).map { request in
            let assertion = try #require(request.formFields().first { $0.0 == "client_assertion" }?.1)
            return try SignedText(assertion).claims["aud"]?.string
        }
    }

    @Test(
        "an assertion has only the configured audience, which is the same at every endpoint",
        arguments: ClientAuthentication.AssertionAudience.allCases
    )
    func audience(_ audience: ClientAuthentication.AssertionAudience) async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key, audience: audience)
            $0.pushesAuthorizationRequest = true
        } _: { world in
            let origin = world.fake.origin
            world.fake.change(metadata: {
                $0["revocation_endpoint"] = .string(origin + "/revoke")
                $0["pushed_authorization_request_endpoint"] = .string(origin + "/par")
            })
            world.fake.replace(
                "/par",
                by: FakeProvider.json(["request_uri": .string("urn:x"), "expires_in": .integer(60)], status: 201)
            )
            world.fake.replace("/revoke", by: .message(status: 200))
            let tokens = try await world.login()
            _ = try await world.provider.refresh(tokens)
            try await world.provider.revoke(tokens)
            let expected: [String?] = [audience == .issuer ? origin : origin + "/token"]
            #expect(try Self.audiences(world.fake, "/par") == expected)
            #expect(try Self.audiences(world.fake, "/token") == expected + expected)
            #expect(try Self.audiences(world.fake, "/revoke") == expected)
        }
    }

    @Test("without the token endpoint that the assertion needs as its audience, a revocation sends no request")
    func noTokenEndpoint() async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key, audience: .tokenEndpoint)
        } _: { world in
            let origin = world.fake.origin
            let tokens = try await world.login()
            world.fake.change(metadata: {
                $0["revocation_endpoint"] = .string(origin + "/revoke")
                $0["token_endpoint"] = nil
            })
            world.clock.advance(by: .seconds(3600))
            let error = await #expect(throws: IdentityError.self) { try await world.provider.revoke(tokens) }
            #expect(error?.code == .unsupportedByProvider)
            #expect(world.fake.requests(to: "/revoke").isEmpty)
        }
    }

    @Test(
        "401 and 403 to an assertion are configuration errors at every endpoint, and the hint names the audience",
        arguments: [401, 403],
        [nil, "", "invalid_client", "invalid_request", "invalid_token", "unauthorized_client"] as [String?]
    )
    func refusedAssertion(status: Int, error name: String?) async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        for audience in ClientAuthentication.AssertionAudience.allCases {
            try await FakeWorld.run {
                $0.authentication = .privateKeyJWT(key, audience: audience)
            } _: { world in
                let origin = world.fake.origin
                let tokens = try await world.login()
                world.fake.change(metadata: {
                    $0["revocation_endpoint"] = .string(origin + "/revoke")
                    $0["pushed_authorization_request_endpoint"] = .string(origin + "/par")
                    $0["require_pushed_authorization_requests"] = .bool(true)
                })
                let login = try await world.begin()
                for path in ["/par", "/token", "/revoke"] {
                    world.fake.replace(path, by: Self.answer(status, name))
                }
                let exchange = try world.callback(login)
                var errors = [
                    await #expect(throws: IdentityError.self) {
                        try await world.provider.exchange(exchange, for: login.attempt)
                    },
                    await #expect(throws: IdentityError.self) { try await world.provider.refresh(tokens) },
                ]
                world.clock.advance(by: .seconds(3600))
                errors += [
                    await #expect(throws: IdentityError.self) { try await world.provider.revoke(tokens) },
                    await #expect(throws: IdentityError.self) { try await world.begin() },
                ]
                for error in errors {
                    #expect(error?.kind == .configuration)
                    #expect(
                        error?.code
                            == (name == "unauthorized_client" && status == 403 ? .unauthorizedClient : .invalidClient)
                    )
                    #expect(error?.hint?.contains("clientAssertionAudience") == true)
                    #expect(
                        error?.hint?.contains("set clientAssertionAudience to tokenEndpoint") == (audience == .issuer)
                    )
                    #expect(error?.providerResponse?.status == status)
                }
            }
        }
    }

    @Test(
        "with an assertion, other errors keep their kind, and the hint does not name the audience",
        arguments: [
            (401, "invalid_grant", "sign_in_again"), (403, "invalid_grant", "sign_in_again"),
            (401, "use_dpop_nonce", "retry_later"), (401, "server_error", "retry_later"),
            (401, "invalid_scope", "configuration"), (400, "invalid_request", "retry_later"),
            (503, "invalid_client", "retry_later"), (429, "invalid_client", "retry_later"),
        ]
    )
    func otherNames(status: Int, name: String, kind: String) async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
        } _: { world in
            let tokens = try await world.login()
            world.fake.replace("/token", by: Self.answer(status, name))
            let error = await #expect(throws: IdentityError.self) { try await world.provider.refresh(tokens) }
            #expect(error?.kind.rawValue == kind)
            #expect(error?.hint?.contains("clientAssertionAudience") == false)
        }
    }

    @Test("an HTML page with status 401 counts as an outage if the client sends no assertion")
    func otherMethods() async throws {
        try await FakeWorld.run {
            $0.authentication = .secretPost(Secret("s"))
        } _: { world in
            let tokens = try await world.login()
            world.fake.replace("/token", by: Self.answer(401, nil))
            let error = await #expect(throws: IdentityError.self) { try await world.provider.refresh(tokens) }
            #expect(error?.kind == .retryLater)
        }
    }

    @Test(
        "the hint names client_secret_basic_verbatim only if form-encoding changes the credentials",
        arguments: [
            (.secretBasic(Secret("p+w")), "client-1", true), (.secretBasic(Secret("plain")), "client:1", true),
            (.secretBasic(Secret("plain-1._~")), "client-1", false), (.secretPost(Secret("p+w")), "client-1", false),
            (.secretBasic(Secret("p+w"), encoding: .verbatimForNonconformingProvider), "client-1", false),
        ] as [(ClientAuthentication, String, Bool)],
        [(400, "invalid_client"), (401, "invalid_client"), (400, "unauthorized_client"), (401, "unauthorized_client")]
    )
    func formEncoding(
        client: (authentication: ClientAuthentication, id: String, isAdvised: Bool),
        answer: (status: Int, error: String)
    ) async throws {
        try await FakeWorld.run {
            $0.authentication = client.authentication
            $0.clientID = client.id
        } _: { world in
            world.fake.replace("/token", by: Self.answer(answer.status, answer.error))
            let error = await world.refusal()
            #expect(error?.kind == .configuration)
            #expect(error?.code.rawValue == (answer.status == 401 ? "invalid_client" : answer.error))
            #expect(error?.hint?.contains("client_secret_basic_verbatim") == client.isAdvised)
            #expect(error?.hint?.contains("p+w") == false)
        }
    }
}

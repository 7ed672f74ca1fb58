import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

@Suite("Messages about refusals of ordinary providers")
struct ProviderMessageTests {
    private static func error(_ name: String, _ status: Int = 400, _ description: String = "") -> LoopbackResponse {
        FakeProvider.json(["error": .string(name), "error_description": .string(description)], status: status)
    }

    private static func offersPushedRequests(_ world: FakeWorld) {
        let url = world.fake.origin + "/par"
        world.fake.change(metadata: { $0["pushed_authorization_request_endpoint"] = .string(url) })
    }

    @Test(
        "the hint for invalid_request in a callback names pushedAuthorization if metadata list the endpoint and nothing was pushed"
    )
    func pushedRequestsRequired() async throws {
        for (isOffered, isPushed) in [(true, false), (false, false), (true, true)] {
            try await FakeWorld.run {
                $0.pushesAuthorizationRequest = isPushed
            } _: { world in
                if isOffered { Self.offersPushedRequests(world) }
                world.fake.replace(
                    "/par",
                    by: FakeProvider.json(["request_uri": .string("urn:x"), "expires_in": .string("60")], status: 201)
                )
                let request = try await world.begin()
                let nonce = try #require(request.attempt.nonce).reveal()
                let state = request.attempt.state.reveal()
                let callback = try LoginCallback(
                    form: Array("error=invalid_request&error_description=PAR+\(nonce)+\(state)&state=\(state)".utf8)
                )
                let error = await #expect(throws: IdentityError.self) {
                    try await world.provider.exchange(callback, for: request.attempt)
                }
                #expect(error?.code == .authorizationRefused)
                let namesTheSetting = error?.hint?.contains("set pushedAuthorization (kind openid")
                #expect(namesTheSetting == (isOffered && !isPushed))
                // Values that went through the browser are redacted.
                #expect(error?.providerResponse?.errorDescription == "PAR … …")
            }
        }
    }

    @Test(
        "401 with unauthorized_client, or with invalid_request at PAR, counts as a failed client authentication",
        arguments: [
            ("/token", 401, "unauthorized_client", "invalid_client"),
            ("/token", 401, "invalid_client", "invalid_client"),
            ("/token", 400, "unauthorized_client", "unauthorized_client"),
            ("/token", 403, "unauthorized_client", "unauthorized_client"),
            ("/token", 401, "invalid_request", "invalid_request"), ("/token", 401, "invalid_grant", "invalid_grant"),
            ("/token", 401, "use_dpop_nonce", "dpop_proof_refused"),
            ("/par", 401, "invalid_request", "invalid_client"), ("/par", 400, "invalid_request", "invalid_request"),
            ("/par", 401, "unauthorized_client", "invalid_client"), ("/par", 401, "invalid_grant", "invalid_grant"),
        ]
    )
    func failedAuthentication(path: String, status: Int, name: String, code: String) async throws {
        try await FakeWorld.run {
            $0.authentication = .secretPost(Secret("wrong-secret"))
            $0.pushesAuthorizationRequest = path == "/par"
        } _: { world in
            Self.offersPushedRequests(world)
            world.fake.replace(path, by: Self.error(name, status, "Authentication failed with wrong-secret."))
            let error = try #require(await world.refusal())
            #expect(error.code.rawValue == code)
            if code == "invalid_client" {
                #expect(error.kind == .configuration)
                #expect(error.message.contains("rejected its authentication"))
                #expect(error.hint?.contains("clientSecret") == true)
            }
            #expect(error.providerResponse?.error == name)
            #expect(error.providerResponse?.errorDescription == "Authentication failed with ….")
            #expect(error.providerResponse?.status == status)
        }
    }

    @Test(
        "the hint for a refused client names its authentication method if the metadata do not list it",
        arguments: [(["private_key_jwt"], true), (["private_key_jwt", "client_secret_post"], false), (nil, false)]
            as [([String]?, Bool)]
    )
    func unlistedMethod(listed: [String]?, isAdvised: Bool) async throws {
        try await FakeWorld.run {
            $0.authentication = .secretPost(Secret("wrong-secret"))
        } _: { world in
            world.fake.change(metadata: {
                $0["token_endpoint_auth_methods_supported"] = listed.map { .array($0.map { .string($0) }) }
            })
            world.fake.replace("/token", by: Self.error("invalid_client", 401))
            let hint = try #require(await world.refusal()?.hint)
            #expect(hint.contains("client_secret_post, which the provider's metadata do not list") == isAdvised)
        }
    }

    @Test("the hint for a refused token request names dpop if the metadata list DPoP algorithms and no proof was sent")
    func requiredDPoP() async throws {
        for name in ["invalid_grant", "invalid_request", "invalid_dpop_proof", "something_else"] {
            for (isListed, isUsed) in [(true, false), (false, false), (true, true)] {
                try await FakeWorld.run {
                    $0.usesDPoP = isUsed
                } _: { world in
                    if isListed {
                        world.fake.change(metadata: {
                            $0["dpop_signing_alg_values_supported"] = .array([.string("ES256")])
                        })
                    }
                    world.fake.replace("/token", by: Self.error(name))
                    let hint = try #require(await world.refusal()?.hint)
                    let advice = "set dpop (in Swift: usesDPoP) to true"
                    #expect(hint.contains(advice) == (isListed && !isUsed), "\(name): \(hint)")
                }
            }
        }
    }

    @Test(
        "the hint for a refused token request says to compare the clocks only if a DPoP proof or an assertion was sent"
    )
    func clocks() async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        let cases: [(ClientAuthentication, Bool, Bool)] = [
            (.none, true, true), (.privateKeyJWT(key), false, true), (.secretPost(Secret("secret")), false, false),
        ]
        for (authentication, usesDPoP, isAdvised) in cases {
            for (status, name) in [(400, "invalid_request"), (401, "invalid_client"), (400, "proof_is_not_active")] {
                try await FakeWorld.run {
                    $0.authentication = authentication
                    $0.usesDPoP = usesDPoP
                } _: { world in
                    world.fake.replace("/token", by: Self.error(name, status))
                    let hint = try #require(await world.refusal()?.hint)
                    #expect(hint.lowercased().contains("compare this machine's clock") == isAdvised, "\(name): \(hint)")
                }
            }
        }
    }

    @Test("the hint about clocks mentions a proof only if the request had one, and an assertion beside it")
    func clockOfProofAndAssertion() async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
            $0.usesDPoP = true
        } _: { world in
            world.fake.change(answer: { $0["token_type"] = .string("DPoP") })
            let tokens = try await world.login()
            var bearer = tokens
            bearer.dpopKey = nil
            world.fake.replace("/token", by: Self.error("invalid_request"))
            for (tokens, hasProof) in [(tokens, true), (bearer, false)] {
                let error = await #expect(throws: IdentityError.self) { try await world.provider.refresh(tokens) }
                #expect(error?.hint?.contains("assertion with a time") == true)
                #expect(error?.hint?.contains("DPoP proof with a time") == hasProof)
            }
        }
    }

    @Test("the error of a refused assertion names the assertion, and the hint names the members to check")
    func refusedAssertion() async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        for (status, name) in [(400, "invalid_client"), (401, "invalid_client"), (401, "unauthorized_client")] {
            try await FakeWorld.run {
                $0.authentication = .privateKeyJWT(key)
            } _: { world in
                world.fake.replace("/token", by: Self.error(name, status))
                let error = try #require(await world.refusal())
                #expect(error.code == .invalidClient)
                #expect(error.message.contains("rejected its assertion"))
                for member in ["clientKey,", "clientKeyID", "clientKeyAlgorithm", "clock"] {
                    #expect(error.hint?.contains(member) == true, "\(member)")
                }
                #expect(error.hint?.contains("clientSecret") == false)
            }
        }
    }

    @Test("the error for an ID token from the future says by how many seconds, and the hint says to compare the clocks")
    func future() async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: { $0["iat"] = .integer(1_790_000_093) })
            let error = try #require(await world.refusal())
            #expect(error.code == .idTokenTime)
            #expect(error.message == "The ID token was issued 93 seconds in the future.")
            #expect(error.hint?.contains("Compare the clocks") == true)
        }
    }

    @Test(
        "the error for a refused algorithm names it and the accepted ones; the hint names `algorithms` if it could be added"
    )
    func algorithm() async throws {
        let forge = try TokenSigner(.es384)
        try await FakeWorld.run { world in
            world.fake.rotate(to: forge, publishing: true)
            let error = try #require(await world.refusal())
            #expect(error.code == .idTokenAlgorithm)
            #expect(error.message == "The ID token has the `alg` ES384; accepted: ES256.")
            #expect(error.hint?.contains("add it to `algorithms`") == true)
        }
        // The hint does not propose HS256 or none, and text that is no algorithm name is not shown.
        for (name, shown) in [("HS256", "HS256"), ("x y\n", "…"), ("none", "none")] {
            let token = try forge.token { $0["alg"] = .string(name) }
            let error = #expect(throws: IdentityError.self) {
                let jwt = try JSONWebToken(parsing: token)
                return try IDTokenValidator.validate(jwt, keys: forge.keySet(), expecting: TokenSigner.expectations())
            }
            #expect(error?.message.contains("has the `alg` \(shown); accepted: RS256, ") == true)
            #expect(error?.hint?.contains("`algorithms`") == false)
        }
    }

    @Test("if the metadata address returns 404, the error names the address, and the hint names the member issuer")
    func missingMetadata() async throws {
        try await FakeWorld.run { world in
            let path = "/.well-known/openid-configuration"
            world.fake.replace(path, by: .message(status: 404))
            let error = try #require(await world.refusal())
            #expect(error.kind == .configuration)
            #expect(error.message.contains(world.fake.origin + path + " (HTTP 404)"))
            #expect(error.hint?.contains("Check issuer in") == true)
            #expect(error.hint?.contains("shopDomain") == false)
        }
    }

    @Test(
        "the hint for a client key in an unsupported form has the command that converts the key",
        arguments: [
            ("EC PRIVATE KEY", "SEC1"), ("RSA PRIVATE KEY", "PKCS#1"), ("ENCRYPTED PRIVATE KEY", "encrypted"),
        ]
    )
    func keyForms(label: String, name: String) {
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        for prefix in ["", parameters] {
            let pem = "\(prefix)-----BEGIN \(label)-----\nc2VjcmV0\n-----END \(label)-----\n"
            let error = #expect(throws: IdentityError.self) { try ClientKey(Secret(pem)) }
            #expect(error?.message.contains(name) == true)
            #expect(error?.hint?.contains("openssl pkcs8 -topk8 -nocrypt") == true)
            #expect(error.map { "\($0)".contains("c2VjcmV0") } == false)
        }
    }

    @Test(
        "the error of a refused device authorization request does not call it a token request",
        arguments: [(400, "invalid_request"), (400, "something_else"), (400, "server_error"), (503, "")]
    )
    func deviceRequest(status: Int, name: String) async throws {
        try await FakeWorld.run { world in
            world.fake.replace("/device", by: Self.error(name, status))
            let error = await #expect(throws: IdentityError.self) {
                try await world.provider.deviceAuthorization(LoginOptions())
            }
            #expect(error?.message.contains("device authorization request") == true)
            #expect(error?.message.contains("token request") == false)
        }
    }

    @Test("the error for metadata of another issuer contains the expected and the received issuer")
    func issuerMismatch() async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { $0["issuer"] = .string("https://other.example") })
            let error = try #require(await world.refusal())
            #expect(error.code == .discoveryIssuerMismatch)
            #expect(error.hint?.contains(world.fake.origin) == true)
            #expect(error.providerResponse?.error == "https://other.example")
        }
    }
}

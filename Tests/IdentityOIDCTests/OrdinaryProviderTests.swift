import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

@Suite("Settings of ordinary providers")
struct OrdinaryProviderTests {
    /// The claims of a good signed UserInfo response.
    private static func userInfo(_ world: FakeWorld) -> JSONObject {
        [
            "iss": .string(world.fake.origin), "aud": .string("client-1"), "sub": .string("buyer-1"),
            "given_name": .string("Grace"),
        ]
    }

    private static func serve(_ token: String, _ world: FakeWorld) {
        let headers = [("Content-Type", "application/jwt;charset=UTF-8")]
        world.fake.replace("/userinfo", by: .message(status: 200, headers: headers, body: Array(token.utf8)))
    }

    @Test(
        "a signed UserInfo response is verified with the provider's keys, also with an algorithm that only UserInfo uses"
    )
    func signedUserInfo() async throws {
        let other = try TokenSigner(.edDSA)
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            Self.serve(try world.fake.forge.token(Self.userInfo(world)).reveal(), world)
            #expect(try await world.provider.buyerProfile(for: tokens).givenName == "Grace")
            world.fake.rotate(to: other, publishing: true)
            world.fake.change(metadata: { $0["userinfo_signing_alg_values_supported"] = .array([.string("Ed25519")]) })
            world.clock.advance(by: .seconds(3601))
            Self.serve(try other.token(Self.userInfo(world)).reveal(), world)
            #expect(try await world.provider.buyerProfile(for: tokens).givenName == "Grace")
        }
    }

    @Test("a signed UserInfo response with another issuer, audience, subject, key, type or time is refused")
    func forgedUserInfo() async throws {
        let attacker = try TokenSigner(.es256)
        let lies: [(IdentityError.Code, @Sendable (inout JSONObject) -> Void)] = [
            (.idTokenIssuer, { $0["iss"] = .string("https://evil.example") }), (.idTokenIssuer, { $0["iss"] = nil }),
            (.idTokenAudience, { $0["aud"] = .string("client-2") }), (.idTokenAudience, { $0["aud"] = nil }),
            (.idTokenAudience, { $0["aud"] = .array([.string("client-1"), .string("client-2")]) }),
            (.idTokenSubject, { $0["sub"] = .string("buyer-2") }), (.idTokenSubject, { $0["sub"] = nil }),
            (.idTokenTime, { $0["exp"] = .integer(1_789_999_000) }),
            (.idTokenTime, { $0["iat"] = .integer(1_790_000_100) }),
        ]
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            func refusal(_ token: Secret) async -> IdentityError? {
                Self.serve(token.reveal(), world)
                return await #expect(throws: IdentityError.self) {
                    _ = try await world.provider.buyerProfile(for: tokens)
                }
            }
            let forge = world.fake.forge
            for (code, lie) in lies {
                var claims = Self.userInfo(world)
                lie(&claims)
                #expect(await refusal(try forge.token(claims))?.code == code)
            }
            #expect(await refusal(try attacker.token(Self.userInfo(world)))?.code == .idTokenSignature)
            let typed = try forge.token(Self.userInfo(world)) { $0["typ"] = .string("at+jwt") }
            #expect(await refusal(typed)?.code == .idTokenMalformed)
            #expect(await refusal(Secret("no token"))?.code == .idTokenMalformed)
        }
    }

    @Test("a signed UserInfo response may name the new issuer in a session of the old one, if both are configured")
    func movedUserInfo() async throws {
        let old = "https://old.example"
        for isListed in [true, false] {
            try await FakeWorld.run(
                { if isListed { $0.acceptedIssuers = .exactly([$0.issuer, old]) } }
            ) { world in
                var tokens = try await world.login()
                tokens.buyer.issuer = old
                let session = tokens
                Self.serve(try world.fake.forge.token(Self.userInfo(world)).reveal(), world)
                if isListed {
                    let buyer = try await world.provider.buyerProfile(for: session)
                    #expect(buyer.givenName == "Grace" && buyer.issuer == old)
                } else {
                    let error = await #expect(throws: IdentityError.self) {
                        _ = try await world.provider.buyerProfile(for: session)
                    }
                    #expect(error?.code == .issuerChanged)
                }
            }
        }
    }

    @Test("an encrypted UserInfo response is refused with a message that says so")
    func encryptedUserInfo() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            Self.serve("eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d", world)
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.buyerProfile(for: tokens)
            }
            #expect(error?.code == .unsupportedByProvider)
            #expect(error?.kind == .configuration)
            #expect(error?.message.contains("encrypted") == true)
            #expect(error?.hint?.contains("userinfo_encrypted_response_alg") == true)
        }
    }

    @Test(
        "a further audience is accepted if trusted; otherwise the error names it, and the hint names `trustedAudiences`"
    )
    func furtherAudiences() async throws {
        for trusted in [[], ["account"], ["account", "https://api.example/v1"]] {
            try await FakeWorld.run {
                $0.trustedAudiences = trusted
            } _: { world in
                world.fake.change(claims: {
                    $0["aud"] = .array([.string("account"), .string("client-1"), .string("https://api.example/v1")])
                })
                let error = await world.refusal()
                guard trusted.count < 2 else {
                    #expect(error == nil)
                    // A trusted audience does not replace the client id.
                    world.fake.change(claims: { $0["aud"] = .string("account") })
                    #expect(await world.refusal()?.message.contains("(account)") == true)
                    world.fake.change(claims: {
                        $0["aud"] = .array([.string("account"), .string("client-1")])
                        $0["azp"] = .string("account")
                    })
                    #expect(await world.refusal()?.code == .idTokenAudience)
                    return
                }
                #expect(error?.code == .idTokenAudience)
                #expect(error?.message.contains("https://api.example/v1)") == true)
                #expect(error?.message.contains("account") == trusted.isEmpty)
                #expect(error?.hint?.contains("trustedAudiences") == true)
            }
        }
    }

    @Test("expires_in as text of digits is accepted in token, device and pushed-request responses")
    func lifetimesAsText() async throws {
        try await FakeWorld.run {
            $0.pushesAuthorizationRequest = true
        } _: { world in
            let url = world.fake.origin + "/par"
            world.fake.change(metadata: { $0["pushed_authorization_request_endpoint"] = .string(url) })
            world.fake.replace(
                "/par",
                by: FakeProvider.json(["request_uri": .string("urn:x"), "expires_in": .string("60")], status: 201)
            )
            world.fake.change(answer: { $0["expires_in"] = .string("1800") })
            let tokens = try await world.login()
            #expect(tokens.expiresAt == world.clock.now + 1800)
            world.fake.change(deviceResponse: {
                $0["expires_in"] = .string("300")
                $0["interval"] = .string("9")
            })
            let device = try await world.provider.deviceAuthorization(LoginOptions())
            #expect(device.lifetime == .seconds(300))
            #expect(device.interval == .seconds(9))
        }
    }

    @Test("a device login sends PKCE where configured: the challenge with the request, its verifier with each poll")
    func devicePKCE() async throws {
        for isConfigured in [true, false] {
            try await FakeWorld.run {
                $0.usesPKCEForDeviceLogin = isConfigured
            } _: { world in
                let device = try await world.provider.deviceAuthorization(LoginOptions())
                world.fake.script(
                    "/token",
                    [FakeProvider.json(["error": .string("authorization_pending")], status: 400)]
                )
                _ = try await world.provider.poll(device)
                _ = try await world.provider.poll(device)
                let asked = try #require(world.fake.requests(to: "/device").first).formFields()
                let polls = world.fake.requests(to: "/token").map { $0.formFields() }
                let verifiers = polls.map { fields in fields.first { $0.0 == "code_verifier" }?.1 }
                #expect(polls.count == 2)
                guard isConfigured else {
                    #expect(!asked.contains { $0.0.hasPrefix("code_challenge") })
                    #expect(verifiers == [nil, nil])
                    return
                }
                let verifier = try #require(verifiers.first ?? nil)
                #expect(verifiers == [verifier, verifier])
                let challenge = Base64URL.encode(try Digest.sha256(Array(verifier.utf8)))
                #expect(asked.first { $0.0 == "code_challenge" }?.1 == challenge)
                #expect(asked.first { $0.0 == "code_challenge_method" }?.1 == "S256")
            }
        }
    }

    @Test("Ed25519 and EdDSA are one algorithm: in the token, in the key's alg and in `algorithms`")
    func ed25519() async throws {
        let names = ["Ed25519", "EdDSA"]
        let forge = try TokenSigner(.edDSA)
        for configured in names {
            for keyName in names {
                try await FakeWorld.run {
                    $0.algorithms = [configured]
                } _: { world in
                    world.fake.rotate(to: forge, publishing: true)
                    var jwk = forge.jwkMembers
                    jwk["alg"] = .string(keyName)
                    world.fake.replace("/jwks", by: FakeProvider.json(["keys": .array([.object(jwk)])]))
                    // The fake provider computes at_hash with SHA-256, but Ed25519 needs SHA-512.
                    world.fake.change(claims: { $0["at_hash"] = nil })
                    for tokenName in names {
                        world.fake.change(answer: { answer in
                            // Signs the ID token again with `tokenName` as its alg.
                            let claims = (answer["id_token"]?.string).flatMap { try? SignedText($0).claims.object }
                            let token = try? forge.token(claims ?? [:]) { $0["alg"] = .string(tokenName) }
                            answer["id_token"] = token.map { .string($0.reveal()) }
                        })
                        #expect(await world.refusal() == nil, "\(configured) \(keyName) \(tokenName)")
                    }
                }
            }
        }
    }

    @Test(
        "an Ed25519 client key signs under the name that is configured, or that the provider lists",
        arguments: [
            (nil, ["Ed25519"], "Ed25519"), (nil, ["EdDSA", "Ed25519"], "EdDSA"), (nil, nil, "EdDSA"),
            ("Ed25519", ["EdDSA"], "Ed25519"), ("EdDSA", ["Ed25519"], "EdDSA"),
        ] as [(String?, [String]?, String)]
    )
    func clientKey(chosen: String?, listed: [String]?, used: String) async throws {
        // The private key of RFC 8037 appendix A.1.
        let jwk =
            #"{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","#
            + #""x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let key = try ClientKey(Secret(jwk), algorithm: chosen)
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
        } _: { world in
            world.fake.change(metadata: {
                $0["token_endpoint_auth_signing_alg_values_supported"] = listed.map { .array($0.map { .string($0) }) }
            })
            _ = try await world.login()
            let fields = try #require(world.fake.requests(to: "/token").first).formFields()
            let text = try SignedText(try #require(fields.first { $0.0 == "client_assertion" }?.1))
            #expect(text.header["alg"]?.string == used)
        }
    }
}

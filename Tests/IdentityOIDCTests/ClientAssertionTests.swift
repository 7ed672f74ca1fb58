import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Testing

@Suite("private_key_jwt")
struct ClientAssertionTests {
    private static let pem = Secret(ClientKeys.p256)

    private static func jwk(_ changes: (inout JSONObject) -> Void = { _ in }) -> Secret {
        var object = ClientKeys.rsa
        changes(&object)
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    /// Header and claims of an assertion, whose signature has been checked with a public key.
    private static func read(_ assertion: String, by key: VerificationKey) throws -> (JSONValue, JSONValue) {
        let text = try SignedText(assertion)
        #expect(text.isSigned(by: key))
        return (text.header, text.claims)
    }

    private static func rsaKey() throws -> VerificationKey {
        try .rsa(
            modulus: try #require((ClientKeys.rsa["n"]?.string).flatMap { Base64URL.decode($0) }),
            exponent: [1, 0, 1]
        )
    }

    @Test(
        "every token request has a newly signed assertion whose only audience is the issuer, and no client secret"
    )
    func assertions() async throws {
        let key = try ClientKey(Self.jwk(), keyID: "key-1", algorithm: "PS256")
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
        } _: { world in
            _ = try await world.provider.refresh(try await world.login())
            let requests = world.fake.requests(to: "/token")
            var ids: Set<String> = []
            for request in requests {
                let fields = Dictionary(request.formFields(), uniquingKeysWith: { _, _ in "twice" })
                #expect(request.header("Authorization") == nil)
                #expect(fields["client_secret"] == nil)
                #expect(fields["client_id"] == "client-1")
                #expect(fields["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
                let (header, claims) = try Self.read(try #require(fields["client_assertion"]), by: try Self.rsaKey())
                #expect(header == .object(["kid": .string("key-1"), "alg": .string("PS256")]))
                #expect(claims.object?.members.map(\.name).sorted() == ["aud", "exp", "iat", "iss", "jti", "sub"])
                #expect(claims["iss"]?.string == "client-1")
                #expect(claims["sub"]?.string == "client-1")
                #expect(claims["aud"]?.string == world.fake.origin)
                let now = Int(world.clock.now.timeIntervalSince1970)
                // The assertion is accepted if the two clocks differ by up to 30 seconds, and it is valid for 60 seconds.
                #expect(claims["iat"]?.number?.integer == now - 30)
                #expect(claims["exp"]?.number?.integer == now + 30)
                let id = try #require(claims["jti"]?.string)
                #expect(Base64URL.decode(id)?.count == 16)
                ids.insert(id)
            }
            #expect(ids.count == 2)
        }
    }

    @Test(
        "the signature algorithm comes from the configuration, else the key's alg, else the provider's list, else the key type",
        arguments: [
            (nil, nil, nil, "RS256"), (nil, nil, ["PS256", "ES256"], "PS256"), (nil, nil, ["ES256"], "RS256"),
            (nil, nil, ["PS256", "RS256"], "RS256"), (nil, "PS384", ["RS256"], "PS384"),
            ("PS512", "PS384", ["RS256"], "PS512"),
        ] as [(String?, String?, [String]?, String)]
    )
    func algorithm(chosen: String?, own: String?, listed: [String]?, used: String) async throws {
        let key = try ClientKey(Self.jwk { $0["alg"] = own.map { .string($0) } }, algorithm: chosen)
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
        } _: { world in
            world.fake.change(metadata: {
                $0["token_endpoint_auth_signing_alg_values_supported"] =
                    listed.map { .array($0.map { .string($0) }) }
            })
            _ = try await world.login()
            let fields = try #require(world.fake.requests(to: "/token").first).formFields()
            let assertion = try #require(fields.first { $0.0 == "client_assertion" }?.1)
            let (header, _) = try Self.read(assertion, by: try Self.rsaKey())
            #expect(header == .object(["alg": .string(used)]))
        }
    }

    @Test("an unsuitable client key is a configuration error with a hint")
    func badKeys() throws {
        #expect(try ClientKey(Self.pem).keyID == nil)
        #expect(try ClientKey(Self.jwk { $0["kid"] = .string("own") }).keyID == "own")
        #expect(try ClientKey(Self.jwk { $0["kid"] = .string("own") }, keyID: "given").keyID == "given")
        let bad: [() throws -> ClientKey] = [
            { try ClientKey(Self.pem, algorithm: "RS256") }, { try ClientKey(Self.pem, algorithm: "none") },
            { try ClientKey(Self.jwk(), algorithm: "HS256") },
            { try ClientKey(Self.jwk { $0["alg"] = .string("ES256") }) },
            { try ClientKey(Self.jwk { $0["use"] = .string("enc") }) }, { try ClientKey(Self.jwk { $0["d"] = nil }) },
            { try ClientKey(Self.jwk { $0["key_ops"] = .array([.string("verify")]) }) },
            { try ClientKey(Self.jwk { $0["oth"] = .array([]) }) },
            { try ClientKey(Self.jwk { $0["kid"] = .integer(1) }) },
            { try ClientKey(Self.jwk { $0["n"] = $0["d"] }) }, { try ClientKey(Secret("")) },
            { try ClientKey(Secret(#"{"kty":"oct","k":"c2VjcmV0"}"#)) },
            { try ClientKey(Secret("-----BEGIN PRIVATE KEY-----")) },
        ]
        for (index, make) in bad.enumerated() {
            let error = #expect(throws: IdentityError.self, "\(index)") { try make() }
            #expect(error?.code == .configurationInvalid)
        }
        #expect(!"\(try ClientKey(Self.jwk()))".contains("RSA"))
    }

    @Test("an error about the algorithm of a client key names the member that has the wrong algorithm")
    func badAlgorithms() throws {
        let member = "clientKeyAlgorithm (in Swift: algorithm)"
        let cases: [(message: String, member: String, make: () throws -> ClientKey)] = [
            (
                "The algorithm HS256 of the client key is not supported.", member,
                { try ClientKey(Self.jwk(), algorithm: "HS256") }
            ),
            (
                "The client key does not support the algorithm RS256.", member,
                { try ClientKey(Self.pem, algorithm: "RS256") }
            ),
            (
                "The client key does not support the algorithm ES256.", "alg in the JWK",
                { try ClientKey(Self.jwk { $0["alg"] = .string("ES256") }) }
            ),
        ]
        for (message, member, make) in cases {
            let error = #expect(throws: IdentityError.self) { try make() }
            #expect(error?.message == message)
            let instruction = message.contains("is not supported") ? "Set \(member) to one of " : "correct \(member)."
            #expect(error?.hint?.contains(instruction) == true)
        }
    }

    @Test(
        "the configured authentication method is used even if the metadata do not list it; the hint for a refusal names it"
    )
    func unlistedMethod() async throws {
        let key = try ClientKey(Self.pem)
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
        } _: { world in
            world.fake.change(metadata: {
                $0["token_endpoint_auth_methods_supported"] = .array([.string("client_secret_basic")])
            })
            _ = try await world.login()
            #expect(
                world.fake.requests(to: "/token").last?.formFields().contains { $0.0 == "client_assertion" } == true
            )
            world.fake.replace("/token", by: FakeProvider.json(["error": .string("invalid_client")], status: 401))
            let error = try #require(await world.refusal())
            #expect(error.code == .invalidClient)
            #expect(error.kind == .configuration)
            #expect(error.hint?.contains("private_key_jwt") == true)
        }
    }
}

import IdentityKit
import IdentityOIDC
import IdentitySandbox
import TestDoubles
import Testing

/// The modules of `oidcc-client-test-plan` that are in no certification plan and apply to the code flow, in their order.
@Suite("OpenID conformance suite: modules of the comprehensive plan")
struct ComprehensivePlanTests {
    /// The module `oidcc-client-test-missing-aud`.
    @Test("an ID token without aud is refused")
    func missingAudience() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenAudience, .claim("aud", nil)) }
    }

    /// The module `oidcc-client-test-invalid-sig-hs256`.
    @Test("an ID token that is signed with HS256 is refused, also if the signature is valid")
    func invalidSignatureHS256() async throws {
        let metadata = SandboxFault.member("id_token_signing_alg_values_supported", .array([.string("HS256")]))
        try await CertificationModule.run(.init(metadata: metadata)) { module in
            try await module.refusesLogin(.idTokenAlgorithm, .signature(.hmac(key: Array("another secret".utf8))))
            // HS256 with the correct secret is refused too, because a client secret never verifies a signature (decision 4).
            let secret = try #require(module.openID.configuration.clientSecret)
            try await module.refusesLogin(.idTokenAlgorithm, .hmac(clientSecret: secret))
        }
    }

    /// The module `oidcc-client-test-invalid-sig-es256`.
    @Test("an ID token with an invalid ES256 signature is refused, and one with a valid signature is accepted")
    func invalidSignatureES256() async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.algorithm = .es256
        try await CertificationModule.run(.init(openID: openID)) { module in
            try await module.refusesLogin(.idTokenSignature, .signature(.corrupted))
            try await module.acceptsLogin()
        }
    }

    /// The module `oidcc-client-test-userinfo-bearer-header`.
    @Test("the access token is sent to UserInfo in the Authorization header and not in the body")
    func bearerHeader() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            _ = try await module.sessions.buyerProfile(for: session.id)
            let token = try await module.sessions.tokens(for: session.id).tokens.accessToken.reveal()
            let request = try #require(module.openID.requests(to: .api).first)
            #expect(request.header("authorization") == "Bearer " + token)
            #expect(!request.bodyText.contains(token))
        }
    }

    /// The module `oidcc-client-test-userinfo-signed`.
    @Test("a signed UserInfo response is accepted only with a known key, the issuer and this client as audience")
    func signedUserInfo() async throws {
        let pair = try SandboxKeyPair()
        let keys = SandboxFault.editJSON { document in
            let published = document["keys"]?.array ?? []
            document["keys"] = .array(published + [.object(pair.publicKey.jwk(keyID: "userinfo"))])
        }
        try await CertificationModule.run(.init(keys: keys)) { module in
            let session = try await module.login()
            func answer(signedWith keyID: String, issuer: String, audience: String) {
                module.openID.planFault(
                    .edit { answer in
                        var claims = (try? JSONValue(parsing: answer.body))?.object ?? [:]
                        claims["iss"] = .string(issuer)
                        claims["aud"] = .string(audience)
                        answer = SandboxResponse(
                            status: 200,
                            headers: [("Content-Type", "application/jwt")],
                            body: Array(pair.token(claims, header: ["kid": .string(keyID)]).utf8)
                        )
                    },
                    on: .api
                )
            }
            let (issuer, clientID) = (module.configuration.issuer, module.configuration.clientID)
            answer(signedWith: "userinfo", issuer: issuer, audience: clientID)
            #expect(try await module.sessions.buyerProfile(for: session.id).familyName == "Lovelace")
            for (keyID, issuer, audience, code) in [
                ("unknown", issuer, clientID, IdentityError.Code.idTokenKeyUnknown),
                ("userinfo", "https://evil.example", clientID, .idTokenIssuer),
                ("userinfo", issuer, "somebody-else", .idTokenAudience),
            ] {
                answer(signedWith: keyID, issuer: issuer, audience: audience)
                #expect(await failure { try await module.sessions.buyerProfile(for: session.id) }?.code == code)
            }
        }
    }

    /// The module `oidcc-client-test-aggregated-claims`.
    @Test("claims in a nested JWT of UserInfo (aggregated claims) are ignored")
    func aggregatedClaims() async throws {
        let attacker = try SandboxKeyPair()
        try await CertificationModule.run { module in
            let claims: JSONObject = ["family_name": .string("Mallory")]
            let sources: JSONObject = ["a": .object(["JWT": .string(attacker.token(claims))])]
            module.openID.planFault(.claimSources(sources, of: "family_name"), on: .api)
            let buyer = try await module.loginAndUserInfo()
            #expect(buyer.familyName == "Lovelace")
        }
    }

    /// The module `oidcc-client-test-distributed-claims`.
    @Test("claims at another server (distributed claims) are ignored, and that server gets no request")
    func distributedClaims() async throws {
        let listener = try await SandboxListener.start()
        try await CertificationModule.run { module in
            let source: JSONObject = [
                "endpoint": .string(listener.origin + "/claims"), "access_token": .string("of-another-service"),
            ]
            module.openID.planFault(.claimSources(["a": .object(source)], of: "family_name"), on: .api)
            let buyer = try await module.loginAndUserInfo()
            #expect(buyer.familyName == "Lovelace")
        }
        #expect(listener.requests.isEmpty)
        await listener.stop()
    }
}

extension SandboxFault {
    /// UserInfo that refers to another claims provider (OpenID Connect Core section 5.6.2).
    fileprivate static func claimSources(_ sources: JSONObject, of claim: String) -> SandboxFault {
        .editJSON { object in
            object["_claim_names"] = .object(JSONObject(dictionaryLiteral: (claim, .string("a"))))
            object["_claim_sources"] = .object(sources)
        }
    }
}

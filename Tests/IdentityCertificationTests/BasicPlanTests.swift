import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

/// The modules of `oidcc-client-basic-certification-test-plan`, in their order.
@Suite("OpenID conformance suite: the plan Basic RP")
struct BasicPlanTests {
    @Test("oidcc-client-test")
    func plain() async throws {
        try await CertificationModule.run { try await $0.acceptsLogin() }
    }

    @Test("oidcc-client-test-invalid-iss")
    func invalidIssuer() async throws {
        try await CertificationModule.run {
            try await $0.refusesLogin(.idTokenIssuer, .claim("iss", appending: "1"))
        }
    }

    @Test("oidcc-client-test-missing-sub")
    func missingSubject() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenSubject, .claim("sub", nil)) }
    }

    @Test("oidcc-client-test-invalid-aud")
    func invalidAudience() async throws {
        try await CertificationModule.run {
            try await $0.refusesLogin(.idTokenAudience, .claim("aud", appending: "1"))
        }
    }

    @Test("oidcc-client-test-missing-iat")
    func missingIssuedAt() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenTime, .claim("iat", nil)) }
    }

    @Test("oidcc-client-test-kid-absent-single-jwks")
    func keyIDAbsentSingleKey() async throws {
        try await CertificationModule.run(.init(keys: .keysWithout("kid"))) { module in
            try await module.acceptsLogin(.tokenHeader("kid", nil))
        }
    }

    @Test("oidcc-client-test-kid-absent-multiple-jwks")
    func keyIDAbsentSeveralKeys() async throws {
        let keys = try SandboxMisbehaviour.certificationKeys().and(.keysWithout("kid"))
        try await CertificationModule.run(.init(keys: keys)) { module in
            try await module.acceptsLogin(.tokenHeader("kid", nil))
        }
    }

    @Test("oidcc-client-test-idtoken-sig-rs256")
    func signatureRS256() async throws {
        try await CertificationModule.run(.init(client: { $0.algorithms = ["RS256"] })) { module in
            try await module.acceptsLogin()
        }
    }

    @Test("oidcc-client-test-idtoken-sig-none")
    func signatureNone() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenAlgorithm, .unsigned()) }
    }

    @Test("oidcc-client-test-invalid-sig-rs256")
    func invalidSignatureRS256() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenSignature, .signature(.corrupted)) }
    }

    @Test("oidcc-client-test-userinfo-invalid-sub")
    func invalidUserInfoSubject() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            module.openID.misbehave(
                .editJSON { object in
                    object["sub"] = (object["sub"]?.string).map { .string($0 + "invalid") }
                    object["given_name"] = .string("Mallory")
                },
                on: .api
            )
            let error = await #expect(throws: IdentityError.self) {
                _ = try await module.sessions.buyerProfile(for: session.id)
            }
            #expect(error?.code == .idTokenSubject)
            #expect(try await module.sessions.session(session.id).buyer == session.buyer)
        }
    }

    @Test("oidcc-client-test-nonce-invalid")
    func invalidNonce() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenNonce, .claim("nonce", appending: "1")) }
    }

    @Test("oidcc-client-test-scope-userinfo-claims")
    func scopes() async throws {
        try await CertificationModule.run(.init(client: { $0.scopes = ["openid", "profile", "email", "phone"] })) {
            module in
            let buyer = try await module.loginAndUserInfo()
            #expect(buyer.givenName == "Ada")
            #expect(buyer.familyName == "Lovelace")
            #expect(buyer.email?.value == "ada@example.com")
            #expect(buyer.phone?.value == "+14155550123")
            let scope = module.openID.requests(to: .authorization).first?.queryValue("scope")
            #expect(scope == "openid profile email phone")
        }
    }

    @Test("oidcc-client-test-client-secret-basic")
    func clientSecretBasic() async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.clientID = "client:with%signs"
        openID.clientSecret = "sécret +/=&:%"
        let metadata = SandboxMisbehaviour.member(
            "token_endpoint_auth_methods_supported",
            .array([.string("client_secret_basic")])
        )
        try await CertificationModule.run(.init(openID: openID, metadata: metadata)) { module in
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .token).allSatisfy { $0.header("authorization") != nil })
        }
    }
}

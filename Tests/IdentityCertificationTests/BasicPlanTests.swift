import IdentityKit
import IdentityOIDC
import IdentitySandbox
import TestDoubles
import Testing

/// The modules of `oidcc-client-basic-certification-test-plan`, in their order.
@Suite("OpenID conformance suite: the plan Basic RP")
struct BasicPlanTests {
    /// The module `oidcc-client-test`.
    @Test("a login succeeds, and UserInfo is read")
    func plain() async throws {
        try await CertificationModule.run { try await $0.acceptsLogin() }
    }

    /// The module `oidcc-client-test-invalid-iss`.
    @Test("an ID token of another issuer is refused")
    func invalidIssuer() async throws {
        try await CertificationModule.run {
            try await $0.refusesLogin(.idTokenIssuer, .claim("iss", appending: "1"))
        }
    }

    /// The module `oidcc-client-test-missing-sub`.
    @Test("an ID token without sub is refused")
    func missingSubject() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenSubject, .claim("sub", nil)) }
    }

    /// The module `oidcc-client-test-invalid-aud`.
    @Test("an ID token for another client is refused")
    func invalidAudience() async throws {
        try await CertificationModule.run {
            try await $0.refusesLogin(.idTokenAudience, .claim("aud", appending: "1"))
        }
    }

    /// The module `oidcc-client-test-missing-iat`.
    @Test("an ID token without iat is refused")
    func missingIssuedAt() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenTime, .claim("iat", nil)) }
    }

    /// The module `oidcc-client-test-kid-absent-single-jwks`.
    @Test("an ID token without kid is accepted if the only key of the key set verifies it")
    func keyIDAbsentSingleKey() async throws {
        try await CertificationModule.run(.init(keys: .keysWithout("kid"))) { module in
            try await module.acceptsLogin(.tokenHeader("kid", nil))
        }
    }

    /// The module `oidcc-client-test-kid-absent-multiple-jwks`.
    @Test("an ID token without kid is accepted if one of several keys verifies it")
    func keyIDAbsentSeveralKeys() async throws {
        let keys = try SandboxFault.certificationKeys().and(.keysWithout("kid"))
        try await CertificationModule.run(.init(keys: keys)) { module in
            try await module.acceptsLogin(.tokenHeader("kid", nil))
        }
    }

    /// The module `oidcc-client-test-idtoken-sig-rs256`.
    @Test("an ID token that is signed with RS256 is accepted")
    func signatureRS256() async throws {
        try await CertificationModule.run(.init(client: { $0.algorithms = ["RS256"] })) { module in
            try await module.acceptsLogin()
        }
    }

    /// The module `oidcc-client-test-idtoken-sig-none`.
    @Test("an unsigned ID token is refused")
    func signatureNone() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenAlgorithm, .unsigned()) }
    }

    /// The module `oidcc-client-test-invalid-sig-rs256`.
    @Test("an ID token with an invalid RS256 signature is refused")
    func invalidSignatureRS256() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenSignature, .signature(.corrupted)) }
    }

    /// The module `oidcc-client-test-userinfo-invalid-sub`.
    @Test("UserInfo about another subject is refused, and the session keeps its buyer")
    func invalidUserInfoSubject() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            module.openID.planFault(
                .editJSON { object in
                    object["sub"] = (object["sub"]?.string).map { .string($0 + "invalid") }
                    object["given_name"] = .string("Mallory")
                },
                on: .api
            )
            #expect(await failure { try await module.sessions.buyerProfile(for: session.id) }?.code == .idTokenSubject)
            #expect(try await module.sessions.session(session.id).buyer == session.buyer)
        }
    }

    /// The module `oidcc-client-test-nonce-invalid`.
    @Test("an ID token with another nonce is refused")
    func invalidNonce() async throws {
        try await CertificationModule.run { try await $0.refusesLogin(.idTokenNonce, .claim("nonce", appending: "1")) }
    }

    /// The module `oidcc-client-test-scope-userinfo-claims`.
    @Test("the scopes profile, email and phone are requested, and their claims are read from UserInfo")
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

    /// The module `oidcc-client-test-client-secret-basic`.
    @Test("client id and secret with special characters are form-encoded for HTTP Basic")
    func clientSecretBasic() async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.clientID = "client:with%signs"
        openID.clientSecret = "sécret +/=&:%"
        let metadata = SandboxFault.member(
            "token_endpoint_auth_methods_supported",
            .array([.string("client_secret_basic")])
        )
        try await CertificationModule.run(.init(openID: openID, metadata: metadata)) { module in
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .token).allSatisfy { $0.header("authorization") != nil })
        }
    }
}

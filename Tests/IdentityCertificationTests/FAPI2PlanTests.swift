import IdentityKit
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import Testing

/// The modules of the FAPI 2 Security Profile client plan that require more than Basic RP, in their order.
@Suite("OpenID conformance suite: the client plan of FAPI 2")
struct FAPI2PlanTests {
    private func run(_ body: (CertificationModule) async throws -> Void) async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.algorithm = .es256
        try await CertificationModule.run(.init(openID: openID, client: { $0.algorithms = ["ES256"] }), body)
    }

    /// The provider requires pushed requests and DPoP.
    private func runBound(
        nonce: SandboxOpenIDConfiguration.DPoPNonce,
        _ body: (CertificationModule) async throws -> Void
    ) async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.algorithm = .es256
        openID.pushedRequests = .required
        openID.dpop = .required
        openID.dpopNonce = nonce
        let setup = CertificationModule.Setup(
            openID: openID,
            client: {
                $0.algorithms = ["ES256"]
                $0.usesDPoP = true
            }
        )
        try await CertificationModule.run(setup, body)
    }

    /// The module `fapi2-security-profile-final-client-test-happy-path`.
    @Test("a login with PAR, PKCE and DPoP with a nonce succeeds")
    func happyPath() async throws {
        for nonce in [SandboxOpenIDConfiguration.DPoPNonce.demanded, .rotating] {
            try await runBound(nonce: nonce) { module in
                try await module.acceptsLogin(userInfoRequests: 2)
                #expect(module.openID.violations.isEmpty)
                #expect(module.openID.requests(to: .pushedRequest).last?.header("DPoP") != nil)
            }
        }
    }

    /// The module `fapi2-security-profile-final-client-test-happy-path-no-dpop-nonce`.
    @Test("a login with PAR, PKCE and DPoP without a nonce succeeds, with one request per endpoint")
    func happyPathWithoutNonce() async throws {
        try await runBound(nonce: .none) { module in
            try await module.acceptsLogin()
            #expect(module.openID.violations.isEmpty)
            #expect(module.openID.requests(to: .pushedRequest).count == 1)
            #expect(module.openID.requests(to: .token).count == 1)
        }
    }

    /// The module `fapi2-security-profile-final-client-refresh-token-test`.
    @Test("each status 401 of UserInfo causes one refresh, and no refresh token is sent twice")
    func refreshToken() async throws {
        try await runBound(nonce: .demanded) { module in
            let session = try await module.login()
            let openID = module.openID
            openID.planFault(
                .edit { if openID.counters.refreshes < 2 { $0 = SandboxResponse(status: 401) } },
                on: .api,
                times: .max
            )
            let refused = await #expect(throws: IdentityError.self) {
                _ = try await module.sessions.buyerProfile(for: session.id)
            }
            #expect(refused?.code == .accessTokenRefused)
            #expect(refused?.kind == .rejected)
            // The SDK remembers for five minutes that a refresh did not help, and does not refresh again. In the suite each call runs
            // in a separate process, which does not remember it.
            module.clock.advance(by: .seconds(301))
            #expect(try await module.sessions.buyerProfile(for: session.id).givenName == "Ada")
            let spent = openID.requests(to: .token).compactMap { $0.formValue("refresh_token") }
            #expect(Set(spent).count == 2)
            #expect(openID.counters.refreshes == 2)
            #expect(openID.counters.reusesPunished == 0)
        }
    }

    /// The module `fapi2-security-profile-final-client-test-discovery-issuer-mismatch`.
    @Test("metadata of another issuer stop the login before the browser is redirected")
    func discoveryIssuerMismatch() async throws {
        try await run { module in
            try module.publish(metadata: .editJSON { $0["issuer"] = .string("https://other.example") })
            try await module.refusesLogin(.discoveryIssuerMismatch, tokenRequests: 0)
            #expect(module.openID.requests(to: .authorization).isEmpty)
        }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-authorization-response-iss`.
    @Test("a callback with another iss is refused before the code is sent")
    func invalidResponseIssuer() async throws {
        try await run { module in
            try await module.refusesLogin(.responseIssuerMismatch, tokenRequests: 0) { $0 + "1" }
        }
    }

    /// The module `fapi2-security-profile-final-client-test-remove-authorization-response-iss`.
    @Test("a callback without the iss that the metadata promise is refused before the code is sent")
    func missingResponseIssuer() async throws {
        try await run { module in
            try await module.refusesLogin(.responseIssuerMismatch, tokenRequests: 0) { $0.removingField("iss") }
        }
    }

    /// The module `fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails`.
    @Test("a callback with another state is refused before the code is sent")
    func invalidState() async throws {
        try await run { module in
            try await module.refusesLogin(.stateUnknown, tokenRequests: 0) {
                $0.removingField("state") + "&state=invalid"
            }
        }
    }

    /// The module `fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-missing-state-fails`.
    @Test("a callback without a state is refused before the code is sent")
    func missingState() async throws {
        try await run { module in
            try await module.refusesLogin(.stateInvalid, tokenRequests: 0) { $0.removingField("state") }
        }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-iss`.
    @Test("an ID token of another issuer is refused")
    func invalidIssuer() async throws {
        try await run { try await $0.refusesLogin(.idTokenIssuer, .claim("iss", appending: "1")) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-missing-iss`.
    @Test("an ID token without iss is refused")
    func missingIssuer() async throws {
        try await run { try await $0.refusesLogin(.idTokenIssuer, .claim("iss", nil)) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-aud`.
    @Test("an ID token for another client is refused")
    func invalidAudience() async throws {
        try await run { try await $0.refusesLogin(.idTokenAudience, .claim("aud", appending: "1")) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-missing-aud`.
    @Test("an ID token without aud is refused")
    func missingAudience() async throws {
        try await run { try await $0.refusesLogin(.idTokenAudience, .claim("aud", nil)) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-secondary-aud`.
    @Test("an ID token with an additional audience that is not trusted is refused")
    func secondaryAudience() async throws {
        try await run { module in
            try await module.refusesLogin(.idTokenAudience, .audienceArray(others: "https://untrusted.example"))
        }
    }

    /// The module `fapi2-security-profile-final-client-test-valid-aud-as-array`.
    @Test("an ID token with this client as the only element of an aud array is accepted")
    func audienceAsArray() async throws {
        try await run { try await $0.acceptsLogin(.audienceArray()) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-expired-exp`.
    @Test("an expired ID token is refused")
    func expired() async throws {
        try await run { module in
            // The token was also issued earlier, so that only its expiry is invalid.
            let old = SandboxFault.shiftClaim("exp", by: -3660).and(.shiftClaim("iat", by: -3660))
            try await module.refusesLogin(.idTokenTime, old)
        }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-missing-exp`.
    @Test("an ID token without exp is refused")
    func missingExpiry() async throws {
        try await run { try await $0.refusesLogin(.idTokenTime, .claim("exp", nil)) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-nonce`.
    @Test("an ID token with another nonce is refused")
    func invalidNonce() async throws {
        try await run { try await $0.refusesLogin(.idTokenNonce, .claim("nonce", appending: "1")) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-missing-nonce`.
    @Test("an ID token without a nonce is refused")
    func missingNonce() async throws {
        try await run { try await $0.refusesLogin(.idTokenNonce, .claim("nonce", nil)) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-null-alg`.
    @Test("an unsigned ID token is refused")
    func nullAlgorithm() async throws {
        try await run { try await $0.refusesLogin(.idTokenAlgorithm, .unsigned()) }
    }

    /// The module `fapi2-security-profile-final-client-test-invalid-alternate-alg`.
    @Test("an ID token with a valid signature of an algorithm that is not accepted is refused")
    func alternateAlgorithm() async throws {
        // The key is published and the signature is valid: only the algorithm is not accepted.
        let pair = try SandboxKeyPair(.rsa(bits: 2048), name: "alternate")
        try await run { module in
            try module.publish(keys: .additionalKey(pair.publicKey.jwk(keyID: "alternate", use: "sig")))
            try await module.refusesLogin(
                .idTokenAlgorithm,
                .signature(.keyPair(pair)).and(.tokenHeader("kid", .string("alternate")))
            )
        }
    }

    /// The module `fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in`.
    @Test("a token response without expires_in is accepted")
    func withoutLifetime() async throws {
        try await run { try await $0.acceptsLogin(.withoutMembers("expires_in")) }
    }

    /// The module `fapi2-security-profile-final-client-test-token-type-case-insensitivity`.
    @Test("the token type Bearer is accepted in upper and lower case")
    func tokenTypeCase() async throws {
        try await run { module in
            for type in ["bearer", "BEARER", "bEaReR"] {
                try await module.acceptsLogin(.member("token_type", .string(type)))
            }
        }
    }

    /// The module `fapi2-security-profile-final-client-test-rs-dpop-auth-scheme-case-insensitivity`.
    @Test("a DPoP challenge of UserInfo is understood with its scheme in upper or lower case")
    func schemeCase() async throws {
        try await runBound(nonce: .demanded) { module in
            let session = try await module.login()
            module.openID.expireDPoPNonces()
            module.openID.planFault(
                .edit { answer in
                    for index in answer.headers.indices where answer.headers[index].value.hasPrefix("DPoP ") {
                        answer.headers[index].value = "dpOp " + answer.headers[index].value.dropFirst(5)
                    }
                },
                on: .api
            )
            #expect(try await module.sessions.buyerProfile(for: session.id).givenName == "Ada")
            #expect(module.openID.requests(to: .api).count == 2)
            #expect(module.openID.counters.refreshes == 0)
        }
    }
}

extension String {
    func removingField(_ name: String) -> String {
        let parts = split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return self }
        let fields = parts[1].split(separator: "&").filter { !$0.hasPrefix(name + "=") }
        return parts[0] + "?" + fields.joined(separator: "&")
    }
}

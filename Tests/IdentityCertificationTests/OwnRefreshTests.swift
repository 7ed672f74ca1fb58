import IdentityKit
import IdentitySandbox
import IdentityTesting
import Testing

/// Checks of a refreshed ID token against the login's (OpenID Connect Core section 12.2), for which the suite has no module.
@Suite("Refreshed ID tokens that must be refused, beyond the conformance suite")
struct OwnRefreshTests {
    private func refuses(_ code: IdentityError.Code, _ fault: SandboxFault) async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            module.clock.advance(by: .seconds(600))
            try await module.refusesRefresh(of: session, code, fault)
        }
    }

    private func accepts(_ fault: SandboxFault) async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            module.clock.advance(by: .seconds(600))
            module.openID.planFault(fault, on: .token)
            _ = try await module.sessions.refreshTokens(for: session.id)
            #expect(try await module.sessions.buyerProfile(for: session.id).givenName == "Ada")
        }
    }

    @Test("a refreshed ID token for another client is refused")
    func audience() async throws {
        try await refuses(.idTokenAudience, .claim("aud", appending: "1"))
        try await refuses(.idTokenAudience, .audienceArray(others: "another"))
    }

    @Test("a refreshed ID token with another authorized party is refused")
    func authorizedParty() async throws {
        try await refuses(.idTokenAudience, .claim("azp", .string("another")))
    }

    @Test("a refreshed ID token with another auth_time is refused")
    func authenticationTime() async throws {
        try await refuses(.idTokenAuthentication, .shiftClaim("auth_time", by: 600))
        try await refuses(.idTokenAuthentication, .shiftClaim("auth_time", by: -1))
    }

    @Test("a refreshed ID token without iat is refused")
    func missingIssuedAt() async throws {
        try await refuses(.idTokenTime, .claim("iat", nil))
    }

    @Test("a refreshed ID token is refused if it is more than 60 seconds older than its predecessor")
    func olderIssuedAt() async throws {
        // The iat is that of the login, then 60 and 61 seconds earlier. Only the last iat exceeds the permitted clock difference.
        try await accepts(.shiftClaim("iat", by: -600))
        try await accepts(.shiftClaim("iat", by: -660))
        try await refuses(.idTokenTime, .shiftClaim("iat", by: -661))
    }

    @Test("a refreshed ID token may repeat the nonce of the login, and is refused with another nonce")
    func nonce() async throws {
        try await refuses(.idTokenNonce, .claim("nonce", .string("another")))
        try await refuses(.idTokenNonce, .claim("nonce", .null))
        try await CertificationModule.run { module in
            let session = try await module.login()
            let nonce = module.openID.requests(to: .authorization).first?.queryValue("nonce")
            module.openID.planFault(.claim("nonce", nonce.map { .string($0) }), on: .token)
            _ = try await module.sessions.refreshTokens(for: session.id)
        }
    }

    @Test("a refreshed ID token that is unsigned, wrongly signed or expired is refused")
    func signature() async throws {
        try await refuses(.idTokenSignature, .signature(.corrupted))
        try await refuses(.idTokenAlgorithm, .unsigned())
        try await refuses(.idTokenAccessTokenHash, .foreignAccessTokenHash)
        try await refuses(.idTokenTime, .shiftClaim("exp", by: -3660))
    }

    @Test("a refresh response without an ID token keeps the ID token of the login")
    func withoutIDToken() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            let before = try await module.sessions.tokens(for: session.id).tokens
            module.openID.planFault(.withoutMembers("id_token"), on: .token)
            let after = try await module.sessions.refreshTokens(for: session.id).tokens
            #expect(!after.accessToken.isEqual(to: before.accessToken))
            #expect(after.idToken?.reveal() == before.idToken?.reveal())
            #expect(after.buyer == before.buyer)
            // The next ID token is compared with the one of the login.
            try await module.refusesRefresh(of: session, .idTokenSubject, .claim("sub", appending: "1"))
        }
    }
}

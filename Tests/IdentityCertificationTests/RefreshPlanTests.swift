import IdentityKit
import IdentitySandbox
import IdentityTesting
import Testing

/// The modules of `oidcc-client-refreshtoken-test-plan`, in their order.
@Suite("OpenID conformance suite: the plan for refresh tokens")
struct RefreshPlanTests {
    /// The module `oidcc-client-test-refresh-token`.
    @Test("a session with an expired access token is refreshed once, and UserInfo is read with the new one")
    func refresh() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            let before = try await module.sessions.tokens(for: session.id).tokens
            module.clock.advance(by: .seconds(3601))
            let after = try await module.sessions.tokens(for: session.id).tokens
            #expect(!after.accessToken.isEqual(to: before.accessToken))
            #expect(after.idToken.map { $0.isEqual(to: before.idToken ?? Secret("")) } == false)
            #expect(try await module.sessions.buyerProfile(for: session.id).givenName == "Ada")
            #expect(module.openID.counters.refreshes == 1)
        }
    }

    /// The module `oidcc-client-test-refresh-token-invalid-issuer`.
    @Test("a refreshed ID token of another issuer is refused")
    func invalidIssuer() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            try await module.refusesRefresh(of: session, .idTokenIssuer, .claim("iss", appending: "1"))
        }
    }

    /// The module `oidcc-client-test-refresh-token-invalid-sub`.
    @Test("a refreshed ID token with another subject is refused")
    func invalidSubject() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            try await module.refusesRefresh(of: session, .idTokenSubject, .claim("sub", appending: "1"))
        }
    }
}

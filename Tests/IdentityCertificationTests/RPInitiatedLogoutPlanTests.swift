import IdentityHTTP
import IdentityKit
import IdentitySandbox
import Testing

/// The modules of `oidcc-client-rp-initiated-logout-rp-basic`, in their order.
@Suite("OpenID conformance suite: the plan for RP-initiated logout")
struct RPInitiatedLogoutPlanTests {
    private static let returnURI = "https://app.example/signed-out"

    /// Signs in, signs out and returns the browser; the session ends before the browser returns.
    private func logout(
        _ module: CertificationModule,
        _ fault: SandboxFault? = nil
    ) async throws -> CompletedLogout {
        let session = try await module.login()
        let idToken = try await module.sessions.tokens(for: session.id).tokens.idToken?.reveal()
        if let fault { module.openID.planFault(fault, on: .logout) }
        let result = try await module.sessions.logout(session.id, options: .init(returningTo: Self.returnURI))
        #expect(try await module.sessions.sessions().isEmpty)
        let page = try #require(result.browserURL).text
        let callback = try await module.buyer.login(at: page, redirectURI: Self.returnURI)
        let request = try #require(module.openID.requests(to: .logout).last)
        #expect(request.queryValue("id_token_hint") == idToken)
        #expect(request.queryValue("post_logout_redirect_uri") == Self.returnURI)
        #expect(request.queryValue("state")?.isEmpty == false)
        return try await module.sessions.completeLogout(
            try LogoutCallback(url: callback),
            browserBinding: result.awaitedReturn?.browserBinding,
            provider: CertificationModule.name
        )
    }

    private var setup: CertificationModule.Setup {
        var openID = SandboxOpenIDConfiguration()
        openID.postLogoutRedirectURIs = [Self.returnURI]
        return .init(openID: openID)
    }

    /// The module `oidcc-client-test-rp-init-logout`.
    @Test("a logout sends hint, return address and state, and the return with this state is confirmed")
    func plain() async throws {
        try await CertificationModule.run(setup) { module in
            let logout = try await logout(module)
            #expect(logout.isConfirmed)
            #expect(logout.provider == CertificationModule.name)
            // The buyer's session at the provider has ended too.
            #expect(module.openID.counters.logouts == 1)
        }
    }

    /// The module `oidcc-client-test-rp-init-logout-other-state`.
    @Test("a return from the logout page with another state is refused")
    func otherState() async throws {
        try await CertificationModule.run(setup) { module in
            let error = await #expect(throws: IdentityError.self) {
                _ = try await logout(module, .logoutState("another"))
            }
            #expect(error?.code == .stateUnknown)
            #expect(error?.kind == .rejected)
        }
    }

    /// The module `oidcc-client-test-rp-init-logout-no-state`.
    @Test("a return from the logout page without a state is accepted, but not as confirmed")
    func noState() async throws {
        try await CertificationModule.run(setup) { module in
            let logout = try await logout(module, .logoutState(nil))
            #expect(!logout.isConfirmed)
            #expect(logout.returnPath == nil)
        }
    }
}

import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

/// `response_mode=form_post`: the error module of the comprehensive plan, and the Basic modules that apply to a posted callback.
@Suite("OpenID conformance suite: the plan Form Post RP")
struct FormPostPlanTests {
    private let setup = CertificationModule.Setup(
        asksSilentlyForFreshLogin: true,
        client: { $0.responseMode = .formPost }
    )

    /// The module `oidcc-client-test` with `response_mode=form_post`.
    @Test("a login with a posted callback succeeds, and UserInfo is read")
    func plain() async throws {
        try await CertificationModule.run(setup) { module in
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .authorization).first?.queryValue("response_mode") == "form_post")
        }
    }

    /// The module `oidcc-client-test-nonce-invalid` with `response_mode=form_post`.
    @Test("an ID token with another nonce is refused after a posted callback")
    func invalidNonce() async throws {
        try await CertificationModule.run(setup) { module in
            try await module.refusesLogin(.idTokenNonce, .claim("nonce", appending: "1"))
        }
    }

    /// The module `oidcc-client-test-form-post-error`.
    @Test("the error login_required of a posted callback is reported, and no code is exchanged")
    func error() async throws {
        try await CertificationModule.run(setup) { module in
            var options = LoginOptions()
            options.prompt = "none"
            options.maximumAge = .zero
            let error = await #expect(throws: IdentityError.self) { try await module.login(options) }
            #expect(error?.code == .loginRequired)
            #expect(error?.kind == .signInAgain)
            #expect(module.openID.requests(to: .authorization).first?.queryValue("max_age") == "0")
            #expect(module.openID.requests(to: .token).isEmpty)
            try await module.acceptsLogin()
        }
    }
}

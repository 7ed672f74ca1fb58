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

    @Test("oidcc-client-test (Form Post)")
    func plain() async throws {
        try await CertificationModule.run(setup) { module in
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .authorization).first?.queryValue("response_mode") == "form_post")
        }
    }

    @Test("oidcc-client-test-nonce-invalid (Form Post)")
    func invalidNonce() async throws {
        try await CertificationModule.run(setup) { module in
            try await module.refusesLogin(.idTokenNonce, .claim("nonce", appending: "1"))
        }
    }

    @Test("oidcc-client-test-form-post-error")
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
            // The next login succeeds.
            try await module.acceptsLogin()
        }
    }
}

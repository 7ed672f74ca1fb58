import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import Testing

@Suite("form_post")
struct FormPostTests {
    private static func asked(_ configuration: inout OpenIDProvider.Configuration) {
        configuration.responseMode = .formPost
    }

    @Test("a posted code is accepted, a code in a URL is not, and an error is read from both")
    func modes() async throws {
        try await FakeWorld.run(Self.asked) { world in
            var options = LoginOptions()
            options.prompt = "none"
            options.maximumAge = .zero
            let request = try await world.begin(options)
            let query = request.url.query ?? ""
            #expect(query.contains("&response_mode=form_post&"))
            #expect(query.contains("&prompt=none&max_age=0"))
            let state = request.attempt.state.reveal()
            func refusal(_ callback: LoginCallback) async -> IdentityError? {
                await #expect(throws: IdentityError.self) {
                    try await world.provider.exchange(callback, for: request.attempt)
                }
            }
            let error = "error=login_required&state=\(state)"
            for callback in [try LoginCallback(form: Array(error.utf8)), try LoginCallback(url: "/cb?\(error)")] {
                let refused = await refusal(callback)
                #expect(refused?.code == .loginRequired)
                #expect(refused?.kind == .signInAgain)
            }
            let inURL = try LoginCallback(url: "https://app.example/callback?code=c&state=\(state)")
            #expect(await refusal(inURL)?.code == .callbackInvalid)
            #expect(world.fake.requests(to: "/token").isEmpty)
            world.fake.change(claims: { $0["auth_time"] = $0["iat"] })
            _ = try await world.provider.exchange(try world.callback(request), for: request.attempt)
        }
    }

    @Test("a login fails before it starts if the metadata list response modes without form_post")
    func metadata() async throws {
        try await FakeWorld.run(Self.asked) { world in
            #expect(await world.refusal() == nil)
        }
        try await FakeWorld.run(Self.asked) { world in
            world.fake.change(metadata: { $0["response_modes_supported"] = .array([.string("query")]) })
            #expect(await world.refusal()?.code == .unsupportedByProvider)
        }
    }

    /// Presents the provider's response as a posted form or in a URL.
    private struct Poster: FormPostPresenting {
        let world: FakeWorld
        let posts: Bool

        func present(_ login: PresentedLogin) async throws -> String { try await presentCatchingForms(login).url }

        func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
            let url = try await login.authorizationURL(redirectURI: "https://app.example/cb")
            let fields = (FormEncoding.decode(Array((url.query ?? "").utf8)) ?? [])
            let state = fields.first { $0.0 == "state" }?.1 ?? ""
            world.fake.expect(nonce: fields.first { $0.0 == "nonce" }?.1)
            let form = "code=code-1&state=\(state)"
            guard posts else { return PresentedCallback(url: "https://app.example/cb?\(form)") }
            return PresentedCallback(url: "https://app.example/cb", form: Array(form.utf8))
        }
    }

    private struct Redirected: Presenter {
        let poster: Poster
        func present(_ login: PresentedLogin) async throws -> String { try await poster.present(login) }
    }

    @Test(
        "a login with response_mode form_post accepts the posted form, rejects a callback URL, and throws a configuration error if the presenter does not support form posts"
    )
    func presenters() async throws {
        try await FakeWorld.run(Self.asked) { world in
            let sessions = try world.manager()
            func login(_ presenter: any Presenter) async throws -> Session {
                try await LoginFlow(provider: "fake", sessions: sessions, presenter: presenter).login()
            }
            #expect(try await login(Poster(world: world, posts: true)).buyer.subject == "buyer-1")
            let byURL = await #expect(throws: IdentityError.self) {
                try await login(Poster(world: world, posts: false))
            }
            #expect(byURL?.code == .callbackInvalid)
            let unable = await #expect(throws: IdentityError.self) {
                try await login(Redirected(poster: Poster(world: world, posts: false)))
            }
            #expect(unable?.code == .configurationInvalid)
        }
    }
}

import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

/// An app with two providers, `a` and `b`, and the same client id and secret at both, for mix-up attacks.
struct TwoProviders {
    let a: Sandbox
    let b: Sandbox
    let sessions: SessionManager
    let buyer = SandboxBuyer()

    static let redirectURI = ["a": "https://app.example/callback", "b": "https://app.example/callback/any"]

    static func run(
        sharesRedirectURI: Bool = false,
        redirectURIs: [String: String] = redirectURI,
        tenant: String? = nil,
        _ body: (TwoProviders) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        var configuration = SandboxConfiguration()
        configuration.clock = clock
        let a = try await Sandbox.start(configuration)
        let b = try await Sandbox.start(configuration)
        let transport = try CurlTransport()
        let environment = IdentityEnvironment(transport: transport, clock: clock)
        let providers = try [("a", a), ("b", b)].map { name, sandbox in
            let client = sandbox.openID.configuration
            var configuration = OpenIDProvider.Configuration(
                name: name,
                issuer: sandbox.openID.issuer,
                clientID: client.clientID
            )
            configuration.authentication = .secretBasic(Secret(client.clientSecret ?? ""))
            configuration.redirectURI = redirectURIs[sharesRedirectURI ? "a" : name]
            configuration.allowsLoopbackHTTP = true
            configuration.timeout = .seconds(30)
            configuration.tenant = "shop-" + name
            return try OpenIDProvider(configuration, environment: environment)
        }
        var settings = SessionManager.Configuration()
        settings.tenant = tenant
        let sessions = SessionManager(
            providers: try ProviderRegistry(providers),
            store: InMemoryStore(),
            environment: environment,
            configuration: settings
        )
        let world = TwoProviders(a: a, b: b, sessions: sessions)
        try await cleaningUp {
            await a.stop()
            await b.stop()
            await transport.close()
        } after: {
            try await body(world)
        }
    }

    /// Begins a login and completes it at the provider.
    func callback(of name: String) async throws -> (callback: LoginCallback, binding: Secret) {
        let started = try await sessions.begin(name)
        let url = try await buyer.login(at: started.url.text, redirectURI: Self.redirectURI[name])
        return (try LoginCallback(url: url), started.browserBinding)
    }

    /// The error code of the app's callback; nil if the login completes.
    func refusal(_ callback: LoginCallback, _ binding: Secret, at name: String?) async -> IdentityError.Code? {
        do {
            _ = try await sessions.complete(callback, browserBinding: binding, provider: name)
            return nil
        } catch {
            return IdentityError.wrapping(error).code
        }
    }

    /// The error code of a callback without iss and with a code of `a`, for a login at `b`, which does not announce iss.
    func refusalWithoutIssuer(at name: String?) async throws -> IdentityError.Code? {
        b.openID.planFault(.member("authorization_response_iss_parameter_supported", .bool(false)), on: .discovery)
        let started = try await sessions.begin("b")
        let state = try #require(started.url.text.split(separator: "&").first { $0.hasPrefix("state=") })
        let callback = try LoginCallback(url: "https://app.example/callback?code=of-a&\(state)")
        return await refusal(callback, started.browserBinding, at: name)
    }

    var tokenRequests: Int {
        a.openID.requests(to: .token).count + b.openID.requests(to: .token).count
    }
}

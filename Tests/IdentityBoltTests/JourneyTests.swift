import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

@Suite("Complete logins at the sandbox's Bolt")
struct JourneyTests {
    enum Client: String, Sendable, CaseIterable {
        case confidential, publicPKCE, confidentialPKCE, discovered, sfcc
    }

    private func place(
        _ client: Client
    ) async throws -> (sandbox: Sandbox, provider: any BoltAuthorizing, environment: IdentityEnvironment) {
        let clock = ManualClock()
        var settings = SandboxConfiguration()
        settings.clock = clock
        let sandbox = try await Sandbox.start(settings)
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        let bolt = sandbox.bolt
        if client == .sfcc {
            let host = String(sandbox.sfcc.origin.dropFirst("http://".count))
            var configuration = SFCCConfiguration(name: "p", host: host, siteID: sandbox.sfcc.configuration.siteID)
            configuration.allowsLoopbackHTTP = true
            configuration.timeout = .seconds(60)
            configuration.publishableKey = bolt.configuration.publishableKey
            configuration.endpoints.api = try HTTPURL(bolt.origin)
            return (sandbox, try SFCCProvider(configuration, environment: environment), environment)
        }
        let apiKey = Secret(bolt.configuration.apiKey)
        var configuration = BoltProvider.Configuration(
            name: "p",
            environment: .sandbox,
            publishableKey: bolt.configuration.publishableKey,
            authentication: client == .publicPKCE
                ? .publicPKCE
                : client == .confidentialPKCE ? .confidentialPKCE(apiKey: apiKey) : .confidential(apiKey: apiKey)
        )
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
        configuration.endpoints.api = try HTTPURL(bolt.origin)
        if client == .discovered { configuration.endpoints.discovery = try HTTPURL(bolt.discoveryEndpoint) }
        return (sandbox, try BoltProvider(configuration, environment: environment), environment)
    }

    @Test(
        "each client type passes the provider conformance suite",
        arguments: Client.allCases,
        ProviderConformance.cases
    )
    func conformance(client: Client, testCase: ProviderConformance.Case) async throws {
        let (sandbox, provider, _) = try await place(client)
        try await cleaningUp(sandbox.stop) {
            try await testCase.run {
                .init(provider: provider, presenter: SandboxBuyer(), isRefreshable: client != .sfcc)
            }
        }
    }

    @Test("a phone's code becomes a session, which may only read after a refresh")
    func relayedCode() async throws {
        let (sandbox, provider, environment) = try await place(.confidential)
        let bolt = try #require(provider as? BoltProvider)
        let checkout = BoltCheckout()
        checkout.configure(provider: provider, presenter: SandboxBuyer())
        let result = await checkout.startLogin()
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: InMemoryStore(),
            environment: environment
        )
        let session = try await sessions.establish(try await provider.exchange(result), provider: "p")
        #expect(session.canWrite)
        let first = try await sessions.tokens(for: session.id, validFor: .seconds(60))
        let contact = try #require(try await bolt.cartClaim(for: first.tokens).contact)
        #expect(contact.email == "ada@example.com")
        #expect(contact.addresses.first?.city == "San Francisco")
        let refreshed = try await sessions.tokens(for: session.id, validFor: .seconds(3601))
        #expect(!refreshed.session.canWrite)
        #expect(throws: IdentityError.self) { try bolt.requireWrite(refreshed.tokens) }
        #expect(try await bolt.buyerProfile(for: refreshed.tokens).addresses.count == 1)
        // Bolt refuses the old token with 403 and code 18.
        let error = await #expect(throws: IdentityError.self) {
            _ = try await bolt.buyerProfile(for: first.tokens)
        }
        #expect(error?.code == .accessTokenRefused)
        #expect(error?.providerResponse?.traceID != nil)
        await sandbox.stop()
    }

    @Test("a code cannot be exchanged without the verifier of its login")
    func stolenCode() async throws {
        let (sandbox, provider, _) = try await place(.publicPKCE)
        let checkout = BoltCheckout()
        checkout.configure(provider: provider, presenter: SandboxBuyer())
        let result = await checkout.startLogin(loginConfig: BoltLoginConfig(usePkce: true))
        guard case .completed(let code, _, let state) = result else {
            Issue.record("\(result)")
            return
        }
        let error = await #expect(throws: IdentityError.self) {
            _ = try await provider.exchange(.completed(authorizationCode: code, codeVerifier: "", state: state))
        }
        #expect(error?.kind != .retryLater)
        await sandbox.stop()
    }

    @Test(
        "a forged callback with another request's code fails with PKCE, and completes the login without PKCE",
        arguments: [(Client.confidentialPKCE, false), (.publicPKCE, false), (.confidential, true), (.sfcc, true)]
    )
    func forgedCallback(client: Client, completes: Bool) async throws {
        let (sandbox, provider, _) = try await place(client)
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        // The forger knows the state of the login, and has a code of another authorization request.
        let other = try await provider.authorizationRequest(LoginOptions())
        let answer = try LoginCallback(url: try await SandboxBuyer().login(at: other.url.text, redirectURI: nil))
        let code = try await provider.authorizationCode(in: answer, for: other.attempt)
        let forged = try LoginCallback(
            url: "/callback?code=\(FormEncoding.escape(code.reveal()))&state=\(attempt.state.reveal())"
        )
        if completes {
            #expect(try await !provider.exchange(forged, for: attempt).buyer.subject.isEmpty)
        } else {
            #expect(await failure { try await provider.exchange(forged, for: attempt) }?.code == .invalidGrant)
        }
        await sandbox.stop()
    }

    @Test("every Bolt provider of the sandbox's configuration file signs in")
    func labConfiguration() async throws {
        let sandbox = try await Sandbox.start()
        let lab = sandbox.labConfiguration()
        let configuration = try IdentityConfiguration(json: lab.json.serialized, environmentVariables: lab.environment)
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let entries = configuration.providers.filter { $0.name.hasPrefix("bolt") }
        #expect(entries.map(\.name).sorted() == ["bolt", "bolt-pkce", "bolt-sfcc"])
        for (name, section) in entries {
            var section = section
            let kind = try section.string("kind")
            let factory: any ProviderFactory = kind == "bolt" ? BoltProviderFactory() : SFCCProviderFactory()
            let provider = try factory.makeProvider(named: name, from: &section, in: environment)
            try section.finish()
            let checkout = BoltCheckout()
            let authorizing = try #require(provider as? any BoltAuthorizing)
            checkout.configure(provider: authorizing, presenter: SandboxBuyer())
            let tokens = try await authorizing.exchange(await checkout.startLogin())
            #expect(!tokens.buyer.subject.isEmpty)
        }
        await sandbox.stop()
    }
}

import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

@Suite("The OpenID provider at the strict sandbox")
struct SandboxJourneyTests {
    /// All optional features together, at a provider that refuses and records every violation of a rule.
    @Test(
        "login, refresh and profile work with private_key_jwt, DPoP, PAR and form_post",
        arguments: [
            (.none, .query), (.demanded, .formPost), (.rotating, .query),
        ] as [(SandboxOpenIDConfiguration.DPoPNonce, ResponseMode)]
    )
    func everything(nonce: SandboxOpenIDConfiguration.DPoPNonce, mode: ResponseMode) async throws {
        let (sandbox, provider, sessions) = try await client { openID in
            openID.clientAuthentication = .privateKeyJWT
            openID.clientKeys = [
                [
                    "kty": .string("RSA"), "kid": .string("key-1"), "n": ClientKeys.rsa["n"] ?? .null,
                    "e": .string("AQAB"),
                ]
            ]
            openID.dpop = .required
            openID.dpopNonce = nonce
            openID.pushedRequests = .required
        } _: { configuration in
            configuration.authentication = .privateKeyJWT(
                try ClientKey(
                    Secret(bytes: JSONValue.object(ClientKeys.rsa).serialized),
                    keyID: "key-1",
                    algorithm: "PS256"
                )
            )
            configuration.scopes = ["openid", "email"]
            configuration.usesDPoP = true
            configuration.responseMode = mode
        }
        let started = try await sessions.begin("any")
        #expect(
            (FormEncoding.decode(Array((started.url.query ?? "").utf8)) ?? []).map(\.0) == ["client_id", "request_uri"]
        )
        let caught = try await SandboxBuyer().callback(at: started.url.text, redirectURI: Self.redirectURI)
        #expect((caught.body != nil) == (mode == .formPost))
        let callback = try caught.body.map { try LoginCallback(form: $0) } ?? LoginCallback(url: caught.url)
        let session = try await sessions.complete(callback, browserBinding: started.browserBinding).session
        for _ in 0..<2 { _ = try await sessions.refreshTokens(for: session.id) }
        let tokens = try await sessions.tokens(for: session.id, validFor: .seconds(1)).tokens
        #expect(tokens.tokenType.lowercased() == "dpop")
        #expect(try await provider.buyerProfile(for: tokens).email?.value == SandboxBuyerAccount.ada.email)
        #expect(sandbox.openID.violations.isEmpty)
        await sandbox.stop()
    }

    private static let redirectURI = "https://app.example/callback/any"

    /// A sandbox and its client, which has a client secret by default.
    private func client(
        _ change: (inout SandboxOpenIDConfiguration) -> Void,
        _ configure: (inout OpenIDProvider.Configuration) throws -> Void = { _ in }
    ) async throws -> (sandbox: Sandbox, provider: OpenIDProvider, sessions: SessionManager) {
        var setup = SandboxConfiguration()
        change(&setup.openID)
        let sandbox = try await Sandbox.start(setup)
        let environment = IdentityEnvironment(transport: try CurlTransport())
        var configuration = OpenIDProvider.Configuration(
            name: "any",
            issuer: sandbox.openID.issuer,
            clientID: setup.openID.clientID
        )
        configuration.authentication = .secretBasic(Secret(setup.openID.clientSecret ?? ""))
        configuration.redirectURI = Self.redirectURI
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
        try configure(&configuration)
        let provider = try OpenIDProvider(configuration, environment: environment)
        var settings = SessionManager.Configuration()
        settings.revocationTimeout = .seconds(60)
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: InMemoryStore(),
            environment: environment,
            configuration: settings
        )
        return (sandbox, provider, sessions)
    }

    @Test("a logout token ends only its session and revokes nothing; a logout in the app revokes the tokens")
    func logouts() async throws {
        let (sandbox, provider, sessions) = try await client { $0.supportsRevocation = true }
        let app = try await LoopbackServer.start { request in
            let result = await sessions.backChannelLogout(
                provider: "any",
                body: request.body,
                contentType: request.header("Content-Type")
            )
            return .message(status: result.status, headers: result.headers, body: result.body)
        }
        let buyers = [SandboxBuyerAccount.ada.email, "grace@example.com"]
        var signedIn: [SessionID] = []
        for email in buyers {
            let flow = LoginFlow(provider: "any", sessions: sessions, presenter: SandboxBuyer(email: email))
            signedIn.append(try await flow.login().id)
        }
        let sid = try #require(sandbox.openID.sessionIDs(ofBuyer: buyers[0]).first)
        let answer = try await sandbox.openID.sendLogoutToken(for: .session(sid), to: app.origin + "/logout-tokens")
        #expect(answer.status == 200)
        #expect(try await sessions.sessions().map(\.id) == [signedIn[1]])
        #expect(sandbox.openID.counters.revocations == 0)

        let tokens = try await sessions.tokens(for: signedIn[1]).tokens
        #expect(try await sessions.logout(signedIn[1]).problems.isEmpty)
        await sessions.drain()
        #expect(sandbox.openID.counters.revocations > 0)
        let refusal = await #expect(throws: IdentityError.self) { try await provider.refresh(tokens) }
        #expect(refusal?.code == .invalidGrant)
        #expect(sandbox.openID.violations.isEmpty, "\(sandbox.openID.violations)")
        await app.stop()
        await sandbox.stop()
    }

    @Test("the OpenID provider passes the conformance suite of providers", arguments: ProviderConformance.cases)
    func conformance(_ testCase: ProviderConformance.Case) async throws {
        let (sandbox, provider, _) = try await client { $0.supportsDeviceAuthorization = true }
        try await cleaningUp(sandbox.stop) {
            try await testCase.run {
                ProviderConformance.Subject(provider: provider, presenter: SandboxBuyer(), isRefreshable: true)
            }
        }
    }
}

import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

@Suite("Against a strict provider")
struct SandboxJourneyTests {
    /// Everything that can be turned on, at a provider that refuses whatever breaks a rule and keeps account of it.
    @Test(
        "login, renewal and profile break no rule of private_key_jwt, DPoP, PAR and form_post",
        arguments: [
            (.none, .query), (.demanded, .formPost), (.rotating, .query),
        ] as [(SandboxOpenIDConfiguration.DPoPNonce, ResponseMode)]
    )
    func everything(nonce: SandboxOpenIDConfiguration.DPoPNonce, mode: ResponseMode) async throws {
        var setup = SandboxConfiguration()
        setup.openID.clientAuthentication = .privateKeyJWT
        setup.openID.clientKeys = [
            ["kty": .string("RSA"), "kid": .string("key-1"), "n": ClientKeys.rsa["n"] ?? .null, "e": .string("AQAB")]
        ]
        setup.openID.dpop = .required
        setup.openID.dpopNonce = nonce
        setup.openID.pushedRequests = .required
        let sandbox = try await Sandbox.start(setup)
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let redirectURI = "https://app.example/callback/any"
        var configuration = OpenIDProvider.Configuration(
            name: "any",
            issuer: sandbox.openID.issuer,
            clientID: setup.openID.clientID
        )
        configuration.authentication = .privateKeyJWT(
            try ClientKey(
                Secret(bytes: JSONValue.object(ClientKeys.rsa).serialized),
                keyID: "key-1",
                algorithm: "PS256"
            )
        )
        configuration.redirectURI = redirectURI
        configuration.scopes = ["openid", "email"]
        configuration.provesPossession = true
        configuration.responseMode = mode
        configuration.allowsLoopbackHTTP = true
        let provider = try OpenIDProvider(configuration, environment: environment)
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: InMemoryStore(),
            environment: environment
        )

        let started = try await sessions.begin("any")
        #expect(FormFields.decode((started.url.query ?? "").utf8).map(\.0) == ["client_id", "request_uri"])
        let caught = try await SandboxBuyer().callback(at: started.url.text, redirectURI: redirectURI)
        #expect((caught.body != nil) == (mode == .formPost))
        let callback = try caught.body.map { try LoginCallback(form: $0) } ?? LoginCallback(url: caught.url)
        let session = try await sessions.complete(callback, browserBinding: started.browserBinding).session
        for _ in 0..<2 { _ = try await sessions.renewTokens(for: session.id) }
        let tokens = try await sessions.tokens(for: session.id, validFor: .seconds(1)).tokens
        #expect(tokens.tokenType.lowercased() == "dpop")
        #expect(try await provider.buyerProfile(for: tokens).email?.value == SandboxBuyerAccount.ada.email)
        #expect(sandbox.openID.violations.isEmpty)
        await sandbox.stop()
    }
}

import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

/// A module of the certification suite: the sandbox is the provider, and the complete client is tested.
///
/// At the end of each module, ``run(_:_:)`` performs the checks that the suite makes in every module.
struct CertificationModule {
    /// The settings of a module that differ from the defaults.
    struct Setup {
        var openID = SandboxOpenIDConfiguration()
        /// A change of the metadata, in addition to the changes that every module makes.
        var metadata: SandboxFault?
        /// Replaces the further keys that every module publishes beside the correct keys.
        var keys: SandboxFault?
        /// Whether `max_age=0` may be sent with `prompt=none`, which one module requires.
        var asksSilentlyForFreshLogin = false
        var observer: (any IdentityObserver)?
        var client: (inout OpenIDProvider.Configuration) -> Void = { _ in }
    }

    static let name = "op"
    static let redirectURI = "https://app.example/callback"

    let sandbox: Sandbox
    let clock: ManualClock
    let provider: OpenIDProvider
    let configuration: OpenIDProvider.Configuration
    let asksSilentlyForFreshLogin: Bool
    let sessions: SessionManager
    let buyer = SandboxBuyer()

    var openID: SandboxOpenID { sandbox.openID }

    static func run(
        _ setup: Setup = Setup(),
        _ body: (CertificationModule) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        var sandboxConfiguration = SandboxConfiguration()
        sandboxConfiguration.clock = clock
        sandboxConfiguration.openID = setup.openID
        let sandbox = try await Sandbox.start(sandboxConfiguration)
        let transport = try CurlTransport()
        let environment = IdentityEnvironment(
            transport: transport,
            clock: clock,
            observers: setup.observer.map { [$0] } ?? []
        )
        var client = OpenIDProvider.Configuration(
            name: name,
            issuer: sandbox.openID.issuer,
            clientID: setup.openID.clientID
        )
        client.authentication = setup.openID.clientSecret.map { .secretBasic(Secret($0)) } ?? .none
        client.redirectURI = redirectURI
        client.scopes = ["openid", "email", "profile"]
        client.timeout = .seconds(30)
        client.allowsLoopbackHTTP = true
        setup.client(&client)
        let provider = try OpenIDProvider(client, environment: environment)
        let module = CertificationModule(
            sandbox: sandbox,
            clock: clock,
            provider: provider,
            configuration: client,
            asksSilentlyForFreshLogin: setup.asksSilentlyForFreshLogin,
            sessions: SessionManager(
                providers: try ProviderRegistry([provider]),
                store: InMemoryStore(),
                environment: environment
            )
        )
        try module.publish(metadata: setup.metadata, keys: setup.keys)
        try await cleaningUp {
            await sandbox.stop()
            await transport.close()
        } after: {
            try await body(module)
            try module.checkEveryRequest()
        }
    }

    /// Sets the metadata and keys that the provider publishes from now on, and removes all other faults.
    func publish(metadata: SandboxFault? = nil, keys: SandboxFault? = nil) throws {
        openID.removeAllFaults()
        let odd = SandboxFault.member(
            "response_types_supported",
            .array(["id_token token code", "token id_token", "code", "id_token code"].map { .string($0) })
        )
        openID.planFault(metadata.map { odd.and($0) } ?? odd, on: .discovery, times: .max)
        openID.planFault(try keys ?? .certificationKeys(), on: .jwks, times: .max)
    }

    // MARK: Actions of the app

    /// Signs the simulated buyer in; `rewriting` is an attacker's change of the callback.
    @discardableResult
    func login(
        _ options: LoginOptions = LoginOptions(),
        rewriting rewrite: (String) -> String = { $0 }
    ) async throws -> Session {
        let started = try await sessions.begin(Self.name, options: options)
        let answer = try await buyer.callback(at: started.url.text, redirectURI: Self.redirectURI)
        #expect((answer.body == nil) == (configuration.responseMode == .query))
        let callback = try answer.body.map { try LoginCallback(form: $0) } ?? LoginCallback(url: rewrite(answer.url))
        return try await sessions.complete(
            callback,
            browserBinding: started.browserBinding,
            provider: Self.name
        ).session
    }

    /// Signs in and then requests UserInfo, as the suite's clients do.
    @discardableResult
    func loginAndUserInfo(_ options: LoginOptions = LoginOptions()) async throws -> Buyer {
        try await sessions.buyerProfile(for: try await login(options).id)
    }

    // MARK: Expectations of the suite

    /// The client must complete the login and read UserInfo, with two requests if a DPoP nonce is required first.
    func acceptsLogin(
        _ fault: SandboxFault? = nil,
        userInfoRequests: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if let fault { openID.planFault(fault, on: .token) }
        let before = openID.requests(to: .api).count
        let buyer = try await loginAndUserInfo()
        #expect(buyer.givenName == "Ada", sourceLocation: sourceLocation)
        #expect(openID.requests(to: .api).count == before + userInfoRequests, sourceLocation: sourceLocation)
    }

    /// The client must stop: no UserInfo request after an invalid token, no token request after an invalid callback, and
    /// no stored session.
    func refusesLogin(
        _ code: IdentityError.Code,
        _ fault: SandboxFault? = nil,
        tokenRequests: Int = 1,
        rewriting rewrite: (String) -> String = { $0 },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        if let fault { openID.planFault(fault, on: .token) }
        let sessionsBefore = try await sessions.sessions().count
        let (tokensBefore, callsBefore) = (openID.requests(to: .token).count, openID.requests(to: .api).count)
        let error = await #expect(throws: IdentityError.self, sourceLocation: sourceLocation) {
            let session = try await login(rewriting: rewrite)
            _ = try await sessions.buyerProfile(for: session.id)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(openID.requests(to: .token).count == tokensBefore + tokenRequests, sourceLocation: sourceLocation)
        #expect(openID.requests(to: .api).count == callsBefore, sourceLocation: sourceLocation)
        #expect(try await sessions.sessions().count == sessionsBefore, sourceLocation: sourceLocation)
    }

    /// The client must refuse the refresh.
    ///
    /// If the ID token belongs to another login, the SDK returns no token of the session; otherwise it keeps the old tokens.
    func refusesRefresh(
        of session: Session,
        _ code: IdentityError.Code,
        _ fault: SandboxFault,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await sessions.tokens(for: session.id).tokens
        let calls = openID.requests(to: .api).count
        openID.planFault(fault, on: .token)
        let error = await #expect(throws: IdentityError.self, sourceLocation: sourceLocation) {
            _ = try await sessions.refreshTokens(for: session.id)
            _ = try await sessions.buyerProfile(for: session.id)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(openID.requests(to: .api).count == calls, sourceLocation: sourceLocation)
        if Self.ofOtherLogins.contains(code) {
            // The SDK returns no more tokens of the session, and no UserInfo request follows.
            #expect(error?.isAttackSuspected == true, sourceLocation: sourceLocation)
            let again = await failure { try await sessions.tokens(for: session.id) }
            #expect(again?.code == code, sourceLocation: sourceLocation)
            let profile = await failure { try await sessions.buyerProfile(for: session.id) }
            #expect(profile?.code == code, sourceLocation: sourceLocation)
            #expect(openID.requests(to: .api).count == calls, sourceLocation: sourceLocation)
            #expect(try await sessions.session(session.id).needsLogin, sourceLocation: sourceLocation)
            return
        }
        #expect(error?.isAttackSuspected == false, sourceLocation: sourceLocation)
        let after = try await sessions.tokens(for: session.id)
        #expect(after.tokens.accessToken.isEqual(to: before.accessToken), sourceLocation: sourceLocation)
        #expect(after.outcome == .stillValid && after.reason?.code == code, sourceLocation: sourceLocation)
        #expect(after.session.buyer.subject == session.buyer.subject, sourceLocation: sourceLocation)
        #expect(!after.session.needsLogin, sourceLocation: sourceLocation)
    }

    /// The error codes that mean: the refreshed ID token belongs to another login.
    private static let ofOtherLogins: Set<IdentityError.Code> = [
        .idTokenIssuer, .idTokenSubject, .idTokenAudience, .idTokenNonce,
    ]
}

extension SandboxFault {
    /// A string claim with an appended text, which is how the suite creates wrong values.
    static func claim(_ name: String, appending suffix: String) -> SandboxFault {
        .idToken { $0.claims[name] = $0.claims[name]?.string.map { .string($0 + suffix) } }
    }
}

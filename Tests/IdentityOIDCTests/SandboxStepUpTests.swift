import Foundation
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

/// The transport of an app whose resource server is the sandbox on this machine.
private struct LocalTransport: HTTPTransport {
    let inner: CurlTransport

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        var request = request
        request.allowsLoopbackHTTP = true
        return try await inner.send(request)
    }
}

@Suite("Step-up at a strict provider")
struct SandboxStepUpTests {
    private static let redirectURI = "https://app.example/callback/any"

    private struct World {
        let sandbox: Sandbox
        let clock: ManualClock
        let sessions: SessionManager
        let buyer = SandboxBuyer()

        /// Signs in or authenticates again, as the browser of a buyer.
        func complete(_ started: StartedLogin, as buyer: SandboxBuyer? = nil) async throws -> CompletedLogin {
            let url = try await (buyer ?? self.buyer).login(
                at: started.url.text,
                redirectURI: SandboxStepUpTests.redirectURI
            )
            return try await sessions.complete(
                try LoginCallback(url: url),
                browserBinding: started.browserBinding,
                provider: "any"
            )
        }

        func refusal(_ started: StartedLogin, as buyer: SandboxBuyer? = nil) async -> IdentityError? {
            await failure { try await complete(started, as: buyer) }
        }
    }

    /// Runs a test with a session whose buyer signed in 100 seconds ago.
    private static func run(
        _ contexts: [String] = ["gold"],
        _ body: (World, SessionID) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        var setup = SandboxConfiguration()
        setup.clock = clock
        setup.openID.acrValues = contexts
        setup.openID.supportsRevocation = true
        let sandbox = try await Sandbox.start(setup)
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        var configuration = OpenIDProvider.Configuration(
            name: "any",
            issuer: sandbox.openID.issuer,
            clientID: setup.openID.clientID
        )
        configuration.authentication = .secretBasic(Secret(setup.openID.clientSecret ?? ""))
        configuration.redirectURI = redirectURI
        configuration.scopes = ["openid", "email"]
        configuration.allowsLoopbackHTTP = true
        configuration.timeout = .seconds(60)
        let sessions = SessionManager(
            providers: try ProviderRegistry([try OpenIDProvider(configuration, environment: environment)]),
            store: InMemoryStore(),
            environment: environment
        )
        let world = World(sandbox: sandbox, clock: clock, sessions: sessions)
        let id = try await world.complete(try await sessions.begin("any")).session.id
        clock.advance(by: .seconds(100))
        try await body(world, id)
        #expect(sandbox.openID.violations.isEmpty, "\(sandbox.openID.violations)")
        await sandbox.stop()
    }

    @Test("a step-up with acr_values and prompt=login returns a new session with the requested acr")
    func context() async throws {
        try await Self.run { world, id in
            let old = try await world.sessions.session(id)
            #expect(old.claims?.authenticationContext == nil)
            let requirement = StepUpRequirement(demandsLogin: true, authenticationContexts: ["gold"])
            let started = try await world.sessions.beginStepUp(of: id, requiring: requirement)
            let new = try await world.complete(started).session
            #expect(new.claims?.authenticationContext == "gold")
            #expect(new.authenticatedAt == old.authenticatedAt.map { $0 + 100 })
            #expect(try await world.sessions.sessions().map(\.id) == [new.id])
            #expect(try await world.sessions.refreshTokens(for: new.id).session.claims?.authenticationContext == "gold")
        }
    }

    @Test("a step-up with max_age requires a new login only if the last login is older", arguments: [50, 200])
    func age(seconds: Int) async throws {
        try await Self.run { world, id in
            let old = try await world.sessions.session(id)
            let requirement = StepUpRequirement(maximumAge: .seconds(seconds))
            let started = try await world.sessions.beginStepUp(of: id, requiring: requirement)
            let new = try await world.complete(started).session
            #expect(new.id != id)
            #expect(new.authenticatedAt == old.authenticatedAt.map { $0 + (seconds < 100 ? 100 : 0) })
        }
    }

    @Test("a step-up as another buyer is refused, and the session stays")
    func anotherBuyer() async throws {
        try await Self.run { world, id in
            let started = try await world.sessions.beginStepUp(of: id)
            let error = await world.refusal(started, as: SandboxBuyer(email: "grace@example.com"))
            #expect(error?.code == .idTokenSubject)
            #expect(try await world.sessions.sessions().map(\.id) == [id])
            _ = try await world.sessions.refreshTokens(for: id)
        }
    }

    @Test("a step-up fails if the provider ignores the requested acr")
    func ignored() async throws {
        try await Self.run([]) { world, id in
            let requirement = StepUpRequirement(authenticationContexts: ["gold"])
            let started = try await world.sessions.beginStepUp(of: id, requiring: requirement)
            let error = await world.refusal(started)
            #expect(error?.code == .idTokenAuthentication)
            #expect(error?.kind == .rejected)
            #expect(try await world.sessions.session(id).id == id)
        }
    }

    @Test(
        "if the ID token of a step-up is refused, its tokens are revoked only if it names another buyer",
        arguments: [false, true]
    )
    func droppedTokens(isOtherBuyer: Bool) async throws {
        try await Self.run { world, id in
            let started = try await world.sessions.beginStepUp(
                of: id,
                requiring: StepUpRequirement(maximumAge: .seconds(10))
            )
            world.sandbox.openID.planFault(
                .idToken {
                    $0.claims["auth_time"] = .integer(1)
                    if isOtherBuyer { $0.claims["sub"] = .string("user-4711") }
                },
                on: .token
            )
            #expect(await world.refusal(started)?.code == .idTokenAuthentication)
            #expect(world.sandbox.openID.counters.revocations == (isOtherBuyer ? 1 : 0))
            _ = try await world.sessions.refreshTokens(for: id)
        }
    }

    // MARK: The guide

    @Test("the guide's code compiles and does what the page says")
    func guide() async throws {
        try await Self.run { world, session in
            let sessions = world.sessions
            let response = HTTPResponse(
                status: 401,
                headers: try Self.headers(#"Bearer error="insufficient_user_authentication", acr_values="gold""#),
                body: []
            )
            // swift-format-ignore
            do {
let claims = try await sessions.session(session).claims
let isStrong = claims?.authenticationContext == "gold"            // acr
let methods = claims?.authenticationMethods ?? []                 // amr
let groups = claims?["https://shop.example/groups"]?.array ?? []  // a claim of the provider's own
let info = try await sessions.userInfo(for: session)              // asked now, not signed, not stored
                #expect(!isStrong && methods.isEmpty && groups.isEmpty)
                #expect(info["email"]?.string == SandboxBuyerAccount.ada.email)
            }
            // swift-format-ignore
            do {
let requirement = StepUpRequirement(maximumAge: .seconds(300), authenticationContexts: ["gold"])
let started = try await sessions.beginStepUp(of: session, requiring: requirement)
// Set the binding cookie to started.browserBinding and redirect the browser to started.url.
                #expect(started.url.text.contains("acr_values=gold"))
            }
            // swift-format-ignore
            do {
let required = StepUpRequirement(challenges: response.headers.values(for: "WWW-Authenticate"))
                #expect(required?.authenticationContexts == ["gold"])
            }
            let url = try HTTPURL(world.sandbox.openID.userinfoEndpoint)
            let transport = LocalTransport(inner: try CurlTransport())
            // swift-format-ignore
            do {
let body = try await sessions.withAccessToken(of: session) { access in
    let headers = try access.headers(for: .get, url)
    let response = try await transport.send(HTTPRequest(method: .get, url: url, headers: headers))
    try access.check(status: response.status, response.headers, sent: headers, from: url)
    return response.body
}
                #expect(try JSONValue(parsing: body)["sub"]?.string?.isEmpty == false)
            }
        }
    }

    private static func headers(_ challenge: String) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        try headers.set("WWW-Authenticate", challenge)
        return headers
    }
}

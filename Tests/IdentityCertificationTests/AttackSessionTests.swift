import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import IdentityTesting
import TestDoubles
import Testing

/// Attacks on the state of the app: pending logins, sessions and identities.
@Suite("Attacks: sessions and identities")
struct AttackSessionTests {
    @Test("each login creates a new session id, and completes only in its own browser")
    func fixation() async throws {
        try await CertificationModule.run { module in
            let first = try await module.login()
            // A session id from the provider or an attacker does not become the id of the session.
            module.openID.planFault(.claim("sid", .string(first.id.rawValue)), on: .token)
            let second = try await module.login { $0 + "&session_id=\(first.id.rawValue)" }
            #expect(first.id != second.id)
            #expect(try await module.sessions.sessions().count == 2)
            // An attacker's login cannot be completed in the victim's browser.
            let attackers = try await module.sessions.begin(CertificationModule.name)
            let victims = try await module.sessions.begin(CertificationModule.name)
            let url = try await module.buyer.login(at: attackers.url.text, redirectURI: CertificationModule.redirectURI)
            let error = await #expect(throws: IdentityError.self) {
                _ = try await module.sessions.complete(
                    try LoginCallback(url: url),
                    browserBinding: victims.browserBinding
                )
            }
            #expect(error?.code == .browserMismatch)
            #expect(try await module.sessions.sessions().count == 2)
        }
    }

    @Test("a flood of pending logins removes older ones, and the newest login still works")
    func flood() async throws {
        let store = InMemoryStore()
        let clock = ManualClock()
        let sessions = SessionManager(
            providers: try ProviderRegistry([StrictProvider(clock: clock)]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: clock)
        )
        let oldest = try await sessions.begin("strict")
        // The flood is inserted directly into the store, because the start of a login stores nothing else.
        let expiry = clock.now + 600
        for number in 0..<100_000 {
            try await store.insert(.init(key: "flood \(number)", expiresAt: expiry, payload: Secret("flood")))
        }
        let newest = try await sessions.begin("strict")
        // The provider refuses the exchange only if the pending login was found.
        for (login, code) in [(newest, IdentityError.Code.accessDenied), (oldest, .stateUnknown)] {
            let error = await #expect(throws: IdentityError.self) {
                _ = try await sessions.complete(
                    try LoginCallback(url: login.url.text + "&error=access_denied"),
                    browserBinding: login.browserBinding
                )
            }
            #expect(error?.code == code)
        }
        #expect(try await store.sweep(expiredBefore: .distantFuture) == 9_999)
    }

    @Test("a missing scope means the requested scopes, and an empty scope means none")
    func scopes() async throws {
        try await CertificationModule.run { module in
            func granted(_ fault: SandboxFault) async throws -> [String] {
                module.openID.planFault(fault, on: .token)
                let session = try await module.login()
                return try await module.sessions.tokens(for: session.id).tokens.scopes
            }
            #expect(try await granted(.withoutMembers("scope")) == ["openid", "email", "profile"])
            #expect(try await granted(.member("scope", .null)) == ["openid", "email", "profile"])
            #expect(try await granted(.member("scope", .string(""))).isEmpty)
            #expect(try await granted(.member("scope", .string("openid"))) == ["openid"])
            try await module.refusesLogin(.tokenResponseInvalid, .member("scope", .array([.string("openid")])))
        }
    }

    @Test("a buyer with the e-mail address of another buyer stays a different buyer")
    func email() async throws {
        try await CertificationModule.run { module in
            let ada = try await module.login()
            // Another buyer claims the same address, with `email_verified` values other than the boolean true.
            for value in [JSONValue.string("true"), .integer(1), .null, .array([.bool(true)])] {
                let claims = SandboxFault.claim("sub", .string("another"))
                    .and(.claim("email", .string("ada@example.com"))).and(.claim("email_verified", value))
                module.openID.planFault(claims, on: .token)
                let other = try await module.login()
                #expect(other.buyer.email?.isVerified == false)
                #expect(other.buyer.subject != ada.buyer.subject)
            }
            let filter = SessionFilter(buyer: (ada.buyer.issuer, ada.buyer.subject))
            #expect(try await module.sessions.sessions(matching: filter).map(\.id) == [ada.id])
        }
    }

    @Test("an accepted ID token is refused for another client and for another login")
    func cacheConfusion() async throws {
        try await CertificationModule.run { module in
            let session = try await module.login()
            let good = try await module.sessions.tokens(for: session.id).tokens
            let answer: JSONObject = [
                "access_token": .string(good.accessToken.reveal()), "token_type": .string("Bearer"),
                "id_token": (good.idToken?.reveal()).map { .string($0) } ?? .null,
            ]
            // A client with another client id at the same provider refuses the token that the first client just accepted.
            var configuration = module.configuration
            configuration.clientID = "another-client"
            let environment = IdentityEnvironment(transport: try CurlTransport(), clock: module.clock)
            let other = try OpenIDProvider(configuration, environment: environment)
            let request = try await other.authorizationRequest(LoginOptions())
            module.openID.planFault(.answer(.json(answer)), on: .token)
            let state = request.attempt.state.reveal()
            let callback = try LoginCallback(form: Array("code=c&state=\(state)&iss=\(module.openID.issuer)".utf8))
            let error = await failure { try await other.exchange(callback, for: request.attempt) }
            #expect(error?.code == .idTokenAudience)
            // For another login of the same client, the nonce differs.
            try await module.refusesLogin(.idTokenNonce, .answer(.json(answer)))
            // The checks of the module do not apply to the request of the other client.
            module.openID.forgetRequests()
        }
    }
}

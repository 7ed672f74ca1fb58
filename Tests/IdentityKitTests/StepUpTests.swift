import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A provider whose next login returns what a test sets, for any request.
private final class ClaimsProvider: WrappingProvider, TokenRevoking {
    struct Login: Sendable {
        var buyer = Buyer(issuer: "https://id.example", subject: "buyer-1")
        var acr: String? = "gold"
        var authenticatedAt: Date?
        var isNamed = true
    }

    let inner: StrictProvider
    private let state = Mutex<(login: Login, asked: LoginOptions?, revoked: [String])>((Login(), nil, []))
    /// The number of exchanges that must be in progress before the provider responds to the first one.
    private let simultaneousExchanges = Mutex(0)

    init(_ inner: StrictProvider) {
        self.inner = inner
    }

    /// The options of the last authorization request.
    var asked: LoginOptions? { state.withLock { $0.asked } }
    var revoked: [String] { state.withLock { $0.revoked } }
    func answer(_ login: Login) { state.withLock { $0.login = login } }
    func awaitExchanges(_ count: Int) { simultaneousExchanges.withLock { $0 = count } }

    func tokens(_ login: Login) -> TokenSet {
        var tokens = inner.mint(login.buyer)
        tokens.authenticatedAt = login.authenticatedAt
        if login.isNamed {
            var all = JSONObject()
            all["acr"] = login.acr.map { .string($0) }
            tokens.claims = IDTokenClaims(issuer: login.buyer.issuer, subject: login.buyer.subject, all: all)
        }
        return tokens
    }

    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        state.withLock { $0.asked = options }
        return try await inner.authorizationRequest(options)
    }
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        _ = try await inner.exchange(callback, for: attempt)
        while inner.exchanges < simultaneousExchanges.withLock(\.self) { await Task.yield() }
        return tokens(state.withLock { $0.login })
    }
    func revoke(_ tokens: TokenSet) async throws -> Bool {
        state.withLock { $0.revoked.append(tokens.accessToken.reveal()) }
        return true
    }
}

/// Records the sessions that are reported as refreshed and as ended.
private final class Follower: SessionParticipant {
    private let state = Mutex<(refreshed: [SessionID], ended: [SessionID])>(([], []))
    var refreshed: [SessionID] { state.withLock { $0.refreshed } }
    var ended: [SessionID] { state.withLock { $0.ended } }

    func sessionRefreshed(_ session: Session) async throws { state.withLock { $0.refreshed.append(session.id) } }
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        state.withLock { $0.ended.append(session.id) }
    }
}

@Suite("Step-up of a session")
struct StepUpTests {
    private typealias Login = ClaimsProvider.Login

    private struct World {
        let clock = ManualClock()
        let store = InMemoryStore()
        let heard = EventSink()
        let follower = Follower()
        let provider: ClaimsProvider
        let manager: SessionManager

        init() throws {
            provider = ClaimsProvider(StrictProvider(clock: clock))
            manager = try SessionManager(provider, store: store, clock: clock, observers: [heard])
            manager.add(follower)
        }

        /// Creates a session whose buyer signed in a minute ago.
        func signIn() async throws -> SessionID {
            let tokens = provider.tokens(Login(acr: "silver", authenticatedAt: clock.now))
            let id = try await manager.establish(tokens, provider: "strict").id
            clock.advance(by: .seconds(60))
            return id
        }

        /// Completes a login with a callback that has the state of its authorization URL.
        func complete(_ started: StartedLogin) async throws -> CompletedLogin {
            let state = String(started.url.text.split(separator: "=").last ?? "")
            return try await manager.complete(
                try LoginCallback(url: "https://app.example/cb?code=c&state=\(state)"),
                browserBinding: started.browserBinding
            )
        }

        func refusal(_ started: StartedLogin) async -> IdentityError? {
            await failure { try await complete(started) }
        }
    }

    @Test("a step-up moves the attachments to a session with a new id, and carts are not notified of an end")
    func replaces() async throws {
        let world = try World()
        let id = try await world.signIn()
        #expect(try await world.store.setAttachment("cart", to: Secret("cart-1"), of: id, expecting: nil))
        let requirement = StepUpRequirement(maximumAge: .seconds(30), authenticationContexts: ["gold", "platinum"])
        let started = try await world.manager.beginStepUp(of: id, requiring: requirement)
        #expect(world.provider.asked?.maximumAge == .seconds(30))
        #expect(world.provider.asked?.authenticationContexts == ["gold", "platinum"])
        #expect(world.provider.asked?.prompt == nil)
        world.clock.advance(by: .seconds(5))
        world.provider.answer(Login(authenticatedAt: world.clock.now))
        let completed = try await world.complete(started)
        #expect(completed.replaced == id)
        #expect(completed.session.id != id)
        #expect(completed.session.claims?.authenticationContext == "gold")
        #expect(completed.session.authenticatedAt == world.clock.now)
        #expect(try await world.manager.sessions().map(\.id) == [completed.session.id])
        let cart = try await world.store.attachment("cart", of: completed.session.id)
        #expect(cart?.payload.reveal() == "cart-1")
        await world.manager.drain()
        #expect(world.follower.refreshed == [completed.session.id])
        #expect(world.follower.ended.isEmpty)
        #expect(world.provider.revoked.isEmpty)
        #expect(world.heard.names.contains("session_replaced"))
    }

    @Test("a step-up without requirements requests prompt=login, and max_age so that the ID token contains auth_time")
    func login() async throws {
        let world = try World()
        let id = try await world.signIn()
        var options = LoginOptions()
        options.prompt = "consent"
        _ = try await world.manager.beginStepUp(of: id, options: options)
        #expect(world.provider.asked?.prompt == "login")
        #expect(world.provider.asked?.maximumAge == .seconds(600))
        // A request for more than a login is kept, because some providers issue refresh tokens only after `consent`.
        options.prompt = "login consent"
        _ = try await world.manager.beginStepUp(of: id, options: options)
        #expect(world.provider.asked?.prompt == "login consent")
    }

    /// Logins that do not satisfy their requirement; `time` is `auth_time` in seconds after the beginning of the step-up.
    private static let refusals:
        [(StepUpRequirement, subject: String, acr: String?, time: Double?, IdentityError.Code)] =
            [
                (StepUpRequirement(), "buyer-2", "gold", 1, .idTokenSubject),
                (StepUpRequirement(authenticationContexts: ["gold"]), "buyer-1", "silver", 1, .idTokenAuthentication),
                (StepUpRequirement(authenticationContexts: ["gold"]), "buyer-1", nil, 1, .idTokenAuthentication),
                (StepUpRequirement(), "buyer-1", "gold", nil, .idTokenAuthentication),
                // The time of the first login: the provider ignored prompt=login.
                (StepUpRequirement(), "buyer-1", "gold", -60, .idTokenAuthentication),
                (StepUpRequirement(), "buyer-1", "gold", -61, .idTokenAuthentication),
                (StepUpRequirement(maximumAge: .seconds(10)), "buyer-1", "gold", -71, .idTokenAuthentication),
                (StepUpRequirement(maximumAge: .seconds(10)), "buyer-1", "gold", nil, .idTokenAuthentication),
            ]

    @Test(
        "a step-up login that does not satisfy the requirement is refused, the session stays, and only another buyer's tokens are revoked",
        arguments: 0..<8
    )
    func refused(index: Int) async throws {
        let (requirement, subject, acr, time, code) = Self.refusals[index]
        let world = try World()
        let id = try await world.signIn()
        let started = try await world.manager.beginStepUp(of: id, requiring: requirement)
        var login = Login(acr: acr)
        login.buyer.subject = subject
        login.authenticatedAt = time.map { world.clock.now + $0 }
        world.provider.answer(login)
        let error = await world.refusal(started)
        #expect(error?.code == code)
        #expect(error?.kind == .rejected)
        #expect(try await world.manager.sessions().map(\.id) == [id])
        // Many providers keep one grant for a buyer and a client, so revoking the new tokens would end the session that stays.
        let isOtherBuyer = subject != "buyer-1"
        #expect(world.provider.revoked.count == (isOtherBuyer ? 1 : 0))
        #expect(world.heard.names.contains("login_tokens_dropped " + (isOtherBuyer ? "revoked" : "not_revoked")))
    }

    @Test("a step-up accepts a login that exceeds the maximum age by up to a minute, because clocks may differ")
    func recentEnough() async throws {
        let world = try World()
        let id = try await world.signIn()
        let requirement = StepUpRequirement(maximumAge: .seconds(10))
        let started = try await world.manager.beginStepUp(of: id, requiring: requirement)
        world.provider.answer(Login(authenticatedAt: world.clock.now - 70))
        #expect(try await world.complete(started).replaced == id)
    }

    @Test("a step-up is refused if the same subject signs in at another issuer")
    func otherIssuer() async throws {
        let world = try World()
        let id = try await world.signIn()
        let started = try await world.manager.beginStepUp(of: id)
        var login = Login(authenticatedAt: world.clock.now)
        login.buyer.issuer = "https://other.example"
        world.provider.answer(login)
        #expect(await world.refusal(started)?.code == .idTokenSubject)
        #expect(try await world.manager.sessions().map(\.id) == [id])
        #expect(world.provider.revoked.count == 1)
    }

    @Test("a step-up with demandsLogin refuses an earlier login, and passes the buyer's e-mail address as login hint")
    func newLogin() async throws {
        let world = try World()
        var tokens = world.provider.tokens(Login(authenticatedAt: world.clock.now))
        tokens.buyer.email = Buyer.Contact("ada@example.com", isVerified: true)
        let id = try await world.manager.establish(tokens, provider: "strict").id
        world.clock.advance(by: .seconds(900))
        let requirement = StepUpRequirement(demandsLogin: true, maximumAge: .seconds(600))
        let started = try await world.manager.beginStepUp(of: id, requiring: requirement)
        #expect(world.provider.asked?.prompt == "login" && world.provider.asked?.maximumAge == .seconds(600))
        #expect(world.provider.asked?.loginHint == "ada@example.com")
        // This login is within the maximum age and newer than the session's login, but it was before the step-up began.
        world.provider.answer(Login(authenticatedAt: world.clock.now - 300))
        #expect(await world.refusal(started)?.code == .idTokenAuthentication)
    }

    @Test("a provider without ID tokens cannot prove a step-up")
    func withoutClaims() async throws {
        let world = try World()
        let id = try await world.signIn()
        let requirement = StepUpRequirement(authenticationContexts: ["gold"])
        let started = try await world.manager.beginStepUp(of: id, requiring: requirement)
        world.provider.answer(Login(isNamed: false))
        #expect(await world.refusal(started)?.code == .idTokenAuthentication)
    }

    @Test("a step-up of a session that has ended in the meantime fails before the code is sent")
    func loggedOut() async throws {
        let world = try World()
        let id = try await world.signIn()
        let (first, second) = (
            try await world.manager.beginStepUp(of: id), try await world.manager.beginStepUp(of: id)
        )
        world.clock.advance(by: .seconds(2))
        world.provider.answer(Login(authenticatedAt: world.clock.now))
        let session = try await world.complete(first).session
        #expect(world.provider.inner.exchanges == 1)
        #expect(await world.refusal(second)?.code == .sessionUnknown)
        #expect(world.provider.inner.exchanges == 1)
        #expect(try await world.manager.sessions().map(\.id) == [session.id])
        _ = try await world.manager.logout(session.id)
        let error = await #expect(throws: IdentityError.self) { try await world.manager.beginStepUp(of: session.id) }
        #expect(error?.code == .sessionUnknown)
    }

    @Test("of several step-ups that end at the same time, one replaces the session, and no token is revoked")
    func concurrent() async throws {
        let world = try World()
        let id = try await world.signIn()
        var started: [StartedLogin] = []
        for _ in 0..<4 { started.append(try await world.manager.beginStepUp(of: id)) }
        world.clock.advance(by: .seconds(2))
        world.provider.answer(Login(authenticatedAt: world.clock.now))
        world.provider.awaitExchanges(4)
        let refusals = await withTaskGroup(of: IdentityError?.self) { group in
            for login in started { group.addTask { await world.refusal(login) } }
            return await group.reduce(into: [IdentityError.Code?]()) { $0.append($1?.code) }
        }
        #expect(refusals.count { $0 == nil } == 1)
        #expect(refusals.count { $0 == .sessionUnknown } == 3)
        #expect(try await world.manager.sessions().count == 1)
        #expect(world.provider.revoked.isEmpty)
        #expect(world.heard.names.count { $0 == "login_tokens_dropped not_revoked" } == 3)
    }

    @Test("a guest and an ended session cannot be stepped up")
    func guests() async throws {
        let world = try World()
        let guest = try await world.manager.beginGuest()
        let error = await #expect(throws: IdentityError.self) { try await world.manager.beginStepUp(of: guest.id) }
        #expect(error?.code == .notSignedIn)
        let id = try await world.signIn()
        world.provider.inner.revokeAll()
        _ = try? await world.manager.refreshTokens(for: id)
        let ended = await #expect(throws: IdentityError.self) { try await world.manager.beginStepUp(of: id) }
        #expect(ended?.code == .sessionEnded)
    }

    @Test("a step-up can be completed only in the browser in which it began")
    func browser() async throws {
        let world = try World()
        let id = try await world.signIn()
        let (mine, other) = (
            try await world.manager.beginStepUp(of: id), try await world.manager.beginStepUp(of: id)
        )
        let crossed = StartedLogin.crossing(mine, other)
        let error = await #expect(throws: IdentityError.self) {
            try await world.manager.complete(
                try LoginCallback(url: "https://app.example/cb?code=c&state=\(crossed.state)"),
                browserBinding: crossed.binding
            )
        }
        #expect(error?.code == .browserMismatch)
        #expect(try await world.manager.session(id).id == id)
    }
}

extension StartedLogin {
    /// The state of one login and the cookie of another.
    fileprivate static func crossing(_ one: StartedLogin, _ other: StartedLogin) -> (state: String, binding: Secret) {
        (String(one.url.text.split(separator: "=").last ?? ""), other.browserBinding)
    }
}

internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyStorefront

/// One approach, walked from login to logout: a provider, entered at one point, with everything recorded.
actor Walk {
    nonisolated let provider: String
    nonisolated let entryPoint: EntryPoint
    nonisolated let descriptor: ProviderDescriptor
    private let stage: Stage
    private let deployment: Deployment
    private let recorder: Recorder
    private var session: Session?
    /// The cart that was filled.
    private(set) var cartID: CartID?
    private var facts = ApproachFacts()
    /// The access token before it was renewed.
    private(set) var oldToken: Secret?

    init(_ provider: String, _ entryPoint: EntryPoint, on stage: Stage) throws {
        let recorder = Recorder { stage.service(at: $0) }
        deployment = try Deployment(
            stage.configuration,
            store: stage.store.recorded(by: recorder),
            transport: RecordingTransport(inner: stage.transport, recorder: recorder),
            observers: stage.observers
        )
        descriptor = try deployment.sessions.descriptor(of: provider)
        self.recorder = recorder
        self.provider = provider
        self.entryPoint = entryPoint
        self.stage = stage
        // PKCE has a column of its own.
        let words = descriptor.clientType.split(separator: ", ").filter { $0 != "PKCE" }
        facts.clientAuthentication = words.joined(separator: ", ").printable
    }

    /// The report of what happened so far.
    func report(problem: String?) -> ApproachReport {
        facts.requests = recorder.recorded.count { step in
            if case .service = step.to, step.from == .app { true } else { false }
        }
        return ApproachReport(
            provider: provider,
            kind: Approaches.kind(of: descriptor),
            title: Approaches.title(of: descriptor),
            entryPoint: entryPoint,
            facts: facts,
            steps: recorder.recorded,
            // The program's own time: what the buyer takes at the login page says nothing about an approach.
            duration: recorder.recorded.filter { $0.to != .browser }.compactMap(\.duration).reduce(.zero, +),
            problem: problem
        )
    }

    // MARK: Steps

    /// Signs in and tells who came.
    func signIn(announce: @escaping @Sendable (HTTPURL, CallbackMode) -> Void) async throws -> Session {
        recorder.begin("Sign in")
        let mode = stage.callback ?? .suited(to: descriptor.redirectURI)
        // The robot's own requests are the browser's, hence not recorded.
        let presenter = mode.presenter(transport: stage.transport) { announce($0, mode) }
        let flow = LoginFlow(
            provider: provider,
            sessions: deployment.sessions,
            presenter: presenter.recorded(by: recorder)
        )
        let session = try await entryPoint.login(flow)
        self.session = session
        let challenge = recorder.recorded.flatMap(\.sent).flatMap(\.fields).first { $0.name == "code_challenge_method" }
        facts.pkce = challenge?.value ?? "no"
        let tokens = try await current().tokens
        facts.tokens = tokens.refreshToken == nil ? "access" : "access, refresh"
        facts.idToken = tokens.idToken == nil ? "none" : "verified"
        return session
    }

    /// Every token of the session, to look for where it must not be.
    func secrets() async throws -> [Secret] {
        let tokens = try await current().tokens
        return [tokens.accessToken, tokens.refreshToken, tokens.idToken].compactMap(\.self)
    }

    /// Puts something into a cart and asks for a checkout, which attaches the buyer's identity.
    func fillCart() async throws -> CheckoutHandoff {
        let (carts, session) = (try deployment.requireCarts(), try signedIn())
        recorder.begin("Fill a cart")
        _ = try await carts.add(Stage.lines, for: session.id, in: Stage.context)
        recorder.begin("Check out")
        let handoff = try await checkout(carts, session)
        facts.cartIdentity = handoff.identity.rawValue.printable
        cartID = handoff.cart.id
        return handoff
    }

    /// Remembers the access token, and tells when it expires.
    func noteToken() async throws -> Date? {
        let tokens = try await current().tokens
        oldToken = tokens.accessToken
        return tokens.expiresAt
    }

    /// Gets a valid token after the old one has expired, or renews one that has not.
    func renew(isExpired: Bool) async throws -> Renewed {
        let session = try signedIn()
        recorder.begin("Renew the token")
        do {
            let tokens =
                isExpired
                ? try await deployment.sessions.tokens(for: session.id, validFor: .zero)
                : try await deployment.sessions.renewTokens(for: session.id)
            await deployment.drain()
            self.session = tokens.session
            facts.refresh = "renewed"
            if let oldToken, tokens.tokens.accessToken.isEqual(to: oldToken) {
                throw JourneyFailure("The access token is the old one.")
            }
            return .tokens(tokens)
        } catch let error as IdentityError where error.code == .notRefreshable {
            facts.refresh = "sign in again"
            return .signInAgain
        }
    }

    /// What the cart's buyer is after a renewal.
    func checkoutAgain() async throws -> CheckoutHandoff {
        recorder.begin("Check out again")
        return try await checkout(try deployment.requireCarts(), try signedIn())
    }

    /// Signs out and checks that nothing is left.
    func signOut() async throws -> LogoutResult {
        let session = try signedIn()
        recorder.begin("Sign out")
        let result = try await deployment.sessions.logout(session.id)
        await deployment.drain()
        facts.logout = result.browserURL == nil ? "local" : "provider page"
        if let problem = result.problems.first { throw problem }
        do {
            _ = try await deployment.sessions.session(session.id)
            throw JourneyFailure("The session is still in the store.")
        } catch let error as IdentityError where error.code == .sessionUnknown {
            self.session = nil
            return result
        }
    }

    /// Leaves nothing behind, however far the walk came.
    func abandon() async {
        guard let session else { return await deployment.drain() }
        // A task of its own: a cancelled journey has to clean up, too.
        _ = await Task { [deployment] in try? await deployment.sessions.logout(session.id) }.value
        await deployment.drain()
    }

    // MARK: Parts

    private func signedIn() throws -> Session {
        guard let session else { throw JourneyFailure("Nobody has signed in.") }
        return session
    }

    private func current() async throws -> SessionTokens {
        try await deployment.sessions.tokens(for: try signedIn().id, validFor: .zero)
    }

    private func checkout(_ carts: CartAdapter, _ session: Session) async throws -> CheckoutHandoff {
        // The embedded sandbox's tokens are shorter than any margin, which would renew them at every call.
        let options = CheckoutOptions(tokenMargin: stage.sandbox == nil ? .seconds(60) : .zero)
        return try await carts.checkout(for: session.id, in: Stage.context, options: options)
    }
}

/// What a renewal came to.
enum Renewed: Sendable {
    case tokens(SessionTokens)
    /// The provider gives no refresh token: the session ends with its access token.
    case signInAgain
}

/// A step that did not hold although nothing threw.
struct JourneyFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyStorefront
internal import StorefrontSandbox

/// Runs one provider with one entry point from login to logout, and records the steps.
actor ApproachRun {
    nonisolated let provider: String
    /// The entry point; nil for a sign-in through the routes of `IdentityWeb`.
    nonisolated let entryPoint: LoginEntryPoint?
    nonisolated let descriptor: ProviderDescriptor
    nonisolated let deployment: Deployment
    nonisolated let recorder: Recorder
    private let services: RunEnvironment
    private(set) var session: Session?
    private(set) var cartID: CartID?
    private(set) var facts = ApproachFacts()
    private(set) var oldToken: Secret?
    /// The message of the first failed step.
    private var problem: String?

    init(_ provider: String, _ entryPoint: LoginEntryPoint?, on services: RunEnvironment) throws {
        let recorder = Recorder { services.service(at: $0) }
        deployment = try services.deployment(recordedBy: recorder)
        descriptor = try deployment.sessions.descriptor(of: provider)
        self.recorder = recorder
        self.provider = provider
        self.entryPoint = entryPoint
        self.services = services
        // `clientType` also contains PKCE, which has a separate column.
        let methods = descriptor.clientType.split(separator: ", ").filter { $0 != "PKCE" }
        facts.clientAuthentication = methods.joined(separator: ", ").printable
    }

    func fail(_ error: IdentityError) { problem = problem ?? error.message }

    func report() -> ApproachReport {
        countRequests()
        return ApproachReport(
            provider: provider,
            kind: ApproachNames.kind(of: descriptor),
            title: ApproachNames.title(of: descriptor),
            entryPoint: entryPoint.name,
            facts: facts,
            steps: recorder.recorded,
            // Steps to the browser are left out: they contain the time that the buyer spends on the login page.
            duration: recorder.recorded.filter { $0.to != .browser }.compactMap(\.duration).reduce(.zero, +),
            problem: problem
        )
    }

    func countRequests() {
        facts.requests = recorder.recorded.count { step in
            if case .service = step.to, step.from == .app { true } else { false }
        }
    }

    // MARK: Steps

    func signIn(announce: @escaping @Sendable (HTTPURL, CallbackMode) -> Void) async throws -> Session {
        let mode = services.callback ?? .standard(for: descriptor.redirectURI)
        // The simulated buyer acts as the browser, so its requests use the transport that does not record.
        return try await signIn(through: mode.presenter(transport: services.transport) { announce($0, mode) })
    }

    func signIn(through presenter: any FormPostPresenting) async throws -> Session {
        recorder.begin("Sign in")
        let flow = LoginFlow(
            provider: provider,
            sessions: deployment.sessions,
            presenter: RecordingPresenter(inner: presenter, recorder: recorder)
        )
        let session = try await (entryPoint ?? .async).login(flow)
        try await adopt(session)
        return session
    }

    func adopt(_ session: Session) async throws {
        self.session = session
        let challenge = recorder.recorded.flatMap(\.sent).flatMap(\.fields).first { $0.name == "code_challenge_method" }
        facts.pkce = challenge?.value ?? "no"
        let tokens = try await current().tokens
        facts.tokens = tokens.refreshToken == nil ? "access" : "access, refresh"
        facts.idToken = tokens.idToken == nil ? "none" : "verified"
    }

    func forgetSession(logoutPage: HTTPURL?) {
        session = nil
        facts.logout = logoutPage == nil ? "local" : "provider page"
    }

    func secrets() async throws -> [Secret] {
        let tokens = try await current().tokens
        return [tokens.accessToken, tokens.refreshToken, tokens.idToken].compactMap(\.self)
    }

    func fillCart() async throws -> CheckoutHandoff {
        _ = try await addLines()
        return try await checkOut()
    }

    func addLines() async throws -> SessionCart {
        let (carts, session) = (try deployment.requireCarts(), try signedIn())
        recorder.begin("Fill a cart")
        return try await carts.add(try await services.lines(), for: session.id, in: services.buyer)
    }

    /// Starts a checkout, which attaches the buyer's identity.
    func checkOut() async throws -> CheckoutHandoff {
        let (carts, session) = (try deployment.requireCarts(), try signedIn())
        recorder.begin("Check out")
        let handoff = try await checkout(carts, session)
        facts.cartIdentity = handoff.identity.rawValue.printable
        cartID = handoff.cart.id
        return handoff
    }

    /// Stores the access token in ``oldToken``, and returns its expiry; nil if the provider did not state the expiry.
    func rememberToken() async throws -> Date? {
        let tokens = try await current().tokens
        oldToken = tokens.accessToken
        return tokens.expiresAt
    }

    /// Gets a valid access token if the old access token has expired; otherwise refreshes the tokens before they expire.
    ///
    /// Returns nil if the tokens cannot be refreshed, for example because the session has no refresh token.
    func refresh(isExpired: Bool) async throws -> SessionTokens? {
        let session = try signedIn()
        recorder.begin("Refresh the token")
        do {
            let tokens =
                isExpired
                ? try await deployment.sessions.tokens(for: session.id, validFor: .zero)
                : try await deployment.sessions.refreshTokens(for: session.id)
            await deployment.drain()
            self.session = tokens.session
            facts.refresh = "refreshed"
            if let oldToken, tokens.tokens.accessToken.isEqual(to: oldToken) {
                throw IdentityError.stepFailed("The refresh returned the old access token.")
            }
            return tokens
        } catch let error as IdentityError where error.code == .notRefreshable {
            facts.refresh = "sign in again"
            return nil
        }
    }

    func checkoutAgain() async throws -> CheckoutHandoff {
        recorder.begin("Check out again")
        return try await checkout(try deployment.requireCarts(), try signedIn())
    }

    func signOut() async throws -> LogoutResult {
        let session = try signedIn()
        recorder.begin("Sign out")
        let result = try await deployment.sessions.logout(session.id)
        await deployment.drain()
        if let problem = result.problems.first { throw problem }
        do {
            _ = try await deployment.sessions.session(session.id)
            throw IdentityError.stepFailed("The session is still in the store.")
        } catch let error as IdentityError where error.code == .sessionUnknown {
            forgetSession(logoutPage: result.browserURL)
            return result
        }
    }

    /// Removes the session if this run still has one, for example after a failed step.
    func cleanUp() async {
        guard let session else { return await deployment.drain() }
        // The session must be removed even if the command was cancelled. An unstructured task is not cancelled with the command.
        _ = await Task { [deployment] in try? await deployment.sessions.logout(session.id) }.value
        await deployment.drain()
    }

    // MARK: Parts

    func signedIn() throws -> Session {
        guard let session else { throw IdentityError.notSignedIn }
        return session
    }

    private func current() async throws -> SessionTokens {
        try await deployment.sessions.tokens(for: try signedIn().id, validFor: .zero)
    }

    private func checkout(_ carts: CartAdapter, _ session: Session) async throws -> CheckoutHandoff {
        // The sandbox's tokens live for less than the default tokenMargin, so the default would make every checkout refresh them.
        let options = CheckoutOptions(tokenMargin: services.sandbox == nil ? .seconds(60) : .zero)
        return try await carts.checkout(for: session.id, in: services.buyer, options: options)
    }
}

extension IdentityError {
    static func stepFailed(
        _ message: String,
        hint: String = "Run the command again with --verbose: it prints the events before the failure."
    ) -> IdentityError {
        IdentityError(.rejected, IdentityError.Code(rawValue: "step_failed"), message, hint: hint)
    }

    static var notSignedIn: IdentityError { stepFailed("No buyer has signed in.", hint: "Sign in first.") }
}

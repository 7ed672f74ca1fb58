internal import IdentityHTTP
internal import IdentityKit
internal import IdentityWeb
internal import ShopifyStorefront

/// One sign-in that a column of the page shows: a provider with an entry point, its steps and its session.
actor ServedRun {
    /// The entry points of the form; nil means the routes of `IdentityWeb`.
    static let entryPoints: [LoginEntryPoint?] = [nil] + LoginEntryPoint.allCases

    enum Phase: Sendable {
        /// The browser may open the login page.
        case waiting(HTTPURL)
        case signedIn(Session)
        /// The session has ended; the URL is the provider's logout page, if it is known.
        case ended(HTTPURL?)
        case failed
    }

    enum Action: String, CaseIterable, Sendable {
        case token, refresh, profile, cart, checkout, logout

        var title: String {
            switch self {
            case .token: "Get a valid token"
            case .refresh: "Refresh now"
            case .profile: "Fetch the profile"
            case .cart: "Put lines into a cart"
            case .checkout: "Check out"
            case .logout: "Sign out"
            }
        }
    }

    nonisolated let approach: ApproachRun
    private nonisolated let store: any SessionStore
    private nonisolated let routes: SignInRoutes?
    private nonisolated let presenter = BrowserPresenter()
    private var phase = Phase.failed
    /// The result of the last action, and whether it is an error.
    private var notice: (text: String, isError: Bool) = ("", false)
    private var changes = 0
    /// The generation that the stored session had at the last check; nil before the first check.
    private var generation: Int64?
    private var attemptID: String?
    private var redirect: RecordedRedirect?
    private var login: Task<Void, Never>?
    /// The task of the sign-out; every press of the button gets the response of this task.
    ///
    /// A double click sends two requests, and the browser uses only the second response.
    private var logout: Task<WebResponse?, any Error>?
    /// The `state` with which the browser returns from the logout page.
    private var logoutState: String?
    private var isClosed = false

    init(
        _ provider: String,
        _ entryPoint: LoginEntryPoint?,
        on services: RunEnvironment,
        _ configuration: SignInRoutes.Configuration
    ) throws {
        approach = try ApproachRun(provider, entryPoint, on: services)
        store = services.store.store
        let deployment = approach.deployment
        routes =
            entryPoint == nil
            ? try SignInRoutes(sessions: deployment.sessions, carts: deployment.carts, configuration: configuration)
            : nil
    }

    // MARK: Sign-in

    /// Begins the sign-in, and returns the response of the sign-in routes; nil for the other entry points.
    ///
    /// After ``close()``, this method does nothing and returns nil, because nobody would close the new sign-in.
    func begin(_ request: WebRequest) async -> WebResponse? {
        guard !isClosed else { return nil }
        guard routes == nil else { return await beginRoutes(request) }
        // An unstructured task, because the login continues after the request that began it.
        login = Task { [approach, presenter] in
            do {
                signedIn(try await approach.signIn(through: presenter))
            } catch {
                fail(error)
            }
            presenter.finish()
        }
        for await page in presenter.pages { show(.waiting(page), "The login page is ready.") }
        return nil
    }

    private func beginRoutes(_ request: WebRequest) async -> WebResponse? {
        approach.recorder.begin("Sign in")
        var begin = request
        begin.method = .get
        begin.target = "/auth/login/\(FormEncoding.escape(approach.provider))"
        begin.body = []
        let response = await answer(begin)
        attemptID =
            response.headers.values(for: "Set-Cookie").compactMap { cookie -> String? in
                let name = String(cookie.prefix { $0 != "=" })
                return name.firstRange(of: "-login-").map { String(name[$0.upperBound...]) }
            }.last
        guard response.status == 303, let page = response.headers["Location"].flatMap({ try? HTTPURL($0) }) else {
            return refused(response, .failed)
        }
        redirect = approach.recorder.redirected(to: page)
        show(.waiting(page), "The login page is ready.")
        return response
    }

    /// Returns the response to a callback of this sign-in; nil if the callback belongs to another sign-in.
    func take(_ request: WebRequest, _ callback: PresentedCallback) async -> WebResponse? {
        if presenter.receive(callback) {
            await login?.value
            return try? .redirect(to: "/")
        }
        let parsed = try? callback.form.map { try LoginCallback(form: $0) } ?? LoginCallback(url: callback.url)
        guard let attemptID, let id = parsed?.attemptID, id.isIdentical(to: attemptID) else { return nil }
        // A posted callback arrives as two requests: the form is stored, and the GET that follows completes the login. Only the request
        // with the form is recorded.
        if let redirect { approach.recorder.returned(with: callback, from: redirect) }
        redirect = nil
        let response = await answer(request)
        guard request.method == .get, let session = await session(after: response) else {
            return response.status == 303 ? response : refused(response, .failed)
        }
        do {
            try await approach.adopt(session)
            signedIn(session)
        } catch {
            fail(error)
        }
        return response
    }

    private func session(after response: WebResponse) async -> Session? {
        guard let routes else { return nil }
        var headers = HTTPHeaders()
        let cookies = response.headers.values(for: "Set-Cookie").map { $0.prefix { $0 != ";" } }
        guard (try? headers.append("Cookie", cookies.joined(separator: "; "))) != nil else { return nil }
        return try? await routes.context(for: WebRequest(method: .get, target: "/", headers: headers)).session()
    }

    func answer(_ request: WebRequest) async -> WebResponse {
        guard let routes else { return HTTPResponse(status: 404) }
        return await routes.handle(request) { _ in HTTPResponse(status: 404) }
    }

    func awaitsLogout(_ request: WebRequest) -> Bool {
        guard let logoutState, let given = request.queryValue("state") else { return false }
        return given.isIdentical(to: logoutState)
    }

    private func signedIn(_ session: Session) {
        show(.signedIn(session), "Signed in with subject \(session.buyer.subject).")
    }

    // MARK: Actions

    func perform(_ action: Action, _ request: WebRequest) async -> WebResponse? {
        do {
            return try await performThrowing(action, request)
        } catch {
            fail(error, phase)
            return nil
        }
    }

    private func performThrowing(_ action: Action, _ request: WebRequest) async throws -> WebResponse? {
        let sessions = approach.deployment.sessions
        switch action {
        case .token:
            let session = try await approach.signedIn()
            approach.recorder.begin("Get a valid token")
            let tokens = try await sessions.tokens(for: session.id, validFor: .zero)
            show(.signedIn(tokens.session), "The access token is valid (\(tokens.outcome.rawValue)).")
        case .refresh:
            if let tokens = try await approach.refresh(isExpired: false) {
                show(.signedIn(tokens.session), "The provider has issued new tokens.")
            } else {
                show(phase, "The session has no refresh token.")
            }
        case .profile:
            let session = try await approach.signedIn()
            approach.recorder.begin("Fetch the profile")
            let buyer = try await sessions.buyerProfile(for: session.id)
            let facts = [buyer.displayName, buyer.email?.value, buyer.phone?.value].compactMap(\.self)
            show(phase, "The profile: \(facts.isEmpty ? "no members" : facts.joined(separator: ", ")).")
        case .cart:
            let cart = try await approach.addLines()
            show(phase, "The cart has \(cart.cart.totalQuantity) \(cart.cart.totalQuantity == 1 ? "item" : "items").")
        case .checkout:
            let handoff = try await approach.checkOut()
            let problem = handoff.problem.map { " \($0.message) [\($0.code)]" } ?? ""
            let buyer = ApproachNames.text(for: handoff.identity)
            show(phase, "The checkout belongs to: \(buyer).\(problem)", isError: handoff.problem != nil)
        case .logout:
            let running = logout ?? Task { try await signOut(request) }
            logout = running
            // After a failure, the next press tries again.
            defer { if case .signedIn = phase { logout = nil } }
            return try await running.value
        }
        await approach.deployment.drain()
        return nil
    }

    private func signOut(_ request: WebRequest) async throws -> WebResponse? {
        guard routes != nil else {
            show(.ended(try await approach.signOut().browserURL), "Signed out.")
            return nil
        }
        _ = try await approach.signedIn()
        approach.recorder.begin("Sign out")
        var logout = request
        logout.target = "/auth/logout"
        let response = await answer(logout)
        guard response.status == 303 else { return refused(response, phase) }
        let page = response.headers["Location"].flatMap { try? HTTPURL($0) }
        logoutState = page.flatMap { WebRequest(method: .get, target: "?" + ($0.query ?? "")).queryValue("state") }
        await approach.forgetSession(logoutPage: page)
        show(.ended(page), "Signed out.")
        return response
    }

    func close() async {
        isClosed = true
        login?.cancel()
        await login?.value
        await approach.cleanUp()
    }

    // MARK: View

    /// The page of the provider that the browser may open now.
    var page: HTTPURL? {
        switch phase {
        case .waiting(let page), .ended(let page?): page
        default: nil
        }
    }

    func view() async -> RunView {
        if case .signedIn(let session) = phase { await check(session) }
        await approach.countRequests()
        let count = approach.recorder.count
        return RunView(
            title: "\(ApproachNames.title(of: approach.descriptor)), \(approach.entryPoint.name)",
            provider: approach.provider,
            entryPoint: approach.entryPoint,
            phase: phase,
            notice: notice.text,
            isError: notice.isError,
            facts: await approach.facts,
            steps: approach.recorder.recorded,
            revision: count + changes
        )
    }

    /// Updates the phase if the stored session was changed or removed, for example by a refresh or a back-channel logout.
    func check(_ session: Session) async {
        do {
            // Each saved change has another generation, but new tokens may expire at the same time as the old ones. The generation is read
            // first, so the next check notices a change between the two reads.
            let stored = try await store.session(session.id)?.generation
            let now = try await approach.deployment.sessions.session(session.id)
            guard logout == nil, stored != generation else { return }
            generation = stored
            phase = .signedIn(now)
            changes += 1
        } catch let error as IdentityError where error.code == .sessionUnknown {
            // If a sign-out is running, only the sign-out knows the provider's logout page and shows it.
            guard logout == nil else { return }
            await approach.forgetSession(logoutPage: nil)
            show(.ended(nil), "The session has ended.")
        } catch {
            // If the store fails, the page still shows the last known session.
        }
    }

    private func fail(_ error: any Error, _ phase: Phase = .failed) {
        let error = IdentityError.wrapping(error)
        let suspicion = error.isAttackSuspected ? " An attack is suspected." : ""
        show(phase, "\(error.message) \(error.hint ?? "")\(suspicion) [\(error.code)]", isError: true)
    }

    private func refused(_ response: WebResponse, _ phase: Phase) -> WebResponse {
        show(phase, "The sign-in routes responded with status \(response.status).", isError: true)
        return response
    }

    private func show(_ phase: Phase, _ text: String, isError: Bool = false) {
        self.phase = phase
        notice = (text, isError)
        changes += 1
    }
}

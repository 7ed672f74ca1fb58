public import IdentityHTTP
public import IdentityKit
internal import Synchronization

/// The context of one HTTP request: the browser's session, and the cookies that the response must set.
///
/// ```swift
/// let context = routes.context(for: request)
/// if let response = await context.dispatch() { return response }     // sign-in, callback, sign-out …
/// let session = try await context.requireSession()                   // or session(), cartSession()
/// return context.finish(page(for: session))                          // cookies and cache headers
/// ```
///
/// If the routes or the app have read the session for this request, ``finish(_:)`` forbids every cache to store the response.
public final class WebContext: Sendable {
    private struct State {
        var cookies: [ResponseCookie] = []
        var isPersonal = false
        /// The browser's session; `.none` until it was read, `.some(nil)` if the browser is not signed in.
        var session: Session??
        /// The browser's guest; `.none` until it was read, `.some(nil)` if the browser has no guest.
        var guest: Session??
        /// The return path of the login that this request completes.
        var returnPath: String?
    }

    /// The request.
    public let request: WebRequest
    let routes: SignInRoutes
    private let state = Mutex(State())

    init(_ request: WebRequest, of routes: SignInRoutes) {
        self.request = request
        self.routes = routes
    }

    // MARK: The session

    /// The buyer's session; nil if the browser is not signed in, or if the buyer has to sign in again (`Session.needsLogin`).
    ///
    /// The first call for a request reads the session from the store and notes its use (`SessionManager.noteUse(of:)`). If the browser
    /// still has a guest cookie, the first call also tries to merge the guest's cart. Apart from the merge, this function sends no request
    /// to the provider.
    ///
    /// - Throws: `IdentityError` when the store fails.
    public func session() async throws -> Session? {
        if let known = state.withLock({ $0.session }) { return known }
        let found = try await storedSession().flatMap { $0.needsLogin ? nil : $0 }
        state.withLock { $0.session = .some(found) }
        if let found {
            await routes.sessions.noteUse(of: found)
            if let guest = routes.cookies.guestID(in: request) {
                await routes.retryMerge(of: guest, into: found.id, in: self)
            }
        }
        return found
    }

    /// The session that the browser's cookie names, even if the provider has ended the session.
    ///
    /// Nil if the cookie or the session is missing, for a guest's session, and if an attack is suspected (`Session.isAttackSuspected`).
    /// The callback route calls this function and not ``session()``, because ``session()`` would note a use of the old session and merge
    /// the guest's cart into the old session.
    func storedSession() async throws -> Session? {
        state.withLock { $0.isPersonal = true }
        return try await load(routes.cookies.sessionID(in: request)).flatMap { session in
            session.isGuest || session.isAttackSuspected ? nil : session
        }
    }

    /// Returns the buyer's session; if the browser is not signed in, throws the response that sends the browser to the sign-in.
    ///
    /// After the sign-in, the browser returns to the requested page. After a request with a method such as POST, the browser goes to the
    /// home page instead. If the session manager's return path policy refuses the requested path, the browser goes to the policy's default
    /// page, or to the home page. The app's `admit` function may choose another page.
    ///
    /// With `maxAge` or `acr`, a page requires a recent or a stronger sign-in. If the session does not satisfy the requirement, the buyer
    /// signs in once more (step-up, OpenID Connect Core section 3.1.2.1). The new session keeps the cart.
    ///
    /// ```swift
    /// let session = try await context.requireSession(maxAge: .seconds(300))
    /// ```
    ///
    /// - Parameters:
    ///   - maxAge: The longest time since the buyer authenticated (`auth_time`); by default any. The provider has to support `max_age`.
    ///   - acr: The accepted authentication contexts, in order of preference; by default any.
    /// - Returns: The session.
    /// - Throws: ``WebResponseError`` with a redirect to the provider. The redirect leads to the route `login` instead for a HEAD request,
    ///   or if the browser is not signed in and several providers are configured. The response is JSON with status 401 if `Accept`
    ///   contains `application/json` and not `text/html`, or if the request is for an image, a frame or a script (`Sec-Fetch-Dest`).
    ///   The status is 429 if the client address began too many sign-ins. `IdentityError` when the store fails or the sign-in cannot begin.
    public func requireSession(maxAge: Duration? = nil, acr: [String] = []) async throws -> Session {
        let session = try await session()
        let requirement = StepUpRequirement(demandsLogin: false, maximumAge: maxAge, authenticationContexts: acr)
        if let session, session.satisfies(requirement, at: routes.sessions.clock.now) { return session }
        throw WebResponseError(try await routes.signInResponse(for: self, of: session, requirement))
    }

    // MARK: The buyer's sign-ins

    /// The sign-ins of the buyer of this browser, newest first, for a page on which the buyer sees and ends them.
    ///
    /// - Throws: The errors of ``requireSession(maxAge:acr:)`` and of `SessionManager.signIns(ofBuyerOf:)`.
    public func signIns() async throws -> [BuyerSignIn] {
        try await routes.sessions.signIns(ofBuyerOf: try await requireSession().id)
    }

    /// Ends one sign-in of the buyer of this browser, and revokes its tokens; calls ``refuseCSRF()`` first.
    ///
    /// At many providers, all sessions of a buyer share one grant. At these providers, the revocation also invalidates the refresh tokens
    /// of the buyer's other sessions.
    ///
    /// - Parameter reference: The sign-in, from ``signIns()``. A form may send the reference, because the function ends only sign-ins of
    ///   this buyer.
    /// - Returns: False if this buyer has no such sign-in.
    /// - Throws: The errors of ``refuseCSRF()``, ``requireSession(maxAge:acr:)`` and `SessionManager.endSignIn(_:ofBuyerOf:)`.
    @discardableResult
    public func endSignIn(_ reference: SessionReference) async throws -> Bool {
        try refuseCSRF()
        let ended = try await routes.sessions.endSignIn(reference, ofBuyerOf: try await requireSession().id)
        forgetSession()
        return ended
    }

    /// Ends all sign-ins of the buyer except the one of this browser, and revokes their tokens; calls ``refuseCSRF()`` first.
    ///
    /// At many providers, all sessions of a buyer share one grant. At these providers, the revocation also invalidates the refresh token of
    /// this browser's session, and the buyer has to sign in again when the session's access token expires.
    ///
    /// - Returns: How many sign-ins ended.
    /// - Throws: The errors of ``refuseCSRF()``, ``requireSession(maxAge:acr:)`` and `SessionManager.endOtherSignIns(ofBuyerOf:)`.
    @discardableResult
    public func endOtherSignIns() async throws -> Int {
        try refuseCSRF()
        return try await routes.sessions.endOtherSignIns(ofBuyerOf: try await requireSession().id).count
    }

    // MARK: Carts of buyers and guests

    /// The session whose cart the browser uses: the buyer's session, else the guest's session; nil if the browser has no session.
    ///
    /// - Throws: `IdentityError` when the store fails.
    public func cartSession() async throws -> Session? {
        if let session = try await session() { return session }
        if let known = state.withLock({ $0.guest }) { return known }
        let guest = try await storedGuest()
        state.withLock { $0.guest = .some(guest) }
        return guest
    }

    /// The session whose cart the browser uses, as in ``cartSession()``; if the browser has no session, the session of a new guest.
    ///
    /// Call this method when the buyer adds a line to the cart, not for each page, because every guest occupies a record of the store.
    ///
    /// - Throws: `IdentityError` when the store fails.
    public func beginCartSession() async throws -> Session {
        if let session = try await cartSession() { return session }
        let guest = try await routes.sessions.beginGuest(retainedFor: routes.configuration.guestLifetime)
        state.withLock { $0.guest = .some(guest) }
        set(try routes.cookies.guest(guest.id))
        return guest
    }

    /// The guest that the browser's cookie names; nil for a damaged record, so that ``beginCartSession()`` can replace the guest.
    private func storedGuest() async throws -> Session? {
        do {
            return try await load(routes.cookies.guestID(in: request)).flatMap { $0.isGuest ? $0 : nil }
        } catch let error as IdentityError where error.code == .storeCorrupt {
            routes.sessions.reportFailedRequest(error)
            return nil
        }
    }

    private func load(_ id: SessionID?) async throws -> Session? {
        guard let id else { return nil }
        do {
            return try await routes.sessions.session(id)
        } catch let error as IdentityError where error.code == .sessionUnknown {
            return nil
        }
    }

    // MARK: Forged requests

    /// The value for the hidden field `csrf_token` in the app's forms; nil if the browser has no session cookie and no guest.
    ///
    /// Only clients that send no `Sec-Fetch-Site` and no `Origin` need the field. The token is derived from the id in the session cookie
    /// or, if the browser has no session cookie, from the guest's id.
    public var csrfToken: Secret? {
        let begun = state.withLock { state in
            state.isPersonal = true
            return state.guest ?? nil
        }
        let id = routes.cookies.sessionID(in: request) ?? begun?.id ?? routes.cookies.guestID(in: request)
        return id?.csrfToken
    }

    /// The origin of the provider's logout page, to which a sign-out form leads the browser.
    ///
    /// Add the origin to `form-action` in the `Content-Security-Policy` of pages with a sign-out form, because Chromium also applies
    /// `form-action` to the redirects that follow a form. The list is empty if the browser has no session or if no logout page is
    /// available, for example because the provider's metadata cannot be read.
    public func logoutOrigins() async -> [String] {
        state.withLock { $0.isPersonal = true }
        guard let id = routes.cookies.sessionID(in: request) else { return [] }
        return await routes.sessions.logoutPageOrigin(of: id).map { [$0] } ?? []
    }

    // MARK: The response

    /// Adds a cookie to the response, in place of an earlier cookie with the same name.
    public func set(_ cookie: ResponseCookie) {
        state.withLock { state in
            state.cookies.removeAll { $0.name.isIdentical(to: cookie.name) }
            state.cookies.append(cookie)
        }
    }

    /// Discards the sessions that this request has read, because a sign-in or sign-out may have replaced or ended them.
    func forgetSession() {
        state.withLock { state in
            state.session = nil
            state.guest = nil
            state.isPersonal = true
        }
    }

    /// Notes the return path of a login, so that the error page of a failed login links to a new login with the same return path.
    func noteReturnPath(_ path: String?) {
        state.withLock { $0.returnPath = path }
    }

    /// Adds the cookies of ``set(_:)`` to a response.
    ///
    /// If a session, the CSRF token or the logout origin was read for this request, or if ``set(_:)`` was called, the headers forbid every
    /// cache to store the response. A second call for the same response changes nothing.
    public func finish(_ response: WebResponse) -> WebResponse {
        var response = response
        finish(headers: &response.headers)
        return response
    }

    /// Adds cookies and cache headers to the headers of a framework's own response, as ``finish(_:)`` does.
    public func finish(headers: inout HTTPHeaders) {
        let (cookies, isPersonal) = state.withLock { ($0.cookies, $0.isPersonal) }
        if isPersonal || !cookies.isEmpty {
            headers = headers.without(Self.sharedCacheHeaders)
            headers.replace("Cache-Control", "private, no-store")
            let vary = headers.values(for: "Vary").joined(separator: ", ")
            let names = vary.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
            if !names.contains("cookie"), !names.contains("*") {
                headers.replace("Vary", vary.isEmpty ? "Cookie" : vary + ", Cookie")
            }
        }
        // The app may have called `finish` before `SignInRoutes.handle` calls it.
        let present = headers.values(for: "Set-Cookie")
        for value in cookies.map(\.headerValue) where !present.contains(where: { $0.isIdentical(to: value) }) {
            headers.add("Set-Cookie", value)
        }
    }

    /// Headers that can permit a cache to store a response in spite of `Cache-Control`.
    private static let sharedCacheHeaders: Set<String> = [
        "cdn-cache-control", "cloudflare-cdn-cache-control", "edge-control", "expires", "fastly-surrogate-control",
        "netlify-cdn-cache-control", "pragma", "surrogate-control", "vercel-cdn-cache-control", "x-accel-expires",
        "x-litespeed-cache-control",
    ]

    /// The finished response to an error that the app threw.
    ///
    /// A ``WebResponseError`` contains its response. For any other error, the response is a page without internal details, or JSON if
    /// `Accept` contains `application/json` and not `text/html`. The page and the JSON show the correlation id of the event
    /// `IdentityEvent.Kind.requestFailed`, which reports the error.
    public func response(for error: any Error) -> WebResponse {
        if let error = error as? WebResponseError { return finish(error.response) }
        let error = IdentityError.wrapping(error)
        routes.sessions.reportFailedRequest(error)
        let returnPath = state.withLock { $0.returnPath }
        return finish(request.prefersJSON ? routes.json(error) : routes.page(for: error, returningTo: returnPath))
    }

    /// Handles the request with the route that has the request's path; nil if the app has to handle the request.
    ///
    /// If the path names an unknown provider, the response has status 404.
    public func dispatch() async -> WebResponse? {
        guard let route = routes.table[request.path] else {
            guard routes.table.owns(request.path) else { return nil }
            return finish(routes.page(.notFound))
        }
        return await Correlation.scope {
            do {
                let browser = routes.recordedBrowser(of: request)
                return finish(try await browser.scope { try await routes.dispatch(route, in: self) })
            } catch {
                return response(for: error)
            }
        }
    }
}

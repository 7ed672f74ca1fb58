public import IdentityHTTP
public import IdentityKit

/// Creates and reads the cookies of a sign-in.
///
/// The routes use these cookies, and an app with its own routes can use them, too:
///
/// ```swift
/// let cookies = try SignInCookies(publicOrigin: "https://shop.example")
/// let login = try await sessions.begin("shopify")
/// try response.headers.append("Set-Cookie", cookies.login(login).headerValue)
/// // At the callback:
/// let done = try await sessions.complete(
///     callback, browserBinding: cookies.binding(of: callback, in: request), provider: "shopify")
/// try response.headers.append("Set-Cookie", cookies.session(done.session.id).headerValue)
/// ```
///
/// With https, every name begins with `__Host-`, so that no other host can set the cookies. Each login has a cookie of its own, so that
/// a login in a second tab does not replace the login of the first tab.
public struct SignInCookies: Sendable {
    private let prefix: String
    private let isSecure: Bool
    private let sessionLifetime: Duration?
    private let guestLifetime: Duration

    /// Creates the cookies of an app.
    ///
    /// - Parameters:
    ///   - publicOrigin: The origin under which browsers reach the app.
    ///   - name: The part of each cookie's name before `-session`, `-guest`, `-login-…` and `-logout`; by default `identity`.
    ///   - sessionLifetime: How long a browser keeps the cookie of a session, by default 90 days; nil: until the browser is closed.
    ///   - guestLifetime: How long a browser keeps the cookie of a guest, by default 30 days.
    /// - Throws: `IdentityError` with code `configuration_invalid` if `name` is not a token (RFC 9110), is longer than 64 bytes or begins
    ///   with two underscores, or if `publicOrigin` is not an https origin or an http origin with a loopback address.
    public init(
        publicOrigin: String,
        name: String = "identity",
        sessionLifetime: Duration? = .seconds(90 * 86_400),
        guestLifetime: Duration = .seconds(30 * 86_400)
    ) throws(IdentityError) {
        guard let url = HTTPURL(origin: publicOrigin), url.isSecure(orLoopback: true) else {
            throw IdentityError(
                configuration: "`publicOrigin` must be an https origin, or an http origin with a loopback address.",
                hint:
                    "Set publicOrigin to scheme, host and port only, for example https://shop.example. Use http only with a loopback "
                    + "address such as 127.0.0.1."
            )
        }
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(ASCII.isToken),
            !name.utf8.starts(with: "__".utf8)
        else {
            throw IdentityError(
                configuration:
                    "The name of the cookies must have 1 to 64 characters that RFC 6265 permits, and must not begin with two underscores.",
                hint:
                    "Use letters, digits and hyphens in `cookieName` of the routes, or in the parameter `name` of SignInCookies."
            )
        }
        isSecure = url.isSecure
        prefix = (url.isSecure ? "__Host-" : "") + name + "-"
        self.sessionLifetime = sessionLifetime
        self.guestLifetime = guestLifetime
    }

    // MARK: Sessions

    /// The cookie that contains the id of the browser's session.
    public func session(_ id: SessionID) throws(HTTPTransportError) -> ResponseCookie {
        try cookie("session", id.rawValue, sessionLifetime)
    }

    /// The id in the session cookie of a request.
    ///
    /// Nil if the request has no session cookie, if it has two with different values, or if the value is not a session id.
    public func sessionID(in request: WebRequest) -> SessionID? {
        request.cookie(prefix + "session").flatMap { SessionID(rawValue: $0) }
    }

    /// The cookie that identifies a guest, who has a cart and is not signed in.
    public func guest(_ id: SessionID) throws(HTTPTransportError) -> ResponseCookie {
        try cookie("guest", id.rawValue, guestLifetime)
    }

    /// The id in the guest cookie of a request; nil in the same cases as for the session cookie (``sessionID(in:)``).
    public func guestID(in request: WebRequest) -> SessionID? {
        request.cookie(prefix + "guest").flatMap { SessionID(rawValue: $0) }
    }

    // MARK: Logins

    /// The cookie that binds a login to the browser in which it begins (RFC 9700 section 4.7).
    ///
    /// The browser keeps the cookie five minutes longer than the login is valid. If the store still has the expired login, a callback in
    /// these minutes fails with code `attempt_expired`. Without the cookie, this callback would fail with code `browser_mismatch`.
    public func login(_ login: StartedLogin) throws(HTTPTransportError) -> ResponseCookie {
        let value = LoginCookieValue(login)
        return try cookie("login-" + login.attemptID, value.text, login.lifetime + .seconds(300), value.mode)
    }

    /// The browser binding of the login to which a callback belongs; nil if the request has no valid cookie of this login, or if the login
    /// is complete.
    public func binding(of callback: LoginCallback, in request: WebRequest) -> Secret? {
        callback.attemptID.flatMap { loginValue($0, in: request)?.binding }
    }

    /// The content of a login's cookie; nil if the cookie is missing, cannot be parsed, or occurs twice with different values.
    func loginValue(_ attemptID: String, in request: WebRequest) -> LoginCookieValue? {
        request.cookie(prefix + "login-" + attemptID).flatMap { LoginCookieValue($0) }
    }

    /// The cookie of a completed login, by which the routes recognize its callback if the browser repeats the callback within 15 minutes.
    func completedLogin(
        _ attemptID: String,
        _ value: LoginCookieValue
    ) throws(HTTPTransportError) -> ResponseCookie {
        try cookie("login-" + attemptID, value.text, .seconds(900), value.mode)
    }

    /// Cookies that remove login cookies from the browser, so that at most `maximum` remain.
    ///
    /// Cookies of completed logins and cookies that cannot be parsed are removed first, then those of the logins that expire first.
    func excessLogins(in request: WebRequest, keeping maximum: Int) -> [ResponseCookie] {
        let (start, sent) = (prefix + "login-", RequestCookies(request.headers))
        return sent.names.filter { $0.utf8.starts(with: start.utf8) }
            .map { name in
                let value = sent.value(of: name).flatMap { LoginCookieValue($0) }
                let end = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
                return (end: end, mode: value?.mode ?? .query, order: (value?.binding == nil ? 0 : 1, value?.time ?? 0))
            }
            .sorted { $0.order < $1.order }.dropLast(maximum)
            .compactMap { removal($0.end, $0.mode) }
    }

    // MARK: Logouts

    /// The cookie that binds the return from a provider's logout page to the browser in which the logout began.
    public func logout(_ awaited: LogoutResult.AwaitedReturn) throws(HTTPTransportError) -> ResponseCookie {
        try cookie("logout", awaited.browserBinding.reveal(), awaited.lifetime)
    }

    /// The browser binding in the logout cookie of a request; it proves that the logout began in this browser.
    ///
    /// Nil if the request has no logout cookie, or two with different values.
    public func logoutBinding(in request: WebRequest) -> Secret? {
        request.cookie(prefix + "logout").map { Secret($0) }
    }

    // MARK: Removals

    /// A cookie that removes the session cookie from the browser; never nil, because the initializer accepts only valid names.
    public var withoutSession: ResponseCookie? { removal("session") }
    /// A cookie that removes the guest cookie from the browser; never nil, like ``withoutSession``.
    public var withoutGuest: ResponseCookie? { removal("guest") }
    /// A cookie that removes the logout cookie from the browser; never nil, like ``withoutSession``.
    public var withoutLogout: ResponseCookie? { removal("logout") }

    /// A removal has the attributes of the cookie, because a browser may keep a cookie with `Secure` if its removal has no `Secure`.
    private func removal(_ name: String, _ mode: ResponseMode = .query) -> ResponseCookie? {
        try? cookie(name, "", .zero, mode)
    }

    private func cookie(
        _ name: String,
        _ value: String,
        _ lifetime: Duration?,
        _ mode: ResponseMode = .query
    ) throws(HTTPTransportError) -> ResponseCookie {
        // With `form_post`, a page of the provider's site posts the callback. In such a POST, browsers send only cookies with
        // SameSite=None. They accept SameSite=None only together with Secure, also at loopback addresses.
        let isPosted = mode == .formPost
        return try ResponseCookie(
            prefix + name,
            value,
            maximumAge: lifetime,
            isSecure: isSecure || isPosted,
            isHTTPOnly: true,
            sameSite: isPosted ? .none : .lax
        )
    }
}

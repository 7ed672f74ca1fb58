public import IdentityHTTP
public import IdentityKit

/// The routes of a sign-in for any server framework: sign-in, callback, sign-out, back-channel logout and session lookup.
///
/// One instance serves a whole app. An adapter turns the framework's request into a ``WebRequest`` and the ``WebResponse`` back:
///
/// ```swift
/// let routes = try SignInRoutes(sessions: sessions, carts: carts, configuration: .init(publicOrigin: "https://shop.example"))
/// let response = await routes.handle(request) { context in
///     let session = try await context.requireSession()
///     return .html("<p>Hello, \(escape(session.buyer.displayName ?? "you"))</p>")
/// }
/// ```
///
/// | route | method | does |
/// | --- | --- | --- |
/// | `login` | GET | the page to choose a provider; with ``Configuration/thirdPartyLogins`` also a sign-in that a provider begins |
/// | `login/{provider}?return=…` | GET | begins a sign-in |
/// | `callback/{provider}` | GET, POST | completes a sign-in |
/// | `logout` | GET, POST | POST ends the session here and at the provider; GET shows a page with a button that does so |
/// | `logout/done` | GET | receives the browser from the provider's logout page |
/// | `backchannel-logout/{provider}` | POST | receives the provider's logout tokens |
/// | `session` | GET | JSON for scripts: whether the browser is signed in, without a token |
public final class SignInRoutes: Sendable {
    package let sessions: SessionManager
    let carts: (any SignInCarts)?
    let configuration: Configuration
    package let cookies: SignInCookies
    let limiter: LoginLimiter
    let mergePauses: MergePauses
    let table: RouteTable

    /// The address that has to be registered as redirect URI at each provider.
    public let callbackAddresses: [(provider: String, address: String)]

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - sessions: The session manager, with the providers to choose from.
    ///   - carts: The carts that follow a sign-in; none by default.
    ///   - configuration: How the routes behave.
    /// - Throws: `IdentityError` with code `configuration_invalid` when the public origin, the base path, the home page or the name of the
    ///   cookies is malformed, when a limit is too small, when `thirdPartyLogins` names an unknown provider, and when a provider's
    ///   configured `redirectURI` is not the address of its callback route.
    public init(
        sessions: SessionManager,
        carts: (any SignInCarts)? = nil,
        configuration: Configuration
    ) throws(IdentityError) {
        try configuration.check(providers: sessions.providerNames)
        self.sessions = sessions
        self.carts = carts
        self.configuration = configuration
        cookies = try SignInCookies(
            publicOrigin: configuration.publicOrigin,
            name: configuration.cookieName,
            sessionLifetime: configuration.sessionCookieLifetime,
            guestLifetime: configuration.guestLifetime
        )
        table = try RouteTable(configuration, providers: sessions.providerNames)
        guard !table.contains(configuration.homePath) else {
            throw IdentityError(
                configuration: "`homePath` of the routes is the path of one of these routes.",
                hint: "Set homePath to a page of the app."
            )
        }
        limiter = LoginLimiter(configuration.loginLimit, clock: sessions.clock)
        mergePauses = MergePauses(clock: sessions.clock)
        var addresses: [(provider: String, address: String)] = []
        for name in sessions.providerNames {
            let address = table.callbackAddress(of: name)
            let redirectURI = try sessions.descriptor(of: name).redirectURI
            guard redirectURI.map({ $0.isIdentical(to: address) }) ?? true else {
                throw IdentityError(
                    configuration: "`redirectURI` of provider \(name) is not the address of its callback route.",
                    hint:
                        "Set providers.\(name).redirectURI to \(address), and register it at the provider. If browsers do not reach the "
                        + "app there, correct `publicOrigin` or `basePath` of the routes instead.",
                    reference: "RFC 6749 section 3.1.2"
                )
            }
            addresses.append((name, address))
        }
        callbackAddresses = addresses
    }

    /// The context of one request.
    public func context(for request: WebRequest) -> WebContext {
        WebContext(request, of: self)
    }

    /// Handles a request with the routes, or with the app if it is for none of them.
    ///
    /// An error that the app throws becomes a page, or JSON for a client that accepts only JSON.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - app: The app's own pages.
    /// - Returns: The finished response, with cookies and cache headers.
    public func handle(
        _ request: WebRequest,
        otherwise app: (WebContext) async throws -> WebResponse
    ) async -> WebResponse {
        let context = context(for: request)
        return await Correlation.scope {
            if let response = await context.dispatch() { return response }
            do {
                return context.finish(try await app(context))
            } catch {
                return context.response(for: error)
            }
        }
    }
}

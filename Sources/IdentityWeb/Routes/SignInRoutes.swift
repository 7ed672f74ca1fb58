public import IdentityHTTP
public import IdentityKit

/// Handles the HTTP requests of a sign-in with any server framework: sign-in, callback, sign-out, back-channel logout and session lookup.
///
/// One instance serves a whole app. An adapter turns the framework's request into a ``WebRequest``, and the ``WebResponse`` into the
/// framework's response:
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
/// | `login` | GET, POST | list of providers, or redirect to a single provider; begins sign-ins of ``Configuration/thirdPartyLogins`` |
/// | `login/{provider}?return=…` | GET | begins a sign-in |
/// | `callback/{provider}` | GET, POST | completes a sign-in; POST only for a provider with `form_post` |
/// | `logout` | GET, POST | POST ends the session and leads to the provider's logout page, if any; GET shows a sign-out button |
/// | `logout/done` | GET | receives the browser from the provider's logout page |
/// | `backchannel-logout/{provider}` | POST | receives the provider's logout tokens |
/// | `session` | GET | JSON for scripts: whether the browser is signed in, and the CSRF token, but no token of the provider |
public final class SignInRoutes: Sendable {
    package let sessions: SessionManager
    let carts: (any SignInCarts)?
    let configuration: Configuration
    package let cookies: SignInCookies
    let limiter: LoginLimiter
    let mergePauses: MergePauses
    let table: RouteTable

    /// The address of each provider's callback route; register each address at its provider as redirect URI.
    public let callbackAddresses: [(provider: String, address: String)]

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - sessions: The session manager, with the providers to choose from.
    ///   - carts: The carts that the routes merge or move at a sign-in; none by default.
    ///   - configuration: The configuration of the routes.
    /// - Throws: `IdentityError` with code `configuration_invalid` if a member of `configuration` is not valid, or if a provider's
    ///   `redirectURI` is not the address of its callback route.
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
                configuration:
                    "`homePath` of the routes is the path of a sign-in route, not of a page of the app.",
                hint: "Set homePath to a page of the app, for example \"/\"."
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
                        + "app at this address, correct `publicOrigin` or `basePath` of the routes instead.",
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

    /// Handles a request with the route that has the request's path; if no route has this path, calls `app`.
    ///
    /// If the path names an unknown provider after `login/`, `callback/` or `backchannel-logout/`, the response has status 404.
    /// If `app` throws an error, the response is that of ``WebContext/response(for:)``. Every response has the cookies and cache headers of
    /// ``WebContext/finish(_:)``, so `app` need not call `finish` itself.
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

    func dispatch(_ route: RouteTable.Route, in context: WebContext) async throws -> WebResponse {
        let methods = methods(of: route)
        guard methods.contains(context.request.method) else {
            var response = page(.notFound, status: 405)
            response.headers.replace("Allow", methods.map(\.rawValue).joined(separator: ", "))
            return response
        }
        guard context.request.body.count <= WebRequest.maximumBodyBytes else {
            return WebResponse(status: 413, headers: .of([("Cache-Control", "no-store")]))
        }
        switch route {
        case .chooseProvider: return try await choose(in: context)
        case .login(let provider):
            let options = linkOptions(context.request)
            return try await login(in: context) { try await sessions.begin(provider, options: options) }
        case .callback(let provider): return try await callback(provider, in: context)
        case .logout: return try await logout(in: context)
        case .logoutDone: return try await logoutDone(in: context)
        case .backChannelLogout(let provider): return await backChannelLogout(provider, context.request)
        case .session: return try await sessionJSON(in: context)
        }
    }

    /// HEAD is safe (RFC 9110 section 9.2.1), so a route has HEAD only if its GET neither begins nor completes a sign-in or sign-out.
    ///
    /// The server or its adapter removes the body of the response to HEAD.
    private func methods(of route: RouteTable.Route) -> [HTTPMethod] {
        switch route {
        case .chooseProvider: configuration.thirdPartyLogins.isEmpty ? [.get, .head] : [.get, .post]
        case .login, .logoutDone: [.get]
        case .session: [.get, .head]
        case .callback(let provider):
            (try? sessions.descriptor(of: provider))?.responseMode == .formPost ? [.get, .post] : [.get]
        case .logout: [.get, .head, .post]
        case .backChannelLogout: [.post]
        }
    }
}

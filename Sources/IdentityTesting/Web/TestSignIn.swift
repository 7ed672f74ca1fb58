internal import FoundationEssentials
public import IdentityHTTP
public import IdentityKit
public import IdentityWeb

/// A signed-in buyer for tests of an app's pages, without a provider and without a browser.
///
/// ```swift
/// var signIn = TestSignIn(buyer: Buyer(issuer: "https://id.example", subject: "ada"))
/// signIn.acr = "urn:example:two-factor"
/// let request = try await signIn.request(to: routes, .get, "/orders")
/// let response = await routes.handle(request, otherwise: app)
/// ```
public struct TestSignIn: Sendable {
    /// The buyer who is signed in.
    public var buyer: Buyer
    /// The provider's name; by default the first provider of the session manager, or `test` if it has no provider.
    ///
    /// The session manager need not have a provider with this name.
    public var provider: String?
    /// The tenant; by default the tenant of the provider.
    ///
    /// If the session manager does not have the provider, the default is the session manager's tenant, or the empty text if the session
    /// manager serves all tenants.
    public var tenant: String?
    /// The granted scopes, by default `openid`.
    public var scopes = ["openid"]
    /// The authentication context of the sign-in, by default none.
    public var acr: String?
    /// The time from the buyer's authentication to the creation of the session, by default zero.
    public var age: Duration = .zero
    /// The access token, which is valid for an hour.
    public var accessToken = Secret("test-access-token")

    /// Creates a sign-in; by default, an invented buyer signs in.
    public init(buyer: Buyer = Buyer(issuer: "https://id.example", subject: "test-buyer")) {
        self.buyer = buyer
    }

    /// Stores a session, as a completed sign-in does.
    ///
    /// - Throws: `IdentityError` when the store fails, or when the issuer or subject of ``buyer`` is empty.
    public func session(in sessions: SessionManager) async throws -> Session {
        let now = sessions.clock.now
        var tokens = TokenSet(
            buyer: buyer,
            accessToken: accessToken,
            scopes: scopes,
            issuedAt: now,
            expiresAt: now + 3600
        )
        tokens.authenticatedAt = now - age.timeInterval
        var claims: JSONObject = [
            "iss": .string(buyer.issuer), "sub": .string(buyer.subject),
            "auth_time": .integer(Int((now - age.timeInterval).timeIntervalSince1970)),
        ]
        claims["acr"] = acr.map { .string($0) }
        tokens.claims = IDTokenClaims(
            issuer: buyer.issuer,
            subject: buyer.subject,
            authenticatedAt: tokens.authenticatedAt,
            all: claims
        )
        let name = provider ?? sessions.providerNames.first ?? "test"
        var descriptor =
            (try? sessions.descriptor(of: name))
            ?? ProviderDescriptor(name: name, kind: "test", clientID: "test", tenant: sessions.tenant ?? "")
        if let tenant { descriptor.tenant = tenant }
        return try await sessions.establish(tokens, as: descriptor)
    }

    /// Stores a session, and returns a request that the signed-in buyer's browser would send.
    ///
    /// A request with another method than GET has the header `Sec-Fetch-Site: same-origin`, which browsers send from the app's own pages.
    /// Without this header, `WebContext.refuseCSRF()` refuses a request that has no CSRF token.
    ///
    /// - Parameters:
    ///   - routes: The routes of the app.
    ///   - method: The method, by default GET.
    ///   - target: Path and query.
    ///   - form: The fields of a form; nil if the request has no body.
    /// - Returns: The request.
    /// - Throws: `IdentityError` when the store fails, or when the issuer or subject of ``buyer`` is empty.
    public func request(
        to routes: SignInRoutes,
        _ method: HTTPMethod = .get,
        _ target: String = "/",
        form: [(name: String, value: String)]? = nil
    ) async throws -> WebRequest {
        let session = try await session(in: routes.sessions)
        let cookie = try routes.cookies.session(session.id)
        var headers = HTTPHeaders()
        try headers.append("Cookie", "\(cookie.name)=\(session.id.rawValue)")
        if method != .get { try headers.append("Sec-Fetch-Site", "same-origin") }
        if form != nil { try headers.append("Content-Type", MediaType.form.rawValue) }
        return WebRequest(
            method: method,
            target: target,
            headers: headers,
            body: form.map(FormEncoding.encode) ?? [],
            clientAddress: "192.0.2.1"
        )
    }
}

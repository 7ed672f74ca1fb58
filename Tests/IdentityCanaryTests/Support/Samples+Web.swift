import FoundationEssentials
import IdentityTesting
import IdentityWeb
import TestDoubles

extension Samples {
    /// A request with a session and a callback, and the values that the routes create from it.
    static func web(_ canary: SecretCanary, _ id: SessionID) async throws -> [Any] {
        let store = InMemoryStore()
        let sessions = SessionManager(
            providers: try ProviderRegistry([]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork())
        )
        let routes = try SignInRoutes(sessions: sessions, configuration: .init(publicOrigin: "https://shop.example"))
        var headers = HTTPHeaders()
        try headers.append("Cookie", "__Host-identity-session=\(id.rawValue); a=\(canary.plant("cookie"))")
        let request = WebRequest(
            method: .post,
            target: "/auth/callback/any?code=\(canary.plant("code"))",
            headers: headers,
            body: Array("csrf_token=\(canary.plant("form"))".utf8),
            clientAddress: canary.plant("address")
        )
        let context = routes.context(for: request)
        let token = context.csrfToken
        if let token { canary.watch(token) }
        let answer = await context.dispatch()
        let guest = try await context.beginCartSession()
        canary.watch(Secret(guest.id.rawValue))
        let signIn = SignIn(
            provider: "any",
            buyer: Buyer(issuer: "https://id.example", subject: canary.plant("subject")),
            returnPath: "/orders",
            clientAddress: canary.plant("address")
        )
        let browser = BuyerBrowser(address: canary.plant("address"), userAgent: canary.plant("agent"))
        let fields = [(name: "csrf_token", value: secret("field", canary))]
        let content = SignInPage.Content.confirmSignOut(action: "/auth/logout", fields: fields)
        let page = SignInPage(content: content, correlationID: "c", signInLink: "/auth/login", homeLink: "/")
        let finished = context.finish(.html("<p>\(canary.plant("page"))</p>"))
        var configuration = SignInRoutes.Configuration(publicOrigin: "https://shop.example")
        configuration.loginOptions.loginHint = canary.plant("hint")
        var values: [Any] = [
            configuration, request, context, routes, signIn, content, page, WebResponseError(finished), finished,
        ]
        values += [browser, guest, try SignInCookies(publicOrigin: "https://shop.example")] as [Any]
        if let token { values.append(token) }
        if let answer { values.append(answer) }
        return values
    }
}

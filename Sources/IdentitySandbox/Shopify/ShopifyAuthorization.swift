internal import FoundationEssentials
internal import IdentityKit

extension SandboxShopify {
    static let knownScopes = [
        "openid", "email", "customer-account-api:full", "customer-account-mcp-api:full",
        "https://api.customers.com/auth/customer.graphql",
    ]

    /// Returns the error page for an invalid authorization request; as at Shopify, the app gets no callback.
    private func refuse(_ reason: String, _ hint: String) -> SandboxResponse {
        NoticePages.refusal(brand: "Shopify", reason, hint: hint)
    }

    func authorize(_ call: SandboxCall, _ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxResponse {
        guard let query = OAuthParameters(call.request) else {
            return refuse("The query is malformed.", "Send every parameter once, and percent-encode its value.")
        }
        guard let clientID = query["client_id"], let client = clients.first(where: { $0.id == clientID }) else {
            return refuse("client_id is missing or not registered.", "Compare client_id with the client's settings.")
        }
        guard let redirectURI = query["redirect_uri"], client.permits(redirectURI, in: client.redirectURIs) else {
            return refuse(
                "redirect_uri is missing or not registered.",
                "Send a redirect_uri that is registered byte for byte. A loopback URI also needs allowsLoopback."
            )
        }
        guard query["response_type"] == "code" else {
            return refuse("response_type must be code.", "Send response_type=code.")
        }
        let scopes = query.scopes
        guard !scopes.isEmpty, scopes.allSatisfy({ Self.knownScopes.contains($0) }) else {
            return refuse("scope is missing or unknown.", "Send openid email customer-account-api:full.")
        }
        guard query["state"] != nil else { return refuse("state is required.", "Send an unguessable state.") }
        guard client.kind == .confidential || query["code_challenge"] != nil else {
            return refuse("A public client must send code_challenge.", "Use PKCE (RFC 7636).")
        }
        guard query["code_challenge"] == nil || query["code_challenge_method"] == "S256" else {
            return refuse("code_challenge_method must be S256.", "Send S256: plain is not supported.")
        }
        journal.count(\.authorizations)
        return start(call.request, query, clientID, redirectURI, shape)
    }

    private func start(
        _ request: SandboxRequest,
        _ query: OAuthParameters,
        _ clientID: String,
        _ redirectURI: String,
        _ shape: SandboxShopifyConfiguration.EndpointShape
    ) -> SandboxResponse {
        let login = HostedLogin(
            clientID: clientID,
            callback: redirectURI,
            query,
            displayedParameters: [
                "locale", "ui_locales", "region_country", "login_hint_mode", "acr_values", "prompt",
            ],
            at: clock.now
        )
        let session = browserSession(of: request)
        let signedIn = session.flatMap { directory.buyer(number: $0.buyer)?.account.email.lowercased() }
        if let session, login.loginHint.map({ $0.lowercased() == signedIn }) ?? true {
            return finish(login, session)
        }
        if query["prompt"] == "none" { return refuseSilently(login) }
        return begin(login, submitsHint: query["login_hint_mode"] == "submit", at: basePath(shape) + "/login")
    }

    private func refuseSilently(_ login: HostedLogin) -> SandboxResponse {
        switch configuration.silentLoginRefusal {
        case .error: login.redirect(with: [("error", "login_required")], status: 302)
        case .code: login.redirect(with: [("code", "login_required")], status: 302)
        case .notAcceptable: NoticePages.accessDenied(status: 406)
        }
    }

    func login(_ call: SandboxCall) -> SandboxResponse {
        login(
            call,
            denied: { $0.redirect(with: [("error", "access_denied"), ("error_description", "The buyer cancelled.")]) },
            finish: finish
        )
    }

    private func finish(_ login: HostedLogin, _ session: LoginSessions.Session) -> SandboxResponse {
        let code = issue(code: "shcac_" + RandomText.hexadecimal(32), for: Grant(login, session))
        return login.redirect(with: [("code", code)])
    }
}

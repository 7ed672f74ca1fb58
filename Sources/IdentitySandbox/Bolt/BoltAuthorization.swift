internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

extension SandboxBolt {
    static let knownScopes = ["openid", "email", "bolt.account.manage", "bolt.account.view"]

    func authorize(_ call: SandboxCall) -> SandboxResponse {
        func refuse(_ reason: String, _ hint: String) -> SandboxResponse {
            NoticePages.refusal(brand: "Bolt", reason, hint: hint)
        }
        guard let query = OAuthParameters(call.request) else {
            return refuse("The query is malformed.", "Send every parameter once, and percent-encode its value.")
        }
        guard let clientID = query["client_id"], isClient(clientID) else {
            return refuse("client_id is missing or unknown.", "Send the publishable key as client_id.")
        }
        let (registered, added) = state.withLock { ($0.callbackURL, $0.redirectURIs) }
        if let uri = query["redirect_uri"],
            !RedirectRule.permits(uri, registered: configuration.redirectURIs + added + [registered])
        {
            return refuse("redirect_uri is not registered.", "Register redirect_uri, or send no redirect_uri.")
        }
        let callback = query["redirect_uri"] ?? registered
        var login = HostedLogin(clientID: clientID, callback: callback, query, at: clock.now)
        func fail(_ error: String, _ description: String) -> SandboxResponse {
            login.redirect(with: [("error", error), ("error_description", description)], status: 302)
        }
        guard query["response_type"] == "code" else {
            return fail("unsupported_response_type", "response_type must be code.")
        }
        guard query.scopes.allSatisfy({ Self.knownScopes.contains($0) }) else {
            return fail("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
        }
        guard (query["state"]?.utf8.count ?? 0) >= 8 else {
            return fail("invalid_state", "The state is missing or does not have enough characters.")
        }
        let method = query["code_challenge_method"]
        guard query["code_challenge"] == nil ? method == nil : method == "S256" else {
            return fail("invalid_request", "code_challenge and code_challenge_method=S256 must be sent together.")
        }
        journal.count(\.authorizations)
        login.loginHint = query["login_hint"] ?? query["email"]
        if call.request.path == Self.internalAuthorizationPath { login.brand = SandboxSFCC.brand }
        if let session = browserSession(of: call.request) { return finish(login, session) }
        return begin(login, at: "/hosted")
    }

    func login(_ call: SandboxCall) -> SandboxResponse {
        login(
            call,
            denied: {
                $0.redirect(with: [("error", "access_denied"), ("error_description", "The shopper declined.")])
            },
            finish: finish
        )
    }

    private func finish(_ login: HostedLogin, _ session: LoginSessions.Session) -> SandboxResponse {
        var fields = [(name: "code", value: issue(code: Self.randomToken(), for: Grant(login, session)))]
        if !login.scopes.isEmpty { fields.append(("scope", login.scopes.joined(separator: " "))) }
        guard !login.callback.isEmpty else {
            if let state = login.state { fields.append(("state", state)) }
            return .html(NoticePages.finished(callback: "?" + FormText.encode(fields)))
        }
        return login.redirect(with: fields)
    }
}

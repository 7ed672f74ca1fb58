internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    func authorize(_ call: SandboxCall) -> SandboxAnswer {
        func refuse(_ reason: String) -> SandboxAnswer {
            .html(NoticePages.refusal(brand: "OpenID", reason, hint: "Check the client's settings."), status: 400)
        }
        guard let query = AuthorizationQuery(call.request) else { return refuse("The request is malformed.") }
        guard query["client_id"] == configuration.clientID else { return refuse("client_id is unknown.") }
        guard let redirectURI = query["redirect_uri"],
            RedirectRule.permits(redirectURI, registered: configuration.redirectURIs, allowsLoopback: true)
        else { return refuse("redirect_uri is not registered.") }
        func fail(_ error: String) -> SandboxAnswer { answer([("error", error)], query["state"], redirectURI) }
        guard query["response_type"] == "code" else { return fail("unsupported_response_type") }
        guard query.scopes.contains("openid") else { return fail("invalid_scope") }
        let needsChallenge = configuration.clientSecret == nil
        guard query["code_challenge"].map({ _ in query["code_challenge_method"] == "S256" }) ?? !needsChallenge else {
            return fail("invalid_request")
        }
        journal.count(\.authorizations)
        let login = LoginTransaction(
            id: RandomText.hexadecimal(32),
            clientID: configuration.clientID,
            callback: redirectURI,
            redirectURI: redirectURI,
            state: query["state"],
            scopes: query.scopes,
            nonce: query["nonce"],
            challenge: query["code_challenge"],
            loginHint: query["login_hint"],
            wishes: query.wishes(["ui_locales", "prompt", "acr_values", "max_age"]),
            binding: RandomText.hexadecimal(32),
            expires: clock.now + 600
        )
        if query["prompt"] != "login", let session = state.withLock({ $0.desk.session(of: call.request) }) {
            return finish(login, session)
        }
        if query["prompt"] == "none" { return fail("login_required") }
        return state.withLock { $0.desk.begin(login, submitsHint: false, at: "/login") }
    }

    func login(_ call: SandboxCall) -> SandboxAnswer {
        let now = clock.now
        switch state.withLock({ $0.desk.handle(call.request, at: now) }) {
        case .answer(let answer): return answer
        case .denied(let login): return answer([("error", "access_denied")], login.state, login.callback)
        case .signedIn(let login, let email):
            let buyer = directory.buyer(email: email).number
            let (session, cookie) = state.withLock { $0.desk.openSession(for: buyer, at: now) }
            return finish(login, session).with("Set-Cookie", cookie)
        }
    }

    private func finish(_ login: LoginTransaction, _ session: LoginDesk.Session) -> SandboxAnswer {
        let now = clock.now
        let code = RandomText.base64URL(32)
        state.withLock { state in
            let grant = state.ledger.addGrant(
                clientID: login.clientID,
                buyer: session.buyer,
                scopes: login.scopes,
                nonce: login.nonce,
                sessionID: session.id,
                at: session.authenticatedAt,
                redirectURI: login.redirectURI,
                challenge: login.challenge
            )
            state.ledger.addCode(code, for: grant.id, expires: now + codeLifetime.timeInterval)
        }
        journal.count(\.codesIssued)
        return answer([("code", code)], login.state, login.callback)
    }

    /// An authorization response with `iss` (RFC 9207).
    private func answer(
        _ fields: [(name: String, value: String)],
        _ state: String?,
        _ callback: String
    ) -> SandboxAnswer {
        let all = fields + (state.map { [(name: "state", value: $0)] } ?? []) + [(name: "iss", value: issuer)]
        return .redirect(to: FormText.append(all, to: callback), status: 303)
    }
}

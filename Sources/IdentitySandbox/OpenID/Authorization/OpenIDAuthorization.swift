internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    var rules: OpenIDAuthorizationRules {
        OpenIDAuthorizationRules(configuration: configuration, redirectURIs: redirectURIs)
    }

    /// The redirect URIs of the configuration and those that were registered since.
    var redirectURIs: [String] { configuration.redirectURIs + state.withLock { $0.redirectURIs } }

    func authorize(_ call: SandboxCall) -> SandboxAnswer {
        do throws(OAuthRefusal) {
            guard let own = AuthorizationQuery(call.request) else {
                throw OAuthRefusal("invalid_request", "The query is malformed, or repeats a parameter.")
            }
            let (query, key) = try resolve(own)
            let login = transaction(query, redirectURI: try rules.redirectURI(of: query), key: key)
            do throws(OAuthRefusal) {
                if configuration.pushedRequests == .required, own["request_uri"] == nil {
                    throw OAuthRefusal("invalid_request", "The request must be pushed.")
                }
                try rules.check(query)
                return try begin(login, query, call)
            } catch {
                note(error, call)
                return answer([("error", error.error), ("error_description", error.description)], login)
            }
        } catch {
            note(error, call)
            let page = NoticePages.refusal(brand: "OpenID", error.description, hint: "Check the client's settings.")
            return .html(page, status: 400)
        }
    }

    private func transaction(_ query: AuthorizationQuery, redirectURI: String, key: String?) -> LoginTransaction {
        var login = LoginTransaction(
            id: RandomText.hexadecimal(32),
            clientID: configuration.clientID,
            callback: redirectURI,
            redirectURI: redirectURI,
            state: query["state"],
            scopes: configuration.granted(query.scopes),
            nonce: query["nonce"],
            challenge: query["code_challenge"],
            loginHint: query["login_hint"],
            wishes: query.wishes(["ui_locales", "prompt", "acr_values", "max_age"]),
            binding: RandomText.hexadecimal(32),
            expires: clock.now + 600
        )
        login.postsAnswer = query["response_mode"] == "form_post" && configuration.supportsFormPost
        login.keyThumbprint = configuration.dpop == .off ? nil : key
        let wanted = (query["acr_values"] ?? "").split(separator: " ").map(String.init)
        login.acr = wanted.first { configuration.acrValues.contains($0) }
        return login
    }

    /// Skips the login page for a signed-in browser, unless the app demands it; shows it to all others.
    private func begin(
        _ login: LoginTransaction,
        _ query: AuthorizationQuery,
        _ call: SandboxCall
    ) throws(OAuthRefusal) -> SandboxAnswer {
        let now = clock.now
        let mustAsk = !Set(query.prompts).isDisjoint(with: ["login", "select_account"])
        let hinted = try query["id_token_hint"].map { hint throws(OAuthRefusal) in try subject(ofHint: hint) }
        let session = state.withLock { $0.logins.session(of: call.request) }.flatMap { session in
            let age = now.timeIntervalSince(session.authenticatedAt)
            let isFresh = query.maximumAge.map { $0 > 0 && age <= Double($0) } ?? true
            let isMeant = hinted.map { $0.isIdentical(to: Self.subject(of: session.buyer)) } ?? true
            return isFresh && isMeant && !mustAsk ? session : nil
        }
        if session == nil, query.prompts == ["none"] {
            throw OAuthRefusal("login_required", "Nobody is signed in as the request wants it.", isViolation: false)
        }
        journal.count(\.authorizations)
        if let session { return finish(login, session) }
        return state.withLock { $0.logins.begin(login, submitsHint: false, at: "/login") }
    }

    private func subject(ofHint hint: String) throws(OAuthRefusal) -> String {
        guard let subject = hintClaims(hint)?["sub"]?.string else {
            throw OAuthRefusal("invalid_request", "id_token_hint is not an ID token of this provider for this client.")
        }
        return subject
    }

    func login(_ call: SandboxCall) -> SandboxAnswer {
        let now = clock.now
        switch state.withLock({ $0.logins.handle(call.request, at: now) }) {
        case .answer(let answer): return answer
        case .denied(let login):
            if let handle = login.deviceHandle { return answerDevice(handle, .denied) }
            return answer([("error", "access_denied"), ("error_description", "The buyer cancelled.")], login)
        case .signedIn(let login, let email):
            let buyer = directory.buyer(email: email).number
            let (session, cookie) = state.withLock { $0.logins.openSession(for: buyer, at: now) }
            let answer =
                if let handle = login.deviceHandle { SandboxAnswer.redirect(to: page(of: handle), status: 303) } else {
                    finish(login, session)
                }
            return answer.with("Set-Cookie", cookie)
        }
    }

    private func finish(_ login: LoginTransaction, _ session: LoginSessions.Session) -> SandboxAnswer {
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
                challenge: login.challenge,
                acr: login.acr,
                keyThumbprint: login.keyThumbprint
            )
            state.ledger.addCode(code, for: grant.id, expires: now + codeLifetime.timeInterval)
        }
        journal.count(\.codesIssued)
        return answer([("code", code)], login)
    }

    /// An authorization response with `iss` (RFC 9207), by redirect or, where the app wants it, by a form.
    private func answer(_ fields: [(name: String, value: String)], _ login: LoginTransaction) -> SandboxAnswer {
        let state = login.state.map { [(name: "state", value: $0)] } ?? []
        let all = fields + state + [(name: "iss", value: issuer)]
        guard login.postsAnswer else { return .redirect(to: FormText.append(all, to: login.callback), status: 303) }
        return FormPostPage.answer(brand: "OpenID", action: login.callback, all)
    }
}

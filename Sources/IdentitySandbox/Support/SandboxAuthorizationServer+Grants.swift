internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

extension SandboxAuthorizationServer {
    func browserSession(of request: SandboxRequest) -> LoginSessions.Session? {
        tokens.state.withLock { $0.logins.session(of: request) }
    }

    /// `submitsHint` skips the page for the e-mail address if the login's `login_hint` is a valid address.
    func begin(_ login: HostedLogin, submitsHint: Bool = false, at path: String) -> SandboxResponse {
        tokens.state.withLock { $0.logins.begin(login, submitsHint: submitsHint, at: path) }
    }

    /// Serves the pages of a login; `denied` answers a buyer who cancelled, and `finish` a buyer who signed in.
    func login(
        _ call: SandboxCall,
        denied: (HostedLogin) -> SandboxResponse,
        finish: (HostedLogin, LoginSessions.Session) -> SandboxResponse
    ) -> SandboxResponse {
        let now = clock.now
        switch tokens.state.withLock({ $0.logins.handle(call.request, at: now) }) {
        case .response(let response): return response
        case .denied(let login): return denied(login)
        case .signedIn(let login, let email):
            // A login in the step `consent` has a session: the buyer is signed in already and has allowed the app's access.
            if let session = login.session { return finish(login, session) }
            let buyer = directory.buyer(email: email).number
            let (session, cookie) = tokens.state.withLock { $0.logins.openSession(for: buyer, at: now) }
            return finish(login, session).with("Set-Cookie", cookie)
        }
    }

    func issue(code: String, for grant: Grant) -> String {
        let now = clock.now
        tokens.state.withLock { state in
            let added = state.ledger.add(grant)
            state.ledger.addCode(code, for: added, at: now)
        }
        journal.count(\.codesIssued)
        return code
    }

    /// `issue` checks the request and issues the tokens; if `issue` throws an error, the code can still be used.
    func redeem(
        code: String,
        refuse: (GrantLedger.Refusal) -> OAuthRefusal,
        issue: (Grant, inout SandboxTokens.State, Date) throws(OAuthRefusal) -> JSONObject
    ) throws(OAuthRefusal) -> SandboxResponse {
        let now = clock.now
        return try tokens.state.withLock { state throws(OAuthRefusal) in
            let grant: Grant
            do throws(GrantLedger.Refusal) { grant = try state.ledger.grant(ofCode: code, at: now) } catch {
                state.ledger.revokeIfReused(error, journal)
                throw refuse(error)
            }
            let body = try issue(grant, &state, now)
            state.ledger.spendCode(code)
            journal.count(\.exchanges)
            return .tokens(body)
        }
    }

    /// Exchanges a refresh token for new tokens, or repeats the response to the token's first use.
    ///
    /// `scopes` checks the request and returns the scopes of the new tokens. If `scopes` throws an error, the token can still be used.
    /// If `isRotated` is false, the token can be used many times.
    func redeem(
        refreshToken token: String,
        isRotated: Bool = true,
        refuse: (GrantLedger.Refusal) -> OAuthRefusal,
        scopes: (Grant, GrantLedger) throws(OAuthRefusal) -> [String],
        issue: (Grant, [String], inout SandboxTokens.State, Date) -> JSONObject
    ) throws(OAuthRefusal) -> SandboxResponse {
        let now = clock.now
        return try tokens.state.withLock { state throws(OAuthRefusal) in
            let grant: Grant
            do throws(GrantLedger.Refusal) { grant = try state.ledger.grant(ofRefreshToken: token, at: now) } catch {
                state.ledger.revokeIfReused(error, journal)
                throw refuse(error)
            }
            let scopes = try scopes(grant, state.ledger)
            let repeated = state.ledger.repeatedResponse(to: token)
            let isFirst = !isRotated || state.ledger.spendRefreshToken(token, at: now)
            journal.count(isFirst ? \.refreshes : \.refreshReplays)
            if let repeated { return repeated }
            let response = SandboxResponse.tokens(issue(grant, scopes, &state, now))
            state.ledger.keep(response, to: token)
            return response
        }
    }

    func grant(ofAccessToken text: String) -> (grant: Grant, token: GrantLedger.AccessToken)? {
        let now = clock.now
        return tokens.state.withLock { $0.ledger.grant(ofAccessToken: text, at: now) }
    }
}

extension SandboxResponse {
    /// A response with tokens, which no cache may keep (RFC 6749 section 5.1).
    static func tokens(_ body: JSONObject) -> SandboxResponse {
        json(body).with("Cache-Control", "no-store")
    }
}

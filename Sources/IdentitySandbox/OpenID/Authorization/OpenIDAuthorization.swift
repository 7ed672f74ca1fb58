internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    func rules(for client: SandboxOpenIDClient) -> OpenIDAuthorizationRules {
        OpenIDAuthorizationRules(configuration: configuration, client: client, redirectURIs: redirectURIs(of: client))
    }

    func redirectURIs(of client: SandboxOpenIDClient) -> [String] {
        client.redirectURIs + state.withLock { $0.redirectURIs }
    }

    func authorize(_ call: SandboxCall) -> SandboxResponse {
        do throws(OAuthRefusal) {
            let own = try OAuthParameters(queryOrForm: call.request)
            guard let client = configuration.client(id: own["client_id"]) else {
                throw .invalidRequest("client_id is missing or unknown.")
            }
            let (query, key) = try resolve(own, client)
            let rules = rules(for: client)
            var login = transaction(query, client, redirectURI: try rules.redirectURI(of: query), key: key)
            login.pushedRequest = own["request_uri"]
            login.idTokenChanges = call.idTokenChanges
            do throws(OAuthRefusal) {
                if configuration.pushedRequests == .required, own["request_uri"] == nil {
                    throw .invalidRequest("The client must send a pushed authorization request.")
                }
                try rules.check(query)
                return try begin(login, client, query, call)
            } catch {
                note(error, call)
                return errorResponse(error.error, error.description, login)
            }
        } catch {
            note(error, call)
            let hint =
                "If the request or the client's settings are wrong, correct them. Then start the login again in the app."
            return NoticePages.refusal(brand: "OpenID", error.description, hint: hint)
        }
    }

    private func transaction(
        _ query: OAuthParameters,
        _ client: SandboxOpenIDClient,
        redirectURI: String,
        key: String?
    ) -> HostedLogin {
        var login = HostedLogin(
            clientID: client.clientID,
            callback: redirectURI,
            query,
            displayedParameters: ["ui_locales", "prompt", "acr_values", "max_age"],
            at: clock.now
        )
        login.scopes = configuration.granted(query.scopes)
        if configuration.offlineAccessNeedsConsent, !query.prompts.contains("consent") {
            login.scopes.removeAll { $0 == "offline_access" }
        }
        login.responseMode = query.responseMode(served: configuration.responseModes)
        login.responseType = query.responseType
        login.asksConsent = query.prompts.contains("consent")
        login.keyThumbprint = configuration.dpop == .off ? nil : key
        login.acr = query.words("acr_values").first { configuration.acrValues.contains($0) }
        return login
    }

    /// Skips the login page if the browser's session meets the request; otherwise shows the page, or throws an error for `prompt=none`.
    private func begin(
        _ login: HostedLogin,
        _ client: SandboxOpenIDClient,
        _ query: OAuthParameters,
        _ call: SandboxCall
    ) throws(OAuthRefusal) -> SandboxResponse {
        let now = clock.now
        let mustAsk = !Set(query.prompts).isDisjoint(with: ["login", "select_account"])
        var login = login
        login.hintedSubject = try query["id_token_hint"].map { hint throws(OAuthRefusal) in
            try subject(ofHint: hint, client)
        }
        journal.count(\.authorizations)
        if let session = browserSession(of: call.request), !mustAsk, Self.isMeant(session, login) {
            let age = now.timeIntervalSince(session.authenticatedAt)
            if query.maximumAge.map({ $0 > 0 && age <= Double($0) }) ?? true { return finish(login, session) }
        }
        if query.prompts == ["none"] {
            throw OAuthRefusal("login_required", "No signed-in buyer meets the request.", isViolation: false)
        }
        return begin(login, at: "/login")
    }

    /// Whether a session belongs to the buyer of `id_token_hint`; true for a login without a hint.
    private static func isMeant(_ session: LoginSessions.Session, _ login: HostedLogin) -> Bool {
        login.hintedSubject.map { $0.isIdentical(to: subject(of: session.buyer)) } ?? true
    }

    private func subject(ofHint text: String, _ client: SandboxOpenIDClient) throws(OAuthRefusal) -> String {
        guard let found = hint(text), found.client.clientID.isIdentical(to: client.clientID),
            let subject = found.claims["sub"]?.string
        else {
            throw .invalidRequest("id_token_hint is not an ID token of this provider for this client.")
        }
        return subject
    }

    func login(_ call: SandboxCall) -> SandboxResponse {
        login(
            call,
            denied: { login in
                if let handle = login.deviceHandle { return answerDevice(handle, .denied) }
                return errorResponse("access_denied", "The buyer cancelled.", login)
            },
            finish: afterLogin
        )
    }

    private func afterLogin(_ login: HostedLogin, _ session: LoginSessions.Session) -> SandboxResponse {
        if let handle = login.deviceHandle { return .redirect(to: page(of: handle), status: 303) }
        // The login fails if the buyer who signed in is not the buyer of id_token_hint (OpenID Connect Core section 3.1.2.1).
        guard Self.isMeant(session, login) else {
            return errorResponse("login_required", "The buyer who signed in is not the buyer of id_token_hint.", login)
        }
        return finish(login, session)
    }

    private func finish(_ login: HostedLogin, _ session: LoginSessions.Session) -> SandboxResponse {
        if login.asksConsent {
            var login = login
            login.step = .consent
            login.asksConsent = false
            login.session = session
            return begin(login, at: "/login")
        }
        let now = clock.now
        let code = login.responseType.contains("code") ? RandomText.base64URL(32) : nil
        let idToken: String? = tokens.state.withLock { state in
            let grant = state.ledger.add(Grant(login, session))
            if let code { state.ledger.addCode(code, for: grant, at: now) }
            guard login.responseType.contains("id_token") else { return nil }
            return frontChannelToken(grant, code, login.idTokenChanges, &state, now)
        }
        if code != nil { journal.count(\.codesIssued) }
        return authorizationResponse(
            [("code", code), ("id_token", idToken)].compactMap { name, value in value.map { (name: name, value: $0) } },
            login
        )
    }

    /// Mints the ID token of an authorization response (OpenID Connect Core sections 3.2.2.10 and 3.3.2.11).
    private func frontChannelToken(
        _ grant: Grant,
        _ code: String?,
        _ changes: [@Sendable (inout SandboxIDToken) -> Void],
        _ state: inout SandboxTokens.State,
        _ now: Date
    ) -> String? {
        guard let client = configuration.client(id: grant.clientID) else { return nil }
        var claims = idTokenClaims(grant, client, now)
        claims["nonce"] = grant.nonce.map { .string($0) }
        claims["c_hash"] = code.flatMap { Self.halfHash($0, client.algorithm) }
        // Without a code the client gets no access token for a UserInfo request, so the ID token must contain the claims
        // (OpenID Connect Core section 5.4).
        if code == nil || configuration.claimsIn == .idToken { add(claimsOf: grant.buyer, grant.scopes, to: &claims) }
        return state.keyring.mint(claims, client.algorithm.signature, changes: changes)
    }

    private func errorResponse(_ error: String, _ description: String, _ login: HostedLogin) -> SandboxResponse {
        authorizationResponse([("error", error), ("error_description", description)], login)
    }

    private func authorizationResponse(
        _ fields: [(name: String, value: String)],
        _ login: HostedLogin
    ) -> SandboxResponse {
        if let uri = login.pushedRequest { self.state.withLock { $0.pushed.remove(uri) } }
        let state = login.state.map { [(name: "state", value: $0)] } ?? []
        let all = fields + state + [(name: "iss", value: issuer)]
        switch login.responseMode {
        case .query: return .redirect(to: FormText.append(all, to: login.callback), status: 303)
        case .fragment: return .redirect(to: login.callback + "#" + FormText.encode(all), status: 303)
        case .form: return FormPostPage.response(action: login.callback, all)
        }
    }
}

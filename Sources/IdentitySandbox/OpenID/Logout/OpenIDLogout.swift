internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

struct PendingLogout: Sendable {
    let sessionIDs: [String]
    /// The `post_logout_redirect_uri`, to which the browser is redirected; nil shows a page instead.
    let target: String?
    let state: String?
    let expires: Date
}

extension SandboxOpenID {
    /// The end-session endpoint, by GET and by POST (OpenID Connect RP-Initiated Logout 1.0 section 2).
    func logout(_ call: SandboxCall) async -> SandboxResponse {
        do throws(OAuthRefusal) {
            if call.request.method == "POST", let token = call.request.formValue("confirmation") {
                return try await confirm(token, call.request)
            }
            let query = try OAuthParameters(queryOrForm: call.request)
            let hint = try query["id_token_hint"].map { text throws(OAuthRefusal) in
                guard let hint = self.hint(text) else {
                    throw .invalidRequest("id_token_hint is not an ID token of this provider for one of its clients.")
                }
                return hint
            }
            let client = try named(query["client_id"], hint?.client)
            let target = query["post_logout_redirect_uri"]
            if let target { try checkReturn(to: target, client) }
            let browsers = browserSession(of: call.request)?.id
            let hinted = hint?.claims["sid"]?.string
            let pending = PendingLogout(
                sessionIDs: Set([browsers, hinted].compactMap(\.self)).sorted(),
                target: target,
                state: query["state"],
                expires: clock.now + 600
            )
            // A page asks the buyer first if id_token_hint is missing or belongs to another session than this browser's: another
            // website may have sent the buyer to this endpoint (RP-Initiated Logout 1.0 section 2).
            guard hinted != nil, browsers == nil || browsers == hinted else { return ask(pending) }
            return await end(pending)
        } catch {
            note(error, call)
            // Only an error of `confirm` is not a violation: the buyer confirmed the logout twice or too late.
            let hint =
                error.isViolation
                ? "Correct the request or the client's settings."
                : "Return to the app, and sign out again if necessary."
            return NoticePages.refusal(brand: "OpenID", error.description, hint: hint)
        }
    }

    private func named(
        _ id: String?,
        _ hinted: SandboxOpenIDClient?
    ) throws(OAuthRefusal) -> SandboxOpenIDClient? {
        guard let id else { return hinted }
        guard let named = configuration.client(id: id) else {
            throw .invalidRequest("client_id is unknown.")
        }
        guard hinted.map({ $0.clientID.isIdentical(to: id) }) ?? true else {
            throw .invalidRequest("client_id is not the client of id_token_hint.")
        }
        return named
    }

    private func checkReturn(to target: String, _ client: SandboxOpenIDClient?) throws(OAuthRefusal) {
        guard let client else {
            throw .invalidRequest("post_logout_redirect_uri needs id_token_hint or client_id.")
        }
        let registered = (client.postLogoutRedirectURIs ?? redirectURIs(of: client)) + state.withLock { $0.logoutURIs }
        guard RedirectRule.permits(target, registered: registered) else {
            throw .invalidRequest("post_logout_redirect_uri is not registered.")
        }
    }

    private func ask(_ pending: PendingLogout) -> SandboxResponse {
        let token = RandomText.base64URL(32)
        let now = clock.now
        state.withLock { state in
            state.logouts = state.logouts.filter { $0.value.expires > now }
            state.logouts[token] = pending
        }
        return .html(LogoutPage.question(confirmation: token))
    }

    private func confirm(_ token: String, _ request: SandboxRequest) async throws(OAuthRefusal) -> SandboxResponse {
        let now = clock.now
        guard let pending = state.withLock({ $0.logouts.removeValue(forKey: token) }), pending.expires > now else {
            throw .invalidRequest("The confirmation is unknown, was used or has expired.", isViolation: false)
        }
        guard request.formValue("action") == "continue" else { return .html(LogoutPage.stayed()) }
        return await end(pending)
    }

    private func end(_ pending: PendingLogout) async -> SandboxResponse {
        journal.count(\.logouts)
        for id in pending.sessionIDs { await endSession(id) }
        let cookie = tokens.state.withLock { $0.logins.expiredCookie }
        let fields = pending.state.map { [(name: "state", value: $0)] } ?? []
        let response =
            pending.target.map { .redirect(to: FormText.append(fields, to: $0)) }
            ?? SandboxResponse.html(NoticePages.signedOut(brand: "OpenID"))
        return response.with("Set-Cookie", cookie)
    }

    /// Ends all sessions of a buyer as ``endSession(_:)`` does, even a browser's session that has no code or token yet.
    public func endSessions(ofBuyer email: String) async {
        guard let buyer = directory.existingBuyer(email: email) else { return }
        tokens.state.withLock { $0.logins.closeSessions { $0.buyer == buyer.number } }
        for id in sessionIDs(ofBuyer: email) { await endSession(id) }
    }

    /// Ends a session as a logout at the provider does.
    ///
    /// The session's browser is signed out. The codes and tokens of its logins are revoked, except those of logins with the scope
    /// `offline_access`. The provider sends a logout token to each client of the session that has a
    /// ``SandboxOpenIDClient/backchannelLogoutURI``. This method returns after the clients have responded or the requests have failed.
    ///
    /// - Parameter id: The `sid` of the session's ID tokens; an unknown `sid`, or that of an ended session, changes nothing.
    public func endSession(_ id: String) async {
        let clients = tokens.state.withLock { state in
            state.logins.closeSessions { $0.id == id }
            return state.ledger.endSession(id)
        }
        let receivers = clients.compactMap { configuration.client(id: $0) }.filter { $0.backchannelLogoutURI != nil }
        await withDiscardingTaskGroup { group in
            for client in receivers {
                // An error of the app is ignored: the session has ended at the provider even if the app refuses the logout token.
                group.addTask { [self] in
                    _ = try? await send(logoutToken(for: .session(id), client, []), to: client.backchannelLogoutURI)
                }
            }
        }
    }
}

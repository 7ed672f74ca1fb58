internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    /// OpenID Connect RP-Initiated Logout section 2, by GET and by POST.
    func logout(_ call: SandboxCall) -> SandboxAnswer {
        do throws(OAuthRefusal) {
            let query = try logoutParameters(call.request)
            let hint = try query["id_token_hint"].map { text throws(OAuthRefusal) in
                guard let claims = hintClaims(text) else {
                    throw OAuthRefusal(
                        "invalid_request",
                        "id_token_hint is not an ID token of this provider for this client."
                    )
                }
                return claims
            }
            if let clientID = query["client_id"], !clientID.isIdentical(to: configuration.clientID) {
                throw OAuthRefusal("invalid_request", "client_id is unknown.")
            }
            let target = query["post_logout_redirect_uri"]
            if let target { try checkReturn(to: target, isKnownClient: hint != nil || query["client_id"] != nil) }
            journal.count(\.logouts)
            let cookie = closeSessions(call.request, hint?["sid"]?.string)
            guard let target else {
                return SandboxAnswer.html(NoticePages.signedOut(brand: "OpenID")).with("Set-Cookie", cookie)
            }
            let fields = query["state"].map { [(name: "state", value: $0)] } ?? []
            return SandboxAnswer.redirect(to: FormText.append(fields, to: target)).with("Set-Cookie", cookie)
        } catch {
            note(error, call)
            let hint = "Compare the request with the client's settings."
            return .html(NoticePages.refusal(brand: "OpenID", error.description, hint: hint), status: 400)
        }
    }

    private func logoutParameters(_ request: SandboxRequest) throws(OAuthRefusal) -> AuthorizationQuery {
        if request.method == "POST" { return try OAuthForm(request).query }
        guard let query = AuthorizationQuery(request) else {
            throw OAuthRefusal("invalid_request", "The query is malformed, or repeats a parameter.")
        }
        return query
    }

    private func checkReturn(to target: String, isKnownClient: Bool) throws(OAuthRefusal) {
        guard isKnownClient else {
            throw OAuthRefusal("invalid_request", "post_logout_redirect_uri needs id_token_hint or client_id.")
        }
        let registered = configuration.postLogoutRedirectURIs ?? redirectURIs
        guard RedirectRule.permits(target, registered: registered) else {
            throw OAuthRefusal("invalid_request", "post_logout_redirect_uri is not registered.")
        }
    }

    /// Ends the browser's session and the one that the hint names; returns the cookie that removes it.
    private func closeSessions(_ request: SandboxRequest, _ hinted: String?) -> String {
        state.withLock { state in
            if let session = state.logins.session(of: request) { state.logins.closeSession(id: session.id) }
            if let hinted { state.logins.closeSession(id: hinted) }
            return state.logins.expiredCookie
        }
    }
}

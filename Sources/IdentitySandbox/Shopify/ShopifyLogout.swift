internal import IdentityKit
internal import Synchronization

extension SandboxShopify {
    func logout(_ call: SandboxCall) -> SandboxResponse {
        guard let query = OAuthParameters(call.request), let hint = query["id_token_hint"],
            let claims = tokens.state.withLock({ $0.keyring.claims(of: hint) }), let sessionID = claims["sid"]?.string
        else {
            return NoticePages.error(
                brand: "Shopify",
                "The query is malformed, or id_token_hint is missing or not an ID token of this shop.",
                hint: "Send the ID token of the login as id_token_hint. An expired ID token is accepted.",
                status: 400
            )
        }
        journal.count(\.logouts)
        // The tokens stay valid: Shopify's documentation does not say that a logout revokes them.
        let cookie = tokens.state.withLock { state in
            state.logins.closeSessions { $0.id == sessionID }
            return state.logins.expiredCookie
        }
        let client = clients.first { $0.id == claims["aud"]?.string }
        let target = target(query["post_logout_redirect_uri"], client)
        let response = target.map { .redirect(to: $0) } ?? SandboxResponse.html(NoticePages.signedOut(brand: "Shopify"))
        return response.with("Set-Cookie", cookie)
    }

    /// Returns the URI to which the browser is redirected after the logout; nil shows a page instead.
    ///
    /// If `wanted` is nil or not registered, the result is the client's first registered logout URI. For a mobile client, the result is
    /// then nil, because the client may call the logout URL as an API.
    private func target(_ wanted: String?, _ client: SandboxShopifyClient?) -> String? {
        guard let client else { return nil }
        if let wanted, client.permits(wanted, in: client.logoutURIs) { return wanted }
        return client.kind == .publicMobile ? nil : client.logoutURIs.first
    }
}

public import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Whose sessions a logout token ends.
public enum SandboxLogoutTarget: Sendable {
    /// One session, by the `sid` of its ID tokens; the buyer is named too.
    case session(String)
    /// All sessions of a buyer, by the e-mail address; no `sid`.
    case buyer(email: String)
}

extension SandboxOpenID {
    /// The sessions of a buyer, as `sid` names them, in the order of their logins.
    public func sessionIDs(ofBuyer email: String) -> [String] {
        let buyer = directory.buyer(email: email).number
        return state.withLock { $0.ledger.sessionIDs(ofBuyer: buyer) }
    }

    /// Makes a logout token (OpenID Connect Back-Channel Logout section 2.4).
    ///
    /// - Parameters:
    ///   - target: Whose sessions it ends.
    ///   - edit: Makes the token invalid: changes header, claims or signature before it is signed.
    /// - Returns: The signed token.
    public func logoutToken(
        for target: SandboxLogoutTarget,
        edit: @escaping @Sendable (inout SandboxIDToken) -> Void = { _ in }
    ) -> String {
        let now = clock.now.epochSeconds
        let event = "http://schemas.openid.net/event/backchannel-logout"
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(configuration.clientID), "iat": .integer(now),
            "exp": .integer(now + 120), "jti": .string(RandomText.hexadecimal(32)),
            "events": .object([event: .object([:])]),
        ]
        return state.withLock { state in
            switch target {
            case .session(let id):
                claims["sid"] = .string(id)
                claims["sub"] = state.ledger.buyer(ofSession: id).map { .string(Self.subject(of: $0)) }
            case .buyer(let email):
                claims["sub"] = .string(Self.subject(of: directory.buyer(email: email).number))
            }
            let isLogoutToken: @Sendable (inout SandboxIDToken) -> Void = { $0.header["typ"] = .string("logout+jwt") }
            return IDTokenMint.mint(claims, &state.keyring, changes: [isLogoutToken, edit])
        }
    }

    /// Sends a logout token to the app, as the provider does when a session ends elsewhere.
    ///
    /// The sandbox keeps its own sessions: see ``signOutBrowsers()`` and ``revokeAll()``.
    ///
    /// - Parameters:
    ///   - target: Whose sessions it ends.
    ///   - url: Where; ``SandboxOpenIDConfiguration/backchannelLogoutURI`` unless given.
    ///   - edit: Makes the token invalid.
    /// - Returns: The app's response: 200 or 204 for an accepted token, 400 for a refused one.
    /// - Throws: `HTTPURLError` when there is no URL, `HTTPTransportError` when there is no response.
    public func sendLogoutToken(
        for target: SandboxLogoutTarget,
        to url: String? = nil,
        edit: @escaping @Sendable (inout SandboxIDToken) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        let url = try HTTPURL(url ?? configuration.backchannelLogoutURI ?? "")
        var request = HTTPRequest(method: .post, url: url, allowsLoopbackHTTP: true)
        try request.headers.set("Content-Type", "application/x-www-form-urlencoded")
        let token = logoutToken(for: target, edit: edit)
        request.body = Array(FormText.encode([("logout_token", token)]).utf8)
        journal.count(\.logoutTokens)
        return try await SandboxBuyer.shared.get().send(request)
    }
}

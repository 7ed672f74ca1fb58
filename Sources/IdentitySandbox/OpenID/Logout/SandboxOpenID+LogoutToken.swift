public import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// The sessions that a logout token ends.
public enum SandboxLogoutTarget: Sendable {
    /// One session, by the `sid` of its ID tokens; if the provider knows the session, the token also contains the buyer's `sub`.
    case session(String)
    /// All sessions of the buyer with this e-mail address; the token has no `sid`.
    case buyer(email: String)
}

extension SandboxOpenID {
    /// The `sid` values of a buyer's sessions, ended sessions included, in the order of their logins.
    public func sessionIDs(ofBuyer email: String) -> [String] {
        guard let buyer = directory.existingBuyer(email: email) else { return [] }
        return tokens.state.withLock { $0.ledger.values(of: \.sessionID) { $0.buyer == buyer.number } }
    }

    /// Creates a logout token for the first client (OpenID Connect Back-Channel Logout section 2.4).
    ///
    /// - Parameters:
    ///   - target: The sessions that the token ends.
    ///   - edit: Changes header, claims or signature before the token is signed, to make it invalid; must not call the sandbox, because
    ///     the sandbox holds a lock while it runs `edit`.
    /// - Returns: The signed token.
    public func logoutToken(
        for target: SandboxLogoutTarget,
        edit: @escaping @Sendable (inout SandboxIDToken) -> Void = { _ in }
    ) -> String {
        logoutToken(for: target, configuration.client, [edit])
    }

    func logoutToken(
        for target: SandboxLogoutTarget,
        _ client: SandboxOpenIDClient,
        _ edits: [@Sendable (inout SandboxIDToken) -> Void]
    ) -> String {
        let now = clock.now.epochSeconds
        let event = "http://schemas.openid.net/event/backchannel-logout"
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(client.clientID), "iat": .integer(now),
            "exp": .integer(now + 120), "jti": .string(RandomText.hexadecimal(32)),
            "events": .object([event: .object([:])]),
        ]
        return tokens.state.withLock { state in
            switch target {
            case .session(let id):
                claims["sid"] = .string(id)
                claims["sub"] = state.ledger.buyer(ofSession: id).map { .string(Self.subject(of: $0)) }
            case .buyer(let email):
                claims["sub"] = .string(Self.subject(of: directory.buyer(email: email).number))
            }
            let isLogoutToken: @Sendable (inout SandboxIDToken) -> Void = { $0.header["typ"] = .string("logout+jwt") }
            return state.keyring.mint(claims, client.algorithm.signature, changes: [isLogoutToken] + edits)
        }
    }

    /// Sends a logout token for the first client to the app, as the provider does when a session ends at the provider.
    ///
    /// The session at the provider does not end; to end it, call ``endSession(_:)``.
    ///
    /// - Parameters:
    ///   - target: The sessions that the token ends.
    ///   - url: The app's endpoint; by default the first client's ``SandboxOpenIDClient/backchannelLogoutURI``.
    ///   - edit: Changes the token before it is signed, to make it invalid; must not call the sandbox, because the sandbox holds a lock
    ///     while it runs `edit`.
    /// - Returns: The app's response; by the specification, its status is 200 or 204 for an accepted token and 400 for a refused one.
    /// - Throws: `HTTPURLError` when the URL is missing or invalid, `HTTPTransportError` when the app sends no response.
    public func sendLogoutToken(
        for target: SandboxLogoutTarget,
        to url: String? = nil,
        edit: @escaping @Sendable (inout SandboxIDToken) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        try await send(logoutToken(for: target, edit: edit), to: url ?? configuration.backchannelLogoutURI)
    }

    func send(_ token: String, to url: String?) async throws -> HTTPResponse {
        let target = try HTTPURL(url ?? "")
        var request = HTTPRequest(method: .post, url: target, limits: SandboxBuyer.limits, allowsLoopbackHTTP: true)
        try request.headers.set("Content-Type", MediaType.form.rawValue)
        request.body = Array(FormText.encode([("logout_token", token)]).utf8)
        journal.count(\.logoutTokens)
        return try await SandboxBuyer.shared.get().send(request)
    }
}

public import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// The URL that ends the provider's own session (OpenID Connect RP-Initiated Logout 1.0 section 2).
    ///
    /// - Returns: The URL; nil if the provider has no end-session endpoint, or if another issuer issued the tokens. The URL has no
    ///   `id_token_hint` if the session has no ID token, or if the ID token is too long for a URL.
    /// - Throws: `IdentityError`.
    public func logoutURL(
        for tokens: TokenSet,
        returningTo postLogoutRedirectURI: String?,
        state: Secret? = nil
    ) async throws -> HTTPURL? {
        let metadata = try await metadata()
        guard let endpoint = metadata.endSessionEndpoint else { return nil }
        // The ID token must not be sent to another provider than its issuer, and another provider cannot end the issuer's session.
        guard (try? checkIssuer(of: tokens, is: metadata)) != nil else { return nil }
        var fields = [("client_id", descriptor.clientID)]
        if let postLogoutRedirectURI { fields.append(("post_logout_redirect_uri", postLogoutRedirectURI)) }
        if let state { fields.append(("state", state.reveal())) }
        // An ID token that makes the URL too long is left out: the hint is optional, and client_id also identifies the client.
        if let hint = tokens.idToken,
            let url = try? Self.logoutURL(at: endpoint, [("id_token_hint", hint.reveal())] + fields)
        {
            return url
        }
        return try Self.logoutURL(at: endpoint, fields)
    }

    package static func logoutURL(
        at endpoint: HTTPURL,
        _ fields: [(name: String, value: String)]
    ) throws(IdentityError) -> HTTPURL {
        do {
            return try endpoint.appending(fields: fields)
        } catch {
            throw IdentityError(
                configuration: "The logout URL would be longer than 8 KiB.",
                hint: "Shorten the post-logout redirect URI, the state, or the query of the logout endpoint.",
                reference: "OpenID Connect RP-Initiated Logout 1.0 section 2",
                cause: error
            )
        }
    }

    /// Validates a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.6) with this provider's keys, for this client.
    ///
    /// - Throws: `IdentityError`.
    public func validate(logoutToken: Secret) async throws -> LogoutTokenClaims {
        let current = try await discovery.current()
        let expected = expectations(published: current.metadata.signatureAlgorithms)
        let token = try LogoutTokenValidator.read(logoutToken, expecting: consume expected)
        guard let url = current.metadata.keySetURL else { throw Self.missing(.keySet) }
        return try await keySource.verifyingUnsolicited(with: url, keyID: token.jwt.keyID) { try token.verify($0) }
    }
}

public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

extension ShopifyProvider {
    /// The logout URL, with which Shopify signs the browser out.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the app's session.
    ///   - postLogoutRedirectURI: A logout URI, exactly as registered at Shopify. Shopify ignores an unregistered URI without an error.
    ///     With nil, Shopify redirects the browser to one of the client's registered logout URIs.
    /// - Returns: The URL. Nil if the tokens contain no ID token, which Shopify's logout requires, if another shop issued the tokens,
    ///   or if the shop's metadata contain no end-session endpoint.
    /// - Throws: `IdentityError` if the shop's metadata could not be fetched, or if the URL would be too long.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        guard let idToken = tokens.idToken else { return nil }
        let metadata = try await client.metadata()
        // Only the shop that issued the ID token can end the session, so no other shop gets the token.
        guard (try? client.checkIssuer(of: tokens, is: metadata)) != nil else { return nil }
        return try await logoutURL(idToken: idToken, returningTo: postLogoutRedirectURI)
    }

    func logoutURL(idToken: Secret, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        guard let endpoint = try await client.metadata().endSessionEndpoint else { return nil }
        var fields = [(name: "id_token_hint", value: idToken.reveal())]
        if let postLogoutRedirectURI { fields.append(("post_logout_redirect_uri", postLogoutRedirectURI)) }
        do {
            return try OpenIDClient.logoutURL(at: endpoint, fields)
        } catch {
            throw error.recast(
                hint:
                    "If the app calls logout(idToken:), check that it passes the ID token of the login: the logout URL contains the ID "
                    + "token. If postLogoutRedirectURI is set, shorten postLogoutRedirectURI."
            )
        }
    }
}

public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

extension ShopifyProvider {
    /// The URL that ends the browser's Shopify session.
    ///
    /// - Parameters:
    ///   - tokens: The session's tokens.
    ///   - postLogoutRedirectURI: A registered logout URI. Shopify ignores any other without an error. Nil leads to the default
    ///     that is set at the client.
    /// - Returns: The URL; nil without an ID token, which Shopify requires there, if another
    ///   shop issued the tokens, and if the metadata name no end-session endpoint.
    /// - Throws: `IdentityError` when the provider's metadata could not be fetched, or when the URL would be too long.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        guard let idToken = tokens.idToken else { return nil }
        let metadata = try await client.metadata()
        // The ID token goes to its issuer only, and another shop cannot end the session.
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
                hint: "The URL contains the ID token: check that it is the token of the login. "
                    + "If a post-logout redirect URI is set, shorten it."
            )
        }
    }
}

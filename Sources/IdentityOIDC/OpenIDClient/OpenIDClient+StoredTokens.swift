internal import FoundationEssentials
package import IdentityKit

extension OpenIDClient {
    /// A token set for a refresh token that an app stored, for ``tokens(from:refreshing:isBuyerKnown:)`` with `isBuyerKnown` false.
    ///
    /// From a stored ID token, the token set gets the claims that the client compares with the next ID token (OpenID Connect Core section
    /// 12.2). This function does not verify the stored ID token, which may have expired.
    package func storedTokens(_ refreshToken: Secret, idToken: Secret?) throws(IdentityError) -> TokenSet {
        var tokens = TokenSet(
            buyer: Buyer(issuer: "", subject: ""),
            accessToken: Secret(""),
            refreshToken: refreshToken,
            idToken: idToken,
            scopes: configuration.scopes,
            issuedAt: httpClient.environment.clock.now
        )
        guard let idToken else { return tokens }
        let claims = (try? JSONWebToken(parsing: idToken))?.claims
        let subject = claims.flatMap { SignedTokenChecks.subject($0, acceptingNumber: settings.acceptsNumericSubject) }
        guard let claims, let issuer = claims["iss"]?.string, let subject, !issuer.isEmpty, !subject.isEmpty else {
            throw IdentityError(
                .rejected,
                .idTokenMalformed,
                "The stored ID token is not a JWT with iss and sub, so the refresh token was not sent.",
                hint:
                    "Pass the ID token of the login unchanged, or pass no ID token. Without a stored ID token, an ID token of the "
                    + "response is not compared with the login.",
                reference: "OpenID Connect Core section 12.2"
            )
        }
        tokens.buyer = Buyer(issuer: issuer, subject: subject)
        tokens.authorizedParty = claims["azp"]?.string
        tokens.nonce = (claims["nonce"]?.string).map { Secret($0) }
        tokens.authenticatedAt = (claims["auth_time"]?.number?.double).map { Date(timeIntervalSince1970: $0) }
        return tokens
    }
}

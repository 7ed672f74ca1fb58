package import FoundationEssentials
package import IdentityCrypto
package import IdentityKit

/// The expected values of a signed token: an ID token, a logout token or a signed UserInfo response.
package struct SignedTokenExpectations: Sendable {
    package var issuers: IssuerPolicy
    /// The issuers of a provider that has one issuer for each tenant; nil for other providers.
    package var issuerTemplate: TenantIssuerTemplate?
    /// The only one of ``issuers`` to accept, for example the issuer to which the login is bound; nil accepts all ``issuers``.
    package var boundIssuer: String?
    /// This client's audiences: `aud` must contain at least one of these values; `azp`, if present, must be one of these values.
    package var audiences: [String]
    /// Additional values that `aud` may contain.
    package var trustedAudiences: [String] = []
    /// Whether `aud` may contain any additional value.
    package var allowsUntrustedAudiences = false
    package var algorithms: [SignatureAlgorithm]
    /// The nonce that a login's ID token must have; nil if this client knows no nonce of the login, and for all other tokens.
    package var nonce: Secret?
    /// Whether a token with a nonce is refused: if the login sent no nonce, a token with a nonce was issued for another login.
    package var refusesNonce = false
    /// The access token of the same response; if it is nil, `at_hash` is not checked.
    package var accessToken: Secret?
    package var maximumAgeSeconds: Int?
    /// The values that the token's `acr` may have; if the list is empty, `acr` is not checked.
    package var authenticationContexts: [String] = []
    /// The tokens before the refresh; nil at a login, and at a refresh of tokens without a buyer.
    package var previous: TokenSet?
    package var acceptsNumericSubject = false
    package var now: Date
    /// When the token was received, if its response may have been stored since; nil for a token that was received just now.
    package var receivedAt: Date?
}

extension SignedTokenExpectations {
    package init(issuers: IssuerPolicy, audiences: [String], algorithms: [SignatureAlgorithm], now: Date) {
        self.init(issuers: issuers, audiences: audiences, trustedAudiences: [], algorithms: algorithms, now: now)
    }
}

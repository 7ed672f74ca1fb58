package import FoundationEssentials
package import IdentityCrypto
package import IdentityKit

/// The expected values of a signed token: an ID token, a logout token or a signed UserInfo response.
package struct SignedTokenExpectations: Sendable {
    package var issuers: IssuerPolicy
    /// The issuers of a provider that has one issuer for each tenant; nil for other providers.
    package var issuerTemplate: TenantIssuerTemplate?
    /// The one of ``issuers`` that is accepted, for example the issuer to which the login is bound; nil accepts all of them.
    package var boundIssuer: String?
    /// The values of which `aud` must contain one, and of which `azp` must be one if the token has it.
    package var audiences: [String]
    /// Additional values that `aud` may contain.
    package var trustedAudiences: [String] = []
    /// Whether `aud` may contain any additional value.
    package var allowsUntrustedAudiences = false
    package var algorithms: [SignatureAlgorithm]
    /// The nonce that the login sent; nil if it sent no nonce.
    package var nonce: Secret?
    /// Whether a token with a nonce is refused, because the login sent no nonce: the token was issued for another login.
    package var refusesNonce = false
    /// The access token of the same response; if it is nil, `at_hash` is not checked.
    package var accessToken: Secret?
    /// The requested `max_age` in seconds; nil if none was requested.
    package var maximumAgeSeconds: Int?
    /// The requested `acr_values`, of which the token's `acr` must be one; empty if none were requested.
    package var authenticationContexts: [String] = []
    /// The tokens before the refresh; nil at a login, and at a refresh of tokens without a buyer.
    package var previous: TokenSet?
    package var acceptsNumericSubject = false
    package var now: Date
    /// When the token was received, if its response may have been stored since; nil for a token that was received just now.
    package var receivedAt: Date?

    package init(issuers: IssuerPolicy, audiences: [String], algorithms: [SignatureAlgorithm], now: Date) {
        self.issuers = issuers
        self.audiences = audiences
        self.algorithms = algorithms
        self.now = now
    }
}

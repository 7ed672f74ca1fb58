package import FoundationEssentials
package import IdentityCrypto
package import IdentityKit

/// What an ID token is checked against: everything that decides, in one value.
package struct IDTokenExpectations: Sendable {
    /// The issuers that are accepted.
    package var issuers: IssuerPolicy
    /// The issuer that the login was bound to by discovery; nil where there was none.
    package var boundIssuer: String?
    /// The names by which the audience may call this client; the first is the client id.
    package var audiences: [String]
    /// Whether audiences that are not ours may stand beside ours.
    package var allowsForeignAudiences = false
    /// The algorithms that are accepted.
    package var algorithms: [SignatureAlgorithm]
    /// The nonce that was sent; nil when none was.
    package var nonce: Secret?
    /// Whether a nonce is refused where none was sent: the token was made for another login.
    package var refusesNonce = false
    /// The access token that came with it, for `at_hash`.
    package var accessToken: Secret?
    /// The `max_age` that was asked for.
    package var maximumAgeSeconds: Int?
    /// The `acr_values` that were asked for, one of which must have been met; empty when none were.
    package var authenticationContexts: [String] = []
    /// The tokens of which this is a refresh; nil at a login.
    package var previous: TokenSet?
    /// Whether `sub` may be a JSON integer.
    package var acceptsNumericSubject = false
    /// How far the clocks may differ.
    package var leeway: TimeInterval = 60
    /// The time.
    package var now: Date
    /// When the token was received, where it is an answer that was stored for a while; nil for one that came just now.
    package var receivedAt: Date?

    package init(issuers: IssuerPolicy, audiences: [String], algorithms: [SignatureAlgorithm], now: Date) {
        self.issuers = issuers
        self.audiences = audiences
        self.algorithms = algorithms
        self.now = now
    }
}

package import IdentityKit

/// What a login asked for and its answer must keep, whichever way the buyer took.
package struct LoginExpectations: Sendable {
    /// The scopes that were asked for.
    package var scopes: [String]
    /// The issuer that discovery named when the login began; nil when none is known.
    package var issuer: String?
    /// The `nonce` that was sent.
    package var nonce: Secret?
    /// Whether the ID token must hold no `nonce`, because none was sent.
    package var refusesNonce = false
    /// The `max_age` that was asked for.
    package var maximumAgeSeconds: Int?
    /// The `acr_values` that were asked for.
    package var authenticationContexts: [String] = []
    /// The key to which the tokens are bound.
    package var dpopKey: Secret?

    package init(_ attempt: LoginAttempt) {
        scopes = attempt.scopes
        issuer = attempt.issuer
        nonce = attempt.nonce
        maximumAgeSeconds = attempt.maximumAgeSeconds
        authenticationContexts = attempt.authenticationContexts
        dpopKey = attempt.dpopKey
    }
}

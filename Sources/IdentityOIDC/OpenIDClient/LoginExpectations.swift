package import IdentityKit

/// The requested values of a login that its token response must match, for logins by redirect and by device code.
package struct LoginExpectations: Sendable {
    /// The requested scopes.
    package var scopes: [String]
    /// The issuer that discovery named when the login started; nil when none is known.
    package var issuer: String?
    /// The `nonce` that was sent.
    package var nonce: Secret?
    /// Whether an ID token with a `nonce` is refused, because none was sent.
    package var refusesNonce = false
    /// The requested `max_age`.
    package var maximumAgeSeconds: Int?
    /// The requested `acr_values`.
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

    init(_ authorization: DeviceAuthorization) {
        scopes = authorization.scopes
        issuer = authorization.issuer
        maximumAgeSeconds = authorization.maximumAgeSeconds
        authenticationContexts = authorization.authenticationContexts
        dpopKey = authorization.dpopKey
        // A device authorization request has no nonce; a token with one was issued for another login.
        refusesNonce = true
    }
}

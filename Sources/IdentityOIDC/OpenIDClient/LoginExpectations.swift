internal import IdentityKit

/// The values that a login requested and that its token response must match, for logins by redirect and by device code.
protocol LoginExpectations: Sendable {
    var scopes: [String] { get }
    /// The issuer to which the login is bound; nil if it is not bound to one.
    var issuer: String? { get }
    /// The `nonce` that was sent; nil if none was sent.
    var nonce: Secret? { get }
    /// Whether an ID token with a `nonce` is refused; true for a login by device code, which never sends a `nonce`.
    var refusesNonce: Bool { get }
    /// The requested `max_age` in seconds; nil if none was requested.
    var maximumAgeSeconds: Int? { get }
    var authenticationContexts: [String] { get }
    /// The DPoP key to which the tokens are to be bound; nil for bearer tokens.
    var dpopKey: Secret? { get }
    /// The buyer of the session for which a step-up login was started; nil for an ordinary login.
    var steppedUpBuyer: Buyer? { get }
}

extension LoginAttempt: LoginExpectations {
    var refusesNonce: Bool { false }
}

extension DeviceAuthorization: LoginExpectations {
    var nonce: Secret? { nil }
    var steppedUpBuyer: Buyer? { nil }
    // A device authorization request has no nonce. An ID token with a nonce was issued for another login.
    var refusesNonce: Bool { true }
}

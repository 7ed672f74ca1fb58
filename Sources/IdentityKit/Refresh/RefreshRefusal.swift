/// A failed refresh: the error and its meaning for the session.
///
/// Only ``Kind/invalidGrant`` ends a session. In OAuth, it stands for the `error` member `invalid_grant` (RFC 6749 section 5.2). An error
/// description or an HTTP status alone never ends a session.
public struct RefreshRefusal: Error, Sendable {
    /// The meaning of a failed refresh for the session.
    public enum Kind: String, Sendable, CaseIterable {
        /// The refresh token was not used, and another attempt may succeed: no connection, or a temporary error.
        case transient
        /// The refresh token was not used, and the provider asks for a pause (429, 503).
        case throttled
        /// No session can be refreshed until the cause is corrected: for example, the provider rejects this client or this machine.
        case configuration
        /// The provider no longer accepts the refresh token (`invalid_grant`).
        ///
        /// The session continues if another process has saved newer tokens, or a response that may contain newer tokens. Otherwise it ends.
        case invalidGrant = "invalid_grant"
        /// The provider may have used the refresh token: for example there was no response, an incomplete one, a redirect, an HTML page
        /// with a success status, or an error that does not say what happened.
        case inDoubt = "in_doubt"
        /// The provider rejected the refresh for any other reason. The session does not end.
        case rejected
    }

    /// The meaning for the session.
    public let kind: Kind
    /// The error for the caller.
    public let error: IdentityError

    /// Creates a refusal of a known kind.
    public init(_ kind: Kind, _ error: IdentityError) {
        self.kind = kind
        self.error = error
    }

    /// Whether the failure probably concerns all sessions at the provider, not only this one.
    package var concernsProvider: Bool {
        switch kind {
        case .throttled, .configuration, .inDoubt: true
        case .transient, .invalidGrant, .rejected: error.code == .providerUnavailable
        }
    }
}

public import FoundationEssentials

/// A signed-in buyer, without the tokens.
public struct Session: Sendable {
    /// The id that the app keeps in its cookie.
    public let id: SessionID
    /// The provider's name.
    public let provider: String
    /// The tenant.
    public let tenant: String
    /// Who signed in.
    public let buyer: Buyer
    /// The claims of the newest ID token; nil for a guest, and for a provider without ID tokens.
    public let claims: IDTokenClaims?
    /// When the buyer authenticated at the provider (`auth_time`); nil where the login's ID token does not say so.
    ///
    /// Kept from the login, also if a refreshed ID token does not repeat it.
    public let authenticatedAt: Date?
    /// The granted scopes; a refresh may narrow them.
    public let scopes: [String]
    /// When the buyer signed in.
    public let createdAt: Date
    /// When the access token expires; nil if the provider did not say.
    public let expiresAt: Date?
    /// Whether there is a refresh token.
    public let isRefreshable: Bool
    /// Whether a refresh is in progress or ended without a known outcome.
    ///
    /// The next refresh repairs it.
    public let isInDoubt: Bool
    /// Why the buyer has to sign in again; nil while the session is valid.
    public let endReason: SessionEndReason?

    /// Whether the provider's answer to the last refresh belongs to another login, so that callers get no token of this session
    /// (``IdentityError/isAttackSuspected``).
    public let isAttackSuspected: Bool

    /// Whether the buyer has to sign in again; treat such a session as not signed in.
    public var needsLogin: Bool { endReason != nil || isAttackSuspected }
}

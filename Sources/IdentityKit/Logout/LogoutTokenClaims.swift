public import FoundationEssentials

/// The claims of a validated logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
///
/// A logout token names the buyer whose sessions ended at the provider, or one ended session of the provider, or both.
public struct LogoutTokenClaims: Sendable {
    /// The issuer of the token; only sessions of the same issuer end.
    public let issuer: String
    /// The buyer's subject at the issuer (`sub`); nil if the token names no buyer.
    public let subject: String?
    /// The provider's session id (`sid`); nil if the token names no session.
    public let providerSessionID: String?
    /// The token's unique id (`jti`); each token is accepted once.
    public let tokenID: String
    /// When the token expires; ``tokenID`` has to be remembered until this time.
    public let expiresAt: Date

    /// Creates the claims of a logout token.
    ///
    /// If `subject` and `providerSessionID` are both nil, ``SessionManager`` refuses the token.
    /// ``SessionManager/backChannelLogout(provider:body:contentType:)`` says which sessions end.
    public init(
        issuer: String,
        subject: String?,
        providerSessionID: String?,
        tokenID: String,
        expiresAt: Date
    ) {
        self.issuer = issuer
        self.subject = subject
        self.providerSessionID = providerSessionID
        self.tokenID = tokenID
        self.expiresAt = expiresAt
    }
}

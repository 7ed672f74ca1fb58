public import FoundationEssentials

/// What a validated logout token says (OpenID Connect Back-Channel Logout 1.0 section 2.4): which sessions have ended at the
/// provider.
///
/// It names a buyer, a session of the provider, or both.
public struct LogoutNotice: Sendable {
    /// The issuer of the token, which must be that of the sessions.
    public let issuer: String
    /// The buyer's subject at the issuer (`sub`).
    public let subject: String?
    /// The provider's own name for the session (`sid`).
    public let providerSessionID: String?
    /// The token's unique name (`jti`); a token counts once.
    public let tokenID: String
    /// Until when the token is accepted: that long its name has to be remembered.
    public let expiresAt: Date

    /// A notice about the sessions of a subject, about one session of the provider, or, with both, about that session of that
    /// subject.
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

/// A provider that tells its clients by a signed token when a session has ended there.
public protocol BackChannelLogoutSupporting: Sendable {
    /// Decides whether a logout token is to be trusted (OpenID Connect Back-Channel Logout 1.0 section 2.6).
    ///
    /// Whether the token was used before is not its business.
    ///
    /// - Throws: ``IdentityError``: of kind ``IdentityError/Kind/rejected`` and with a code of ID or logout tokens when the token
    ///   is none of this provider for this client, of kind ``IdentityError/Kind/retryLater`` when that cannot be said at the moment.
    func validate(logoutToken: Secret) async throws -> LogoutNotice
}

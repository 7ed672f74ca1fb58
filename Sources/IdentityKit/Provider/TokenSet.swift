public import FoundationEssentials

/// The tokens of one buyer at one provider, with what was verified about them.
public struct TokenSet: Sendable {
    /// Who signed in.
    ///
    /// Issuer and subject come from a validated ID token, or from what the provider's kind allows instead.
    public var buyer: Buyer
    /// The access token.
    public var accessToken: Secret
    /// The token type as the provider wrote it, for example `bearer`; compared without case (RFC 6749 section 5.1).
    public var tokenType: String
    /// The refresh token; nil when the provider gave none, which is a normal state: the session ends with its access token.
    public var refreshToken: Secret?
    /// The scopes to ask for at a refresh, where the provider names them (Bolt's `refresh_token_scope`).
    public var refreshTokenScopes: [String]
    /// The raw ID token, kept for logout.
    public var idToken: Secret?
    /// The scopes granted, in the provider's order.
    public var scopes: [String]
    /// When the request that brought the tokens started.
    public var issuedAt: Date
    /// When the access token expires, counted from ``issuedAt``; nil when the provider did not say.
    public var expiresAt: Date?
    /// When the buyer authenticated (`auth_time`), where the ID token said so; a refreshed ID token must repeat it.
    public var authenticatedAt: Date?
    /// The ID token's `azp`, which a refreshed ID token must repeat.
    public var authorizedParty: String?
    /// The `nonce` of the login, which a refreshed ID token may repeat but not change.
    public var nonce: Secret?
    /// The provider's own name for the session (`sid` of the ID token), by which it may say that the session has ended
    /// (OpenID Connect Back-Channel Logout 1.0 section 2.1); nil when it gave none.
    public var providerSessionID: String?
    /// The key to which the tokens are bound (RFC 9449), a private JWK; nil when they are bound to none.
    public var dpopKey: Secret?

    /// Creates a token set.
    public init(
        buyer: Buyer,
        accessToken: Secret,
        tokenType: String = "Bearer",
        refreshToken: Secret? = nil,
        refreshTokenScopes: [String] = [],
        idToken: Secret? = nil,
        scopes: [String] = [],
        issuedAt: Date,
        expiresAt: Date? = nil
    ) {
        self.buyer = buyer
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.refreshTokenScopes = refreshTokenScopes
        self.idToken = idToken
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Whether a scope was granted, compared as bytes.
    public func isGranted(_ scope: String) -> Bool {
        scopes.contains { $0.isIdentical(to: scope) }
    }
}

extension TokenSet: CustomStringConvertible, CustomReflectable {
    /// Whose tokens they are by issuer, their type and scopes; no token, and no name by which provider or app know buyer or session.
    public var description: String {
        "TokenSet(issuer: \(buyer.issuer), type: \(tokenType), scopes: \(scopes), <redacted>)"
    }

    /// A mirror that shows ``description`` only.
    public var customMirror: Mirror {
        Mirror(self, children: ["tokens": description], displayStyle: .struct)
    }
}

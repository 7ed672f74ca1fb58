public import FoundationEssentials

/// The tokens of one buyer at one provider, with the validated claims of the ID token.
public struct TokenSet: Sendable {
    private struct Content: Sendable {
        var buyer: Buyer
        var accessToken: Secret
        var tokenType: String
        var refreshToken: Secret?
        var refreshTokenScopes: [String]
        var idToken: Secret?
        var scopes: [String]
        var issuedAt: Date
        var expiresAt: Date?
        var authenticatedAt: Date?
        var authorizedParty: String?
        var nonce: Secret?
        var providerSessionID: String?
        var claims: IDTokenClaims?
        var dpopKey: Secret?
    }

    /// The members are in one shared object, because token sets are copied much more often than changed.
    private var storage: Shared<Content>
    private var content: Content {
        get { storage.value }
        set { storage = Shared(newValue) }
    }

    /// The buyer who signed in, with issuer and subject from a validated ID token.
    ///
    /// A provider without ID tokens documents where it gets issuer and subject.
    public var buyer: Buyer {
        get { storage.value.buyer }
        set { content.buyer = newValue }
    }
    /// The access token.
    public var accessToken: Secret {
        get { storage.value.accessToken }
        set { content.accessToken = newValue }
    }
    /// The token type of the response, for example `bearer`, or `Bearer` if the SDK reads no type from the response.
    ///
    /// Types are compared without case (RFC 6749 section 5.1).
    public var tokenType: String {
        get { storage.value.tokenType }
        set { content.tokenType = newValue }
    }
    /// The refresh token; nil when the provider issued no refresh token.
    ///
    /// Without a refresh token, calls that need a token fail with ``IdentityError/Code/notRefreshable`` after the access token has expired.
    /// The stored session stays, and ``Session/needsLogin`` stays false.
    public var refreshToken: Secret? {
        get { storage.value.refreshToken }
        set { content.refreshToken = newValue }
    }
    /// The scopes to request at a refresh, for example Bolt's `refresh_token_scope`; empty if the provider names no such scopes.
    public var refreshTokenScopes: [String] {
        get { storage.value.refreshTokenScopes }
        set { content.refreshTokenScopes = newValue }
    }
    /// The raw ID token, kept for logout; nil when the provider issued no ID token.
    public var idToken: Secret? {
        get { storage.value.idToken }
        set { content.idToken = newValue }
    }
    /// The granted scopes, in the provider's order; the requested scopes if the provider does not state the granted ones.
    public var scopes: [String] {
        get { storage.value.scopes }
        set { content.scopes = newValue }
    }
    /// When the request that returned the tokens began.
    public var issuedAt: Date {
        get { storage.value.issuedAt }
        set { content.issuedAt = newValue }
    }
    /// When the access token expires; nil if the expiry is not known: the token then counts as unexpired.
    public var expiresAt: Date? {
        get { storage.value.expiresAt }
        set { content.expiresAt = newValue }
    }
    /// When the buyer authenticated (`auth_time` of the ID token); nil if the ID token does not state it.
    ///
    /// The ID token of a refresh may leave out `auth_time`, but must not change it.
    public var authenticatedAt: Date? {
        get { storage.value.authenticatedAt }
        set { content.authenticatedAt = newValue }
    }
    /// The client for which the ID token was issued (`azp` of the ID token); nil if the ID token does not state it.
    ///
    /// The ID token of a refresh may leave out `azp`, but must not change it.
    public var authorizedParty: String? {
        get { storage.value.authorizedParty }
        set { content.authorizedParty = newValue }
    }
    /// The `nonce` of the login; nil if neither the login request nor the ID token contained a `nonce`.
    ///
    /// The ID token of a refresh may leave out the `nonce`, but must not change it.
    public var nonce: Secret? {
        get { storage.value.nonce }
        set { content.nonce = newValue }
    }
    /// The provider's session id (`sid` of the ID token); nil if no ID token contained a `sid`.
    ///
    /// A logout token of the provider can name this id (OpenID Connect Back-Channel Logout 1.0 section 2.1).
    public var providerSessionID: String? {
        get { storage.value.providerSessionID }
        set { content.providerSessionID = newValue }
    }
    /// The claims of the newest validated ID token; nil if no ID token was validated.
    ///
    /// Set only claims that were validated. The ID token of a refresh replaces all claims. If a refresh returns no ID token, the claims
    /// stay (OpenID Connect Core section 12.2).
    public var claims: IDTokenClaims? {
        get { storage.value.claims }
        set { content.claims = newValue }
    }
    /// The DPoP key of the tokens (RFC 9449), a private JWK; nil without DPoP.
    public var dpopKey: Secret? {
        get { storage.value.dpopKey }
        set { content.dpopKey = newValue }
    }

    /// Creates a token set; pass only claims that were validated.
    public init(
        buyer: Buyer,
        accessToken: Secret,
        tokenType: String = "Bearer",
        refreshToken: Secret? = nil,
        refreshTokenScopes: [String] = [],
        idToken: Secret? = nil,
        scopes: [String] = [],
        issuedAt: Date,
        expiresAt: Date? = nil,
        authenticatedAt: Date? = nil,
        authorizedParty: String? = nil,
        nonce: Secret? = nil,
        providerSessionID: String? = nil,
        claims: IDTokenClaims? = nil,
        dpopKey: Secret? = nil
    ) {
        storage = Shared(
            Content(
                buyer: buyer,
                accessToken: accessToken,
                tokenType: tokenType,
                refreshToken: refreshToken,
                refreshTokenScopes: refreshTokenScopes,
                idToken: idToken,
                scopes: scopes,
                issuedAt: issuedAt,
                expiresAt: expiresAt,
                authenticatedAt: authenticatedAt,
                authorizedParty: authorizedParty,
                nonce: nonce,
                providerSessionID: providerSessionID,
                claims: claims,
                dpopKey: dpopKey
            )
        )
    }

    /// Whether a scope was granted, compared as bytes.
    public func isGranted(_ scope: String) -> Bool {
        scopes.contains { $0.isIdentical(to: scope) }
    }
}

extension TokenSet: Redacted {
    /// Issuer, token type and scopes, without tokens and without identifiers of the buyer or session.
    public var description: String {
        "TokenSet(issuer: \(buyer.issuer), type: \(tokenType), scopes: \(scopes), <redacted>)"
    }
}

extension TokenSet {
    package func write(to record: inout RecordWriter) {
        record.append("buyer") { buyer.write(to: &$0) }
        record.append("access_token", accessToken)
        record.append("token_type", tokenType)
        record.append("refresh_token", refreshToken)
        record.append("refresh_scopes", refreshTokenScopes)
        record.append("id_token", idToken)
        record.append("scopes", scopes)
        record.append("issued_at", issuedAt)
        record.append("expires_at", expiresAt)
        record.append("authenticated_at", authenticatedAt)
        record.append("azp", authorizedParty)
        record.append("sid", providerSessionID)
        if let claims { record.append("claims") { claims.write(to: &$0) } }
        record.append("nonce", nonce)
        record.append("dpop_key", dpopKey)
    }

    package init?(record value: RecordReader) {
        guard
            let buyer = value["buyer"].flatMap({ Buyer(record: $0) }),
            let accessToken = value["access_token"]?.secret, let issuedAt = value["issued_at"]?.date,
            case let claims = value["claims"].flatMap(IDTokenClaims.init(record:)),
            claims != nil || value["claims"] == nil
        else { return nil }
        self.init(
            buyer: buyer,
            accessToken: accessToken,
            tokenType: value["token_type"]?.string ?? "Bearer",
            refreshToken: value["refresh_token"]?.secret,
            refreshTokenScopes: value["refresh_scopes"]?.strings ?? [],
            idToken: value["id_token"]?.secret,
            scopes: value["scopes"]?.strings ?? [],
            issuedAt: issuedAt,
            expiresAt: value["expires_at"]?.date,
            authenticatedAt: value["authenticated_at"]?.date,
            authorizedParty: value["azp"]?.string,
            nonce: value["nonce"]?.secret,
            providerSessionID: value["sid"]?.string,
            claims: claims,
            dpopKey: value["dpop_key"]?.secret
        )
    }
}

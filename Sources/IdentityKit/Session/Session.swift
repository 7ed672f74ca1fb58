public import FoundationEssentials

/// A session of a buyer or a guest, without its tokens.
public struct Session: Sendable {
    private struct Content: Sendable {
        let id: SessionID
        let provider: String
        let tenant: String
        let storedBuyer: (issuer: String, subject: String)
        let buyer: Buyer
        let claims: IDTokenClaims?
        let authenticatedAt: Date?
        let scopes: [String]
        let createdAt: Date
        let expiresAt: Date?
        let isRefreshable: Bool
        let isInDoubt: Bool
        let endReason: SessionEndReason?
        let isAttackSuspected: Bool
    }

    /// A reference that all copies of a session share, because sessions are copied much more often than they are created.
    private let storage: Shared<Content>
    private var content: Content { storage.value }

    /// The id that the app keeps in its cookie; a secret, because a browser that sends the id is signed in.
    public var id: SessionID { content.id }
    /// The provider's name; ``SessionManager/guestProvider`` for a guest.
    public var provider: String { content.provider }
    /// The tenant to which the session belongs; empty if the app has only one.
    public var tenant: String { content.tenant }
    /// The buyer who signed in; for a guest, a placeholder with a random subject.
    public var buyer: Buyer { content.buyer }
    /// The issuer and subject under which the store keeps the session; after a refresh, ``buyer`` may have an equivalent issuer.
    var storedBuyer: (issuer: String, subject: String) { content.storedBuyer }
    /// The claims of the newest ID token; nil for a session without these claims, for example a guest's.
    ///
    /// After a refresh without an ID token, the session keeps the earlier claims.
    public var claims: IDTokenClaims? { content.claims }
    /// When the buyer authenticated at the provider (`auth_time`); nil if the time is not known, for example for a guest.
    ///
    /// If the ID token of a refresh has no `auth_time`, the session keeps the value of the login.
    public var authenticatedAt: Date? { content.authenticatedAt }
    /// The scopes that the provider granted, possibly fewer after a refresh; empty for a guest.
    public var scopes: [String] { content.scopes }
    /// When the session was created, normally when the buyer signed in.
    public var createdAt: Date { content.createdAt }
    /// When the access token expires; nil if the expiry is not known, for example for a guest.
    public var expiresAt: Date? { content.expiresAt }
    /// Whether the session has a refresh token.
    public var isRefreshable: Bool { content.isRefreshable }
    /// Whether a refresh of the session is unfinished: the refresh still runs, its outcome is unknown, or its response is not accepted yet.
    ///
    /// The next refresh or repair (``SessionManager/repair()``) tries to complete the unfinished refresh.
    public var isInDoubt: Bool { content.isInDoubt }
    /// Why the buyer has to sign in; nil if the session has not ended.
    public var endReason: SessionEndReason? { content.endReason }
    /// Whether the provider's response to the last refresh belongs to another login, for example because it names another buyer.
    ///
    /// If the value is true, the SDK returns no token of this session (``IdentityError/isAttackSuspected``).
    public var isAttackSuspected: Bool { content.isAttackSuspected }

    /// Whether the session is a guest's: no buyer has signed in, and it only has attachments, such as a cart.
    public var isGuest: Bool { endReason == .guest }

    /// Whether the buyer has to sign in; treat such a session as not signed in.
    ///
    /// If the value is false, a call for tokens can still throw, for example ``IdentityError/Code/notRefreshable`` if the tokens have
    /// expired and the session has no refresh token, or ``IdentityError/Code/issuerChanged`` if the tokens' issuer is not configured.
    public var needsLogin: Bool { endReason != nil || isAttackSuspected }

    init(_ stored: StoredSession, _ state: SessionState) {
        let tokens = state.tokens
        storage = Shared(
            Content(
                id: stored.id,
                provider: stored.provider,
                tenant: stored.tenant,
                storedBuyer: (stored.issuer, stored.subject),
                buyer: tokens?.buyer ?? Buyer(issuer: stored.issuer, subject: stored.subject),
                claims: tokens?.claims,
                authenticatedAt: tokens?.authenticatedAt,
                scopes: tokens?.scopes ?? [],
                createdAt: stored.createdAt,
                expiresAt: tokens?.expiresAt,
                isRefreshable: tokens?.refreshToken != nil,
                isInDoubt: state.isInDoubt,
                endReason: state.endReason,
                isAttackSuspected: state.loginMismatch != nil
            )
        )
    }
}

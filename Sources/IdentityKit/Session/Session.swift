public import FoundationEssentials
public import IdentityHTTP

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
    /// What was granted; a refresh may narrow it.
    public let scopes: [String]
    /// When the buyer signed in.
    public let createdAt: Date
    /// When the access token expires, where the provider said so.
    public let expiresAt: Date?
    /// Whether there is a refresh token.
    public let isRefreshable: Bool
    /// Whether a refresh is under way, or ended without a known outcome; the next one repairs it.
    public let isInDoubt: Bool
    /// Why only a new login helps; nil while the session lives.
    public let endReason: SessionEndReason?

    /// Whether only a new login helps.
    public var needsLogin: Bool { endReason != nil }
}

/// A login that has begun in a web app.
public struct StartedLogin: Sendable {
    /// Where to send the browser.
    public let url: HTTPURL
    /// The value of a cookie to set in that browser (`HttpOnly`, `Secure`, `SameSite=Lax`, but
    /// `SameSite=None` where the provider posts its answer, ``ResponseMode/formPost``), and to hand back at the callback.
    public let browserBinding: Secret
    /// When the login must be finished.
    public let expiresAt: Date
}

/// A login that has ended well.
public struct CompletedLogin: Sendable {
    /// The new session.
    public let session: Session
    /// Where to send the browser, from ``LoginOptions/returnPath``, as ``ReturnPathPolicy`` wrote it.
    public let returnPath: String?
}

/// How a token came to its caller.
public struct TokenOutcome: RawRepresentable, Hashable, Sendable {
    /// The outcome as text.
    public let rawValue: String

    /// An outcome with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stored token was good enough.
    public static let stored = Self(rawValue: "stored")
    /// The token was refreshed while it still was valid.
    public static let refreshedEarly = Self(rawValue: "refreshed_early")
    /// The token was refreshed after it had expired.
    public static let refreshedLate = Self(rawValue: "refreshed_late")
    /// Another task or process refreshed it meanwhile.
    public static let waited = Self(rawValue: "waited")
    /// The refresh failed for now, and the old token is still valid for a while; ``SessionTokens/reason`` has the error.
    public static let stillValid = Self(rawValue: "still_valid")
}

/// A session's tokens at one moment.
public struct SessionTokens: Sendable {
    /// Shared, not copied: a busy session hands out the same values to many callers.
    private final class Content: Sendable {
        let session: Session
        let tokens: TokenSet
        let warning: IdentityError?
        let reason: IdentityError?

        init(_ session: Session, _ tokens: TokenSet, _ warning: IdentityError?, _ reason: IdentityError?) {
            self.session = session
            self.tokens = tokens
            self.warning = warning
            self.reason = reason
        }
    }

    private let content: Content
    /// The session.
    public var session: Session { content.session }
    /// The tokens.
    public var tokens: TokenSet { content.tokens }
    /// Nil while the session's newest tokens are stored durably.
    ///
    /// Otherwise an error with code ``IdentityError/Code/tokensNotDurable``: these tokens work, but an operator must act before the process ends.
    ///
    /// Tokens that wait in the store's second place (``SessionSpooling``) are durable.
    public var warning: IdentityError? { content.warning }
    /// How they were got.
    public let outcome: TokenOutcome
    /// Why the token was not refreshed, with the outcome ``TokenOutcome/stillValid``; nil with every other outcome.
    public var reason: IdentityError? { content.reason }

    init(
        session: Session,
        tokens: TokenSet,
        outcome: TokenOutcome,
        warning: IdentityError?,
        reason: IdentityError? = nil
    ) {
        content = Content(session, tokens, warning, reason)
        self.outcome = outcome
    }
}

/// Something that follows a session's life, such as a cart.
public protocol SessionParticipant: AnyObject, Sendable {
    /// The session has new tokens.
    func sessionRefreshed(_ session: Session) async throws

    /// The session is gone from the store; what was attached to it is handed over for the last time.
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws

    /// The provider has ended the session, so that only a new login helps; its row stays in the store until a logout.
    ///
    /// Told once in each process that notices it, in the background. By default nothing is done.
    func sessionNeedsLogin(_ session: Session) async throws
}

extension SessionParticipant {
    /// Does nothing.
    public func sessionNeedsLogin(_ session: Session) async throws {}
}

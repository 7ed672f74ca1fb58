/// The tokens of a session.
public struct SessionTokens: Sendable {
    struct Content: Sendable {
        let session: Session
        let tokens: TokenSet
        let warning: IdentityError?
        var reason: IdentityError?
        var losses: TokenLosses?
        var isFromEarlierRefresh = false
    }

    /// A reference that all copies share, because many callers of a busy session get copies of the same value.
    private let storage: Shared<Content>
    private var content: Content { storage.value }
    /// The session that the tokens belong to.
    public var session: Session { content.session }
    /// The tokens.
    public var tokens: TokenSet { content.tokens }
    /// A warning if the session's newest tokens are only in the memory of this process; nil if the tokens are stored durably.
    ///
    /// The code is ``IdentityError/Code/tokensNotDurable``: the tokens work, but an operator must act before the process ends. Tokens in
    /// the store's spool (``SessionSpooling``) are durable.
    public var warning: IdentityError? { content.warning }
    /// How the tokens were obtained.
    public internal(set) var outcome: TokenOutcome
    /// Why the token was not refreshed, if the outcome is ``TokenOutcome/stillValid``; nil for every other outcome.
    public var reason: IdentityError? { content.reason }
    /// What the session lost in the refresh: scopes, the refresh token, or both; nil if nothing was lost.
    ///
    /// Also nil if this call did not wait for a refresh, or if another process refreshed the tokens. The event
    /// ``IdentityEvent/Kind/tokensReduced(_:)`` also reports the losses of background refreshes and of repairs.
    public var losses: TokenLosses? { content.losses }
    /// Whether an earlier refresh received these tokens, which were validated or saved only now.
    ///
    /// If a server rejects tokens of an earlier refresh, another refresh may help, because the tokens may be old.
    var isFromEarlierRefresh: Bool { content.isFromEarlierRefresh }

    init(_ content: Content, outcome: TokenOutcome) {
        storage = Shared(content)
        self.outcome = outcome
    }
}

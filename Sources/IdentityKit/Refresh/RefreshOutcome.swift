/// The result of one run of a ``RefreshStateMachine``.
package enum RefreshOutcome: Sendable {
    /// The session has new tokens; `isRecovered`: an earlier attempt received the response or the tokens.
    case refreshed(TokenSet, isRecovered: Bool)
    /// Another process has refreshed the session: its state and tokens.
    case adopted(SessionState, TokenSet)
    /// Another process changed the session first, so the refresh must start again.
    case changed
    /// Another process has claimed the session for its refresh and may still save the response; look again later.
    case wait
    /// The attempt failed; `pausesSession`: the next attempt for the session has to wait.
    case failed(IdentityError, pausesSession: Bool = false)
}

/// The result of one run of a ``RefreshStateMachine``.
package enum RefreshOutcome: Sendable {
    /// The session has new tokens; `isFromEarlierAttempt`: an earlier attempt received the response or the tokens.
    case refreshed(TokenSet, isFromEarlierAttempt: Bool)
    /// The tokens of the session's stored state are sufficient, usually because another process refreshed the session.
    case alreadyRefreshed(SessionState, TokenSet)
    /// Another process changed or removed the session first, so the refresh must start again.
    case startAgain
    /// An earlier refresh, usually of another process, has claimed the session, and its response may still be saved.
    ///
    /// The caller must wait, and then start the refresh again.
    case wait
    /// The refresh failed; `pausesSession`: the failure counts for the pauses of ``SessionRefreshPauses``.
    ///
    /// For an error of the preparation, `pausesSession` is false: `TokenRefresher+Actions.swift` has already counted an error of
    /// ``JournaledRefreshing/prepareRefresh(of:)``, and other errors of the preparation do not count.
    case failed(IdentityError, pausesSession: Bool = false)
}

/// The events of a refresh, and the actions that follow them.
extension RefreshStateMachine {
    /// The result of an action, or the start of the refresh.
    package enum Event: Sendable {
        case began
        /// The stored state; nil if the session was removed, or had expired when the refresh first loaded it.
        ///
        /// - `isRestored`: The session was restored from a backup, so its refresh token may have been used after the backup.
        /// - `isUnchanged`: No other process has changed the session since this refresh last loaded or saved it. False at the first
        ///   load.
        case loaded(SessionState?, isRestored: Bool, isUnchanged: Bool)
        case notLoaded(IdentityError)
        /// The unsaved state (`active` or `responded`) that replaces the stored tokens; nil if memory and spool contain no such state.
        case found(SessionState?)
        /// `mustWait`: the process that claimed the session for its refresh may still save a response.
        case claimWaitChecked(mustWait: Bool)
        case prepared(RefreshClaim)
        case notPrepared(IdentityError)
        case saved
        /// Another process has changed or removed the session.
        case conflicted
        case notSaved(IdentityError)
        /// The action was not performed, because the lock was lost, or may end before the request with the refresh token ends.
        case lockLost
        case responded(RefreshResponse)
        /// Validated tokens. A provider that is not ``JournaledRefreshing`` returns them directly from its request.
        case validated(TokenSet)
        /// The provider rejected the refresh, its response contains no token, or no response arrived.
        case refused(RefreshRefusal)
        /// The response may contain tokens, but its validation failed; a later validation may succeed.
        ///
        /// If the response belongs to another login, the error has ``IdentityError/isAttackSuspected``.
        case validationFailed(IdentityError)
        /// An action has ended; the next step does not depend on its success.
        case done
    }

    /// The reason for saving a state.
    package enum Purpose: Sendable {
        /// Notes in another process's refresh claim that this process is about to wait for that process's response.
        case markAwaited
        /// Claims the refresh: the saved state says that this process is about to send the refresh token.
        case claim
        /// Replaces a stored response without tokens by the refresh claim, before the second request.
        case claimAgain
        /// Ends the claim of a refresh that failed, so that the next process does not wait for a response to it.
        ///
        /// The session becomes active again, or the claim is marked as abandoned.
        case withdrawClaim
        case end
        case response
        /// A response that belongs to another login, with its error code.
        case loginMismatch
        case tokens(Source)

        /// How often a save is tried before the observers are told that the store failed; nil for one attempt without a report.
        ///
        /// Only the failed save of a response or of new tokens is reported, because only these contain tokens that can be lost. A response
        /// is tried once, so that its validation is not delayed. Unsaved tokens are tried once, because their save has failed before.
        var attemptsBeforeReport: Int? {
            switch self {
            case .markAwaited, .claim, .claimAgain, .withdrawClaim, .end: nil
            case .response, .loginMismatch, .tokens(.unsaved): 1
            case .tokens: 6
            }
        }
    }

    /// The next action of a refresh, which ``RefreshRun`` performs.
    package enum Action: Sendable {
        case load
        /// Looks in memory and in the spool, a local directory, for a state that replaces the stored tokens.
        ///
        /// - `storedResponseHasNoTokens`: The stored response contains no token. In this case, the search also returns a state that
        ///   may be older than the stored response.
        case findUnsaved(storedResponseHasNoTokens: Bool)
        case checkClaimWait
        /// Prepares the request with the refresh token; fails during a pause after failed refreshes.
        ///
        /// The action waits for a permit of the provider's ``ProviderRefreshLimiter``. Then it lets a ``JournaledRefreshing`` provider
        /// prepare, for example fetch its metadata and keys.
        case prepare
        /// Saves the session, unless another process has changed it since this refresh last loaded or saved it.
        ///
        /// With `requiresLock`, the session is saved only while this process holds the lock.
        case save(SessionState, Purpose, requiresLock: Bool)
        /// Sends the refresh token.
        case send
        case validate(RefreshResponse)
        /// Reports that a response belongs to another login, unless this process has reported it before.
        case reportLoginMismatch(IdentityError, RefreshResponse)
        /// Keeps a state with new tokens or a response in memory and in the spool, until the store has saved it.
        ///
        /// `isReported` says whether the observers are told. It is false for a response that the refresh validates next, because this
        /// state is not final.
        case spool(SessionState, isReported: Bool)
        /// Removes the session's unsaved state from memory and from the spool.
        case removeUnsaved
        /// Revokes the tokens that are in memory or in the spool for a session that was removed or has expired.
        case revokeUnsaved
        /// Revokes new tokens, because their session was removed or has ended during the refresh.
        case revoke(TokenSet)
        case finish(RefreshOutcome)
    }
}

/// The result of one run of a ``RefreshStateMachine``.
package enum RefreshOutcome: Sendable {
    /// The session has new tokens; `isFromEarlierRefresh`: an earlier run or refresh received the response or the tokens.
    case refreshed(TokenSet, isFromEarlierRefresh: Bool)
    /// The tokens of the session's stored state are sufficient, usually because another process refreshed the session.
    case alreadyRefreshed(SessionState, TokenSet)
    /// Another process changed or removed the session first, so the refresh must start again.
    case startAgain
    /// An earlier refresh has claimed the session, and its process may still save a response.
    ///
    /// The caller must wait, and then start the refresh again.
    case wait
    /// The refresh failed; `pausesSession`: the failure counts for the pauses of ``SessionRefreshPauses``.
    ///
    /// For an error of the preparation, `pausesSession` is false: `RefreshRun+Actions.swift` has already counted an error of
    /// ``JournaledRefreshing/prepareRefresh(of:)``, and other errors of the preparation do not count.
    case failed(IdentityError, pausesSession: Bool = false)
}

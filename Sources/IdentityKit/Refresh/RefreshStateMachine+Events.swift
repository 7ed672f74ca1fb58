extension RefreshStateMachine {
    package enum Event: Sendable {
        case began
        /// The stored state; nil if the session does not exist, or had expired at the first load.
        ///
        /// `isRestored`: the session comes from a backup, so its refresh token may have been used after the backup. `isUnchanged`: no other
        /// process has changed the session since this run last loaded or saved it; false at the first load.
        case loaded(SessionState?, isRestored: Bool, isUnchanged: Bool)
        case notLoaded(IdentityError)
        /// The unsaved state (`active` or `responded`) that replaces the stored tokens; nil if memory and spool contain no state to use.
        case found(SessionState?)
        /// `mustWait`: the process that claimed the session for its refresh may still save a response.
        case claimWaitChecked(mustWait: Bool)
        case prepared(RefreshClaim)
        case notPrepared(IdentityError)
        case saved
        /// The state was not saved, because another process has changed or removed the session.
        case conflicted
        case notSaved(IdentityError)
        /// The action was not performed, because the lock was lost, or may end before the request with the refresh token ends.
        case lockLost
        case responded(RefreshResponse)
        /// The new tokens, from a validation or directly from the request of a provider that is not ``JournaledRefreshing``.
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

    package enum Purpose: Sendable {
        /// Marks another process's claim: this process is about to wait for that process's response.
        case markAwaited
        /// Marks the session: this process is about to send the refresh token.
        case claim
        /// Saves the claim over a stored response without tokens, before the second request.
        case claimAgain
        /// Makes the session active again or marks the claim as abandoned, so that the next process does not wait for a response.
        case withdrawClaim
        case end
        case response
        case loginMismatch
        case tokens(Source)

        /// The number of attempts before the failure of a save is reported to the observers; nil for one attempt without a report.
        ///
        /// Only responses and new tokens can be lost, so only their failed saves are reported. The save of a response is tried once, so
        /// that its validation is not delayed. The save of tokens from memory or the spool is tried once, because it has failed before.
        var attemptsBeforeReport: Int? {
            switch self {
            case .markAwaited, .claim, .claimAgain, .withdrawClaim, .end: nil
            case .response, .loginMismatch, .tokens(.unsaved): 1
            case .tokens: 6
            }
        }
    }

    package enum Action: Sendable {
        case load
        /// Looks in memory and in the spool, a local directory, for a state that replaces the stored tokens.
        ///
        /// With `storedResponseHasNoTokens`, the search also finds a state that may be older than the stored response.
        case findUnsaved(storedResponseHasNoTokens: Bool)
        case checkClaimWait
        /// Waits for a permit of the ``ProviderRefreshLimiter``, and lets a ``JournaledRefreshing`` provider fetch its metadata and keys.
        case prepare
        /// Saves the session, unless another process has changed it since this run last loaded or saved it.
        ///
        /// With `requiresLock`, the session is saved only while this process holds the lock.
        case save(SessionState, Purpose, requiresLock: Bool)
        case send
        case validate(RefreshResponse)
        /// Reports that a response belongs to another login, unless this process has reported it before.
        case reportLoginMismatch(IdentityError, RefreshResponse)
        /// Keeps new tokens or a response in memory and in the spool, until the store has saved them.
        ///
        /// `isReported`: the observers are told; false for a response that is validated next, because its validation may change the state.
        case spool(SessionState, isReported: Bool)
        case removeUnsaved
        /// Revokes the tokens that are in memory or in the spool for a session that was removed or has expired.
        case revokeUnsaved
        case revoke(TokenSet)
        case finish(RefreshOutcome)
    }
}

package enum RefreshOutcome: Sendable {
    /// The session has new tokens; `isFromEarlierRefresh`: an earlier run or refresh received them.
    case refreshed(TokenSet, isFromEarlierRefresh: Bool)
    /// The tokens of the session's stored state are sufficient, for example because another process refreshed the session.
    case alreadyRefreshed(SessionState, TokenSet)
    /// Another process changed or removed the session first, so the refresh must start again.
    case startAgain
    /// The caller must wait and then start again, because the process of an earlier refresh may still save a response.
    case wait
    /// The refresh failed; `pausesSession`: the failure must still be counted in ``SessionRefreshPauses``.
    case failed(IdentityError, pausesSession: Bool = false)
}

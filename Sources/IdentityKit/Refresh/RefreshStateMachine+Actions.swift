/// What a refresh does, and what comes of it.
extension RefreshStateMachine {
    /// What happened.
    package enum Event: Sendable {
        case began
        /// The stored state; nil when the session is gone or its time is over.
        ///
        /// - `isOurs`: Nobody else has changed the row since this machine saved or loaded it.
        case loaded(SessionState?, isRestored: Bool, isOurs: Bool)
        case notLoaded(IdentityError)
        /// What waits outside the store to replace the stored tokens: `active` with new tokens, or `answered`.
        case found(SessionState?)
        case claimSeen(isFresh: Bool)
        case prepared(RefreshIntent)
        case notPrepared(IdentityError)
        case saved
        /// Another process has changed the row, or removed it.
        case conflicted
        case notSaved(IdentityError)
        /// The lock was lost, so the action was not performed.
        case lockLost
        case answered(RefreshAnswer)
        /// Tokens, validated; from a request too, where the provider's answer cannot be stored.
        case validated(TokenSet)
        /// The provider refused, or its answer contains no token.
        case refused(RefreshRefusal)
        /// The answer may contain tokens, and cannot be accepted, for now or for good; with ``IdentityError/isAttackSuspected`` if it
        /// belongs to another login.
        case notAccepted(IdentityError)
        /// An action that always succeeds has been performed.
        case done
    }

    /// Why a state is saved, which decides how often a failing store is asked again.
    package enum Purpose: Sendable {
        case claim, release, end
        case answer
        /// An answer that is stored already, with a verdict.
        case verdict
        /// - `isPatient`: A caller waits for these tokens, and they are stored nowhere yet.
        case tokens(isPatient: Bool)
    }

    /// What to do next.
    package enum Action: Sendable {
        case load
        case findUnsaved
        case checkClaim
        /// Does what can be done before a token is sent.
        case prepare
        /// Saves a state over the row as it was saved or loaded last; `underLock`: only while the lock is held.
        case save(SessionState, Purpose, underLock: Bool)
        /// Sends the refresh token.
        case send
        case validate(RefreshAnswer)
        /// Reports that an answer belongs to another login, unless this process has reported it before.
        case reportVerdict(IdentityError, RefreshAnswer)
        /// Keeps new tokens or an answer in memory and in the spool, until they can replace these tokens in the store.
        case spool(SessionState, replacing: TokenSet)
        /// Forgets what was kept in memory or in the spool.
        case forgetUnsaved
        /// Has what was kept for a session that is gone revoked.
        case discardUnsaved
        /// Has new tokens revoked that nobody can use.
        case revoke(TokenSet)
        case finish(Outcome)
    }

    /// What the refresh came to.
    package enum Outcome: Sendable {
        /// New tokens; `isRecovered`: from an answer or from tokens that an earlier attempt got.
        case refreshed(TokenSet, isRecovered: Bool)
        /// The tokens of another process.
        case adopted(SessionState, TokenSet)
        /// Another process was faster; try again.
        case changed
        /// Another process has claimed the session and may still save its answer; look again later.
        case wait
        /// The attempt failed, and the next one has to pause.
        case refused(IdentityError)
        /// Anything else went wrong.
        case failed(IdentityError)
    }
}

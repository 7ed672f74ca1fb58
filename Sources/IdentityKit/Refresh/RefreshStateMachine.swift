/// Decides each step of a session's refresh from the goal, the kind of lock, the loaded state and the results of the earlier steps.
///
/// The type uses neither I/O nor a clock. ``TokenRefresher`` holds the session's lock, performs each action and reports its event,
/// until the action is ``Action/finish(_:)``. A refresh usually has these actions: load the session, look for unsaved tokens, save the
/// *claim* (this process is about to send the refresh token), send, save the response, validate it, save the new tokens.
///
/// - The claim is saved before the refresh token is sent. So after a crash, the next process knows that the token may already have been
///   used. This save also proves that the store has space for the response.
/// - The response is saved before it is validated. Otherwise a crash during the validation would lose the new refresh token. A provider
///   that is not ``JournaledRefreshing`` returns validated tokens at once.
///
/// Terms:
///
/// - *in doubt*: the refresh token may have been used, and no accepted response shows whether it was. A refresh begins in doubt if the
///   stored session has a claim or a response of an earlier refresh, or comes from a backup. It becomes in doubt if no response arrives, or
///   if the response does not show whether the token was used, for example a redirect, or status 500 or higher without an OAuth error.
///   After such a request, the token is sent a second time at once. If the refresh still fails in doubt, the next refresh sends it again,
///   until a response with tokens or `invalid_grant` arrives.
/// - *unsaved*: tokens or a response that could not be saved, because the store failed or the save conflicted. They are kept in the memory
///   of this process and, if the store has one, in the *spool* (a folder on this computer). The next refresh that finds them saves the
///   tokens, or validates the response and saves its tokens, even if the stored session has ended, unless the stored tokens are newer.
/// - *lease*: a lock that can be lost while its holder still runs, because it ends at a fixed time, or with a connection to a server. Any
///   other lock ends only with its holder, or when the holder releases it. `provesPreviousHolderGone` is false for a lease, and true for
///   any other lock.
/// - *login mismatch*: the ID token of a response belongs to another login, perhaps because of an attack. The error code is stored with the
///   response, or spooled with it if the store cannot take it; for a session that has ended, no code is recorded. The refresh token is not
///   sent again. Until new tokens are saved, which needs a later validation that succeeds, or unsaved tokens, callers get no token of this
///   session, not even the old one.
///
/// Each refresh begins by loading the session. After a crash, the stored state tells the next process how to continue:
///
/// - `active`: no refresh has left a claim or a response. The next refresh begins from the start. If a request fails and the refresh is not
///   in doubt, it restores this state while it still holds the lock.
/// - `claimed`: the refresh token may have been sent, and no response is stored. The next process sends it again, because some providers
///   accept a used token for a short time. Under a lease, the process that saved the claim may still run. So the next process first marks
///   the claim as *awaited*, which shows that the store accepts writes, and waits without the lock; it sends only if no tokens are saved in
///   time. After this mark, the other process saves its tokens under the lock, at the latest with its next repair. The next process does
///   not wait for an *abandoned* claim: a process that fails in doubt under a lease marks its own claim so, while it still holds the lock.
/// - `responded`: a response is stored that is not accepted yet. It is validated. The refresh token is sent only if the response contains
///   no token and has no login mismatch. A response that cannot be validated now, for example because keys are missing, stays where it is,
///   in the store or unsaved, and the refresh fails; the next refresh validates it again.
/// - `ended`: the buyer must sign in again. Only unsaved tokens, or the new tokens of a refresh that was running when the session ended,
///   can make it active again. A refresh ends a session only if the provider answers its own request with `invalid_grant`, and if no other
///   process has saved other tokens or a response meanwhile. It needs the lock for this only if another process has changed the session. A
///   stored `invalid_grant` of an earlier refresh does not end the session: the token is sent again. The reason is
///   ``SessionEndReason/lostRotation`` if the refresh was in doubt, otherwise ``SessionEndReason/revoked``. A guest's session has this
///   state from the start.
///
/// A save *conflicts* if another process has changed or removed the session since this refresh last loaded or saved it:
///
/// - the claim: nothing is sent, and the refresh starts again. If the response to the first request is stored and has no tokens, the claim
///   is saved again before the second request; if this save conflicts, the second request is not sent, and the refresh fails.
/// - the response: it is spooled and validated.
/// - the new tokens: the session is loaded again. It has one of these:
///   - the old tokens: if this process still holds the lock, the new tokens replace them, even if the session has ended. If the lock is
///     lost, the new tokens are spooled and returned; but if the session has ended, they are revoked, and the refresh fails.
///   - the old tokens, and a response that another process has saved: that response may contain newer tokens. So the new tokens are
///     spooled, and the refresh starts again.
///   - other tokens: those are used, and the new ones are discarded without a revocation. But if the session has ended, the new tokens are
///     revoked, and the refresh fails.
///   - no tokens, because the session was removed: the new tokens are revoked, and the refresh fails.
/// - the end, before which the session is always loaded again: it ends if it still has the old tokens, has no response of another process,
///   and is unchanged or this process holds the lock. If it has other tokens and has not ended, those are used. Otherwise the refresh
///   fails.
/// - the mark *awaited*: the refresh starts again.
///
/// If the store fails instead, a response is spooled and validated, and new tokens are spooled and returned. If the claim or the end cannot
/// be saved, the refresh fails; without a claim, nothing is sent. If the first load finds that the session was removed or has expired, its
/// unsaved tokens are revoked.
///
/// These decisions are made elsewhere:
///
/// - *When a refresh starts* (``SessionTokensReader``, ``RefreshSchedule``): when the stored token stays valid for less time than the
///   caller needs (by default 60 seconds, or a quarter of the token's lifetime if that is less), or when a server rejects it. In the
///   background: when a caller gets a token that has used about 80 percent of its lifetime (`earlyRefresh`; 5 percent more or less by
///   session, so that sessions are not all refreshed at once).
/// - *Whether the goal is reached* (``RefreshGoal``), which is checked only if the session is active: a call reaches its goal if the
///   session has other tokens than those that the caller wants to replace. A repair reaches it with any tokens, so it refreshes only a
///   session with a claim or a response.
/// - *That the callers in one process share a refresh* (`TokenRefresher+InProcessSharing.swift`).
/// - *How long an awaited claim is left to its process* (``TokenRefresher``): until this process has seen the same claim for the sum of
///   the provider's timeout, 5 seconds for saving, and one ``SessionManager/Configuration/repairInterval``.
/// - *How long a caller waits* (``TokenRefresher``): up to ``SessionManager/Configuration/lockWait``. If it must wait for a claim, twice
///   the sum of the previous item is added: once to wait for the other process, and once for this process's own refresh. The total is never
///   more than ``RefreshLimits/maximumWait``.
/// - *Whether a request may be sent now* (`TokenRefresher+Actions.swift`): not during a pause after failures, not while the circuit breaker
///   is open, and not if the lock may end before the provider's timeout.
/// - *Whether unsaved tokens are newer than the stored ones*: ``UnsavedTokens``.
/// - *What a failed request means*: ``RefreshRefusal``.
/// - *Whether a response has a token, and belongs to this login*: the provider.
///
/// Events and actions are in `RefreshStateMachine+Events.swift`. The functions that choose the next action are in
/// `RefreshStateMachine+Steps.swift`, and those for failed requests, the end of a session and failed validations in
/// `RefreshStateMachine+Refusals.swift`. The guide `Documentation/Operating/Refresh.md` has the tables of all transitions and of the crash
/// points.
package struct RefreshStateMachine: Sendable {
    enum Step: Sendable {
        case start, load, findUnsaved, continueFromStoredState, checkClaimWait, prepare
        case markAwaited
        case claim
        case send(isRepeated: Bool)
        /// Saves the refresh claim again before the second request, because a response without tokens is stored.
        case claimAgain
        case saveResponse(RefreshResponse, Source)
        /// Removes a response without tokens that was spooled before its validation.
        case removeUnsavedResponse(RefreshRefusal, mayResend: Bool)
        case validate(RefreshResponse, Source, isStored: Bool)
        case saveLoginMismatch(RefreshResponse, Source, IdentityError)
        case saveTokens(TokenSet, Source)
        case reload(TokenSet, Source)
        case saveTokensAfterConflict(TokenSet, Source, over: SessionState)
        /// Saves the end of the session, after `invalid_grant`.
        case saveEnd(RefreshRefusal)
        case reloadBeforeEnd(RefreshRefusal)
        /// Performs the remaining actions in order and ignores their results, except the last one, which step `then` handles.
        indirect case run([Action], then: Step)
    }

    /// The origin of a response or of tokens.
    package enum Source: Sendable {
        /// The provider has just sent it; `isRepeated`: as the response to the second request of this refresh.
        case provider(isRepeated: Bool)
        case store
        /// It comes from memory or the spool, because a save failed.
        case unsaved

        /// Whether an earlier attempt received the response or the tokens.
        var isFromEarlierAttempt: Bool { if case .provider = self { false } else { true } }
    }

    let goal: RefreshGoal
    let provesPreviousHolderGone: Bool
    var step = Step.start
    /// The state whose tokens this refresh replaces: the first loaded state.
    ///
    /// Saving a response from memory or the spool changes it to `responded`. Saving the claim does not change it.
    var baseState: SessionState?
    var claim: RefreshClaim?
    /// Whether the refresh token may have been used without an accepted response that shows whether it was.
    ///
    /// If the provider then answers `invalid_grant`, the end of the session has the reason ``SessionEndReason/lostRotation``.
    var isInDoubt = false
    /// Whether this refresh has already tried to remove a response without tokens from memory and the spool.
    var hasRemovedUnsaved = false
    /// Whether the stored response contains no tokens.
    var storedResponseHasNoTokens = false

    /// - Parameters:
    ///   - goal: The goal of the refresh.
    ///   - provesPreviousHolderGone: ``HeldLock/provesPreviousHolderGone`` of the lock: whether the process or task that held the lock
    ///     before has certainly ended or released it. A lease does not prove this.
    package init(_ goal: RefreshGoal, provesPreviousHolderGone: Bool) {
        self.goal = goal
        self.provesPreviousHolderGone = provesPreviousHolderGone
    }

    /// Returns the action that follows an event.
    package mutating func handle(_ event: Event) -> Action {
        switch (step, event) {
        case (.start, .began): return go(.load, .load)
        case (.load, .loaded(nil, _, _)): return finish(.failed(.unknownSession), after: .revokeUnsaved)
        case (.load, .loaded(let state?, let isRestored, _)):
            baseState = state
            isInDoubt = state.isInDoubt || isRestored
            return state.tokens == nil ? continueFromStoredState() : findUnsaved()
        case (.findUnsaved, .found(.active(let new)?)): return saveTokens(new, .unsaved)
        case (.findUnsaved, .found(.responded(_, let response)?)): return foundUnsaved(response)
        case (.findUnsaved, .found), (.continueFromStoredState, .done): return continueFromStoredState()
        case (.markAwaited, .saved): return go(.checkClaimWait, .checkClaimWait)
        case (.markAwaited, .conflicted): return .finish(.startAgain)
        case (.checkClaimWait, .claimWaitChecked(let mustWait)): return mustWait ? .finish(.wait) : prepare()

        case (.prepare, .prepared(let claim)): return saveClaim(claim)
        case (.claim, .saved): return go(.send(isRepeated: false), .send)
        case (.claim, .conflicted): return .finish(.startAgain)

        case (.send(let isRepeated), .responded(let response)):
            return saveResponse(response, .provider(isRepeated: isRepeated), requiresLock: false)
        case (.send(let isRepeated), .validated(let new)): return saveTokens(new, .provider(isRepeated: isRepeated))
        case (.send(let isRepeated), .refused(let refusal)):
            return handleRefusal(refusal, mayResend: !isRepeated, isResponseStored: false)
        case (.send, .lockLost), (.claimAgain, .lockLost), (.claimAgain, .conflicted): return notSent(.lockLost)
        case (.claimAgain, .saved): return go(.send(isRepeated: true), .send)
        case (.claimAgain, .notSaved(let error)): return notSent(error)

        case (.saveResponse(let response, .unsaved), .saved):
            if let tokens = baseState?.tokens { baseState = .responded(tokens, response) }
            return run([.removeUnsaved, .validate(response)], then: .validate(response, .store, isStored: true))
        case (.saveResponse(let response, let source), .saved): return validate(response, source, isStored: true)
        case (.saveResponse(let response, let source), _): return spoolAndValidate(response, source)

        case (.validate(_, let source, _), .validated(let new)): return saveTokens(new, source)
        case (.validate(let response, let source, let isStored), .validationFailed(let error)):
            return validationFailed(response, source, isStored: isStored, error)
        // A response that has a login mismatch must not be dropped because it seems to contain no token. So it is handled like one that
        // cannot be validated now.
        case (.validate(let response, let source, let isStored), .refused(let refusal))
        where response.loginMismatch != nil:
            return validationFailed(response, source, isStored: isStored, refusal.error)
        case (.saveLoginMismatch(_, let source, let error), .saved): return finishLoginMismatch(error, source)
        case (.saveLoginMismatch(let response, _, let error), _):
            return spoolAndFinish(baseState?.tokens.map { .responded($0, response) }, .failed(error))
        case (.validate(_, .provider(let isRepeated), isStored: true), .refused(let refusal)):
            return handleRefusal(refusal, mayResend: !isRepeated, isResponseStored: true)
        case (.validate(_, .provider(let isRepeated), isStored: false), .refused(let refusal)):
            return go(.removeUnsavedResponse(refusal, mayResend: !isRepeated), .removeUnsaved)
        case (.removeUnsavedResponse(let refusal, let mayResend), _):
            return handleRefusal(refusal, mayResend: mayResend, isResponseStored: false)
        case (.validate(_, .store, _), .refused):
            storedResponseHasNoTokens = true
            return findUnsaved()
        case (.validate(_, .unsaved, _), .refused):
            return removeUnsavedWithoutTokens()

        case (.saveTokens(let new, let source), .saved), (.saveTokensAfterConflict(let new, let source, _), .saved):
            return finish(.refreshed(new, isFromEarlierAttempt: source.isFromEarlierAttempt), after: .removeUnsaved)
        case (.saveTokens(let new, let source), .conflicted),
            (.saveTokensAfterConflict(let new, let source, _), .conflicted):
            return go(.reload(new, source), .load)
        // Another process has ended the session, and this process has lost the lock, so it may not replace that state. No session will use
        // the new tokens.
        case (.saveTokensAfterConflict(let new, _, over: .ended(let reason, _)), .lockLost):
            return finish(.failed(.ended(reason)), after: .removeUnsaved, .revoke(new))
        case (.saveTokens(let new, let source), _), (.saveTokensAfterConflict(let new, let source, _), _),
            (.reload(let new, let source), .notLoaded):
            return spoolAndFinish(.active(new), .refreshed(new, isFromEarlierAttempt: source.isFromEarlierAttempt))
        case (.reload(let new, _), .loaded(nil, _, _)):
            return finish(.failed(.unknownSession), after: .removeUnsaved, .revoke(new))
        case (.reload(let new, let source), .loaded(let current?, _, _)):
            return saveTokensAfterConflict(new, source, over: current)

        case (.reloadBeforeEnd(let refusal), .loaded(let current, _, let isUnchanged)):
            return endIfOldTokensRemain(current, refusal, isUnchanged: isUnchanged)
        case (.saveEnd(let refusal), .conflicted): return go(.reloadBeforeEnd(refusal), .load)
        case (.saveEnd(let refusal), .saved): return .finish(.failed(.ended(endReason, because: refusal.error)))

        case (.run(let actions, let next), _): return run(actions, then: next)
        case (_, .notLoaded(let error)), (_, .notPrepared(let error)), (_, .notSaved(let error)):
            return .finish(.failed(error))
        case (_, .lockLost): return .finish(.failed(.lockLost))
        default: return .finish(.failed(.unexpectedRefreshEvent))
        }
    }
}

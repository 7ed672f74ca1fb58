/// Decides each step of a session's refresh from the goal, the kind of lock, the loaded state and the results of the earlier steps.
///
/// The type uses neither I/O nor a clock. ``TokenRefresher`` holds the session's lock, performs each action and reports its event,
/// until the action is ``Action/finish(_:)``. A refresh usually has these actions: load the session, look for unsaved tokens, save the
/// *claim* (this process is about to send the refresh token), send, save the response, validate it, save the new tokens.
///
/// - The claim is saved before the refresh token is sent. So after a crash, the next process knows that the token may be used.
/// - The response is saved before it is validated, because a crash during the validation would lose the new refresh token. A provider
///   that is not ``JournaledRefreshing`` returns validated tokens at once.
///
/// Terms:
///
/// - *in doubt*: the refresh token may have been used, and no accepted response shows whether it was. A refresh begins in doubt if it finds
///   a claim or a response of an earlier refresh, or a session from a backup. It becomes in doubt if no response arrives, or if the
///   response does not show whether the token was used, for example a redirect, or status 500 or higher without an OAuth error. Then the
///   token is sent a second time at once, and again by the next refresh, until new tokens or `invalid_grant` arrive.
/// - *unsaved*: tokens or a response that the store does not have, because a save failed. They are in memory, and in the *spool* (a folder
///   on this computer) if the store has one. The next refresh on this computer saves them, even if the stored session has ended, unless
///   the stored tokens are newer.
/// - *lease*: a lock that can be lost while its holder still runs, because it ends at a fixed time, or with a connection to a server. Any
///   other lock ends only with its holder, or when the holder releases it; then `provesPreviousHolderGone` is true.
/// - *login mismatch*: the ID token of a response belongs to another login, perhaps because of an attack. The error code is stored with the
///   response. Until a later validation accepts the response, callers get no token of this session, not even the old one.
///
/// Each refresh begins by loading the session. After a crash, the stored state tells the next process how to continue:
///
/// - `active`: no refresh is unfinished. The next refresh begins from the start. A refresh that fails without doubt restores this state.
/// - `claimed`: the refresh token may have been sent, and no response is stored. The next process sends it again, because some providers
///   accept a used token for a short time. If the lock is a lease, the process that saved the claim may still run. So the next process
///   first marks the claim as *awaited*, and waits for the response. A process that gives up in doubt under a lease marks its claim as
///   *abandoned*, so that nobody waits.
/// - `responded`: a response is stored that is not accepted yet. It is validated; the refresh token is sent only if the response contains
///   no token. A response that cannot be validated now, for example because keys are missing, stays stored.
/// - `ended`: the buyer must sign in again, unless unsaved tokens are found. A session of a buyer ends only after `invalid_grant`, and only
///   if no other process has saved newer tokens, or a response that may contain them. The reason is ``SessionEndReason/lostRotation`` if
///   the refresh was in doubt, otherwise ``SessionEndReason/revoked``. A guest's session has this state from the start.
///
/// A save *conflicts* if another process has changed the session since this refresh loaded or saved it:
///
/// - the claim: nothing is sent, and the refresh starts again.
/// - the response: it is spooled and validated.
/// - the new tokens: the session is loaded again. What follows depends on its tokens:
///   - the old tokens: they are replaced while this process holds the lock. Without the lock, the new tokens are spooled and returned, but
///     revoked if the session has ended.
///   - the old tokens with a response of another process: the new tokens are spooled, and the refresh starts again.
///   - other tokens: those are used. If the session has ended, the new tokens are revoked.
///   - the session was removed: the new tokens are revoked.
/// - the end: the session is loaded again. It ends only if it still has the old tokens and no response of another process, and this process
///   holds the lock.
///
/// These decisions are made elsewhere:
///
/// - *When a refresh starts* (``SessionTokensReader``, ``RefreshSchedule``): when a caller needs a token that stays valid for longer than
///   the stored one (by default 60 seconds, or a quarter of the token's lifetime if that is less), or when a server rejects the token. In
///   the background: when a caller gets a token that has used about 80 percent of its lifetime (`earlyRefresh`; 5 percent more or less by
///   session, so that sessions are not all refreshed at once).
/// - *Whether the goal is reached* (``RefreshGoal``): for a call, when the session has other tokens than those to replace; for a repair,
///   always.
/// - *That the callers in one process share a refresh* (`TokenRefresher+InProcessSharing.swift`).
/// - *How long an awaited claim is left to its process* (``TokenRefresher``): until this process has seen the same claim for the sum of
///   the provider's timeout, 5 seconds for saving, and one ``SessionManager/Configuration/repairInterval``.
/// - *How long a caller waits* (``TokenRefresher``): up to ``SessionManager/Configuration/lockWait``; if it must wait for a claim,
///   longer by twice the time above; never longer than ``RefreshLimits/maximumWait``.
/// - *Whether a request may be sent now* (`TokenRefresher+Actions.swift`): not during a pause after failures, while the circuit breaker is
///   open, or if the lock may end before the provider's timeout.
/// - *Whether unsaved tokens are newer than the stored ones*: ``UnsavedTokens``.
/// - *What a failed request means*: ``RefreshRefusal``.
/// - *Whether a response has a token, and belongs to this login*: the provider.
///
/// Events and actions are in `RefreshStateMachine+Events.swift`, the steps in `RefreshStateMachine+Steps.swift`. Failed requests, the end
/// of a session and failed validations are in `RefreshStateMachine+Refusals.swift`. The guide `Documentation/Operating/Refresh.md` has the
/// tables of all transitions and of the crash points.
package struct RefreshStateMachine: Sendable {
    enum Step: Sendable {
        case start, load, findUnsaved, continueFromStoredState, checkClaimAge, prepare
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
        case saveTokensAgain(TokenSet, Source, over: SessionState)
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
    /// Whether the refresh token may have been used, although no accepted response shows it.
    ///
    /// If the provider then answers `invalid_grant`, the end of the session has the reason ``SessionEndReason/lostRotation``.
    var isInDoubt = false
    /// Whether a response from memory or the spool contained no tokens.
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
        case (.markAwaited, .saved): return go(.checkClaimAge, .checkClaimAge)
        case (.markAwaited, .conflicted): return .finish(.startAgain)
        case (.checkClaimAge, .claimChecked(let mustWait)): return mustWait ? .finish(.wait) : prepare()

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
        // A failed validation must not remove a stored login mismatch, so it is handled like a validation that fails for now.
        case (.validate(let response, let source, let isStored), .refused(let refusal))
        where response.loginMismatch != nil:
            return validationFailed(response, source, isStored: isStored, refusal.error)
        case (.saveLoginMismatch(_, let source, let error), .saved): return finishLoginMismatch(error, source)
        case (.saveLoginMismatch(let response, _, let error), _):
            return spool(baseState?.tokens.map { .responded($0, response) }, .failed(error))
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

        case (.saveTokens(let new, let source), .saved), (.saveTokensAgain(let new, let source, _), .saved):
            return finish(.refreshed(new, isFromEarlierAttempt: source.isFromEarlierAttempt), after: .removeUnsaved)
        case (.saveTokens(let new, let source), .conflicted), (.saveTokensAgain(let new, let source, _), .conflicted):
            return go(.reload(new, source), .load)
        // Another process has ended the session, and this process has lost the lock, so it may not replace that state. No session will use
        // the new tokens.
        case (.saveTokensAgain(let new, _, over: .ended(let reason, _)), .lockLost):
            return finish(.failed(.ended(reason)), after: .removeUnsaved, .revoke(new))
        case (.saveTokens(let new, let source), _), (.saveTokensAgain(let new, let source, _), _),
            (.reload(let new, let source), .notLoaded):
            return spool(.active(new), .refreshed(new, isFromEarlierAttempt: source.isFromEarlierAttempt))
        case (.reload(let new, _), .loaded(nil, _, _)):
            return finish(.failed(.unknownSession), after: .removeUnsaved, .revoke(new))
        case (.reload(let new, let source), .loaded(let current?, _, _)):
            return saveTokensAgain(new, source, over: current)

        case (.reloadBeforeEnd(let refusal), .loaded(let current, _, let hasSameGeneration)):
            return saveEnd(current, refusal, hasSameGeneration: hasSameGeneration)
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

/// Decides each step of a session's refresh.
///
/// The type uses neither I/O nor a clock. ``TokenRefresher`` takes the session's lock. Under the lock, ``RefreshRun`` performs the
/// ``Action`` that ``handle(_:)`` returns, and passes the result to ``handle(_:)`` as an ``Event``, until the action is
/// ``Action/finish(_:)``.
///
/// A refresh without failures has these steps:
///
/// 1. Load the session, and look in memory and in the *spool* (a folder on this machine) for new tokens or a response that an earlier
///    refresh could not save. The refresh continues with them, even if the session has ended: with tokens at step 7, with a response at
///    step 5 or 6.
/// 2. Prepare the request, for example wait until the ``ProviderRefreshLimiter`` permits it.
/// 3. Save a *claim* (state `claimed`): it says that this process is about to send the refresh token. So after a crash, the next process
///    knows that the token may have been used. This save also proves that the store has space for the response.
/// 4. Send the refresh token.
/// 5. Save the response before it is validated (state `responded`). Otherwise a crash during the validation would lose the new refresh
///    token.
/// 6. Validate the response.
/// 7. Save the new tokens (state `active`).
///
/// A provider that is not ``JournaledRefreshing`` returns validated tokens from its request, so that steps 5 and 6 are omitted.
///
/// A caller or a repair starts the next refresh. If step 1 finds nothing unsaved, the stored state tells the process how to continue, also after a crash
/// (``continueFromStoredState()``):
///
/// - `active`: no refresh is unfinished. If the stored tokens reach the ``RefreshGoal``, the caller gets them. Otherwise step 2 follows.
/// - `claimed`: the refresh token may have been sent, and no response is stored. The next process sends it again, because some providers
///   accept a used token for a short time. If the lock can be lost (see below), the process that saved the claim may still run. In that
///   case the next process first waits, so that the other process can save its response. It does not wait if the claim is *abandoned*: the
///   process that saved it has given up.
/// - `responded`: a response is stored that is not accepted yet, so it is validated. The refresh token is sent again only if the response
///   contains no token and has no login mismatch (see below).
/// - `ended`: the refresh fails, and the buyer must sign in again.
///
/// These failures can happen:
///
/// - **The request fails, or its response contains no token** (``handleRefusal(_:mayResend:isResponseStored:)``). After `invalid_grant`,
///   the session ends, with the exceptions of ``endIfOldTokensRemain(_:_:isUnchanged:)``. If the failure does not show whether the token
///   was used, for example because a sent request got no response, the refresh is *in doubt* from now on, and the token is sent a second
///   time at once. After any other failure, or if the second request fails too, the refresh fails. If it is not in doubt, the
///   session becomes active again. If it is in doubt, the next refresh sends the token again. A refresh can also begin in doubt
///   (``isInDoubt``).
/// - **The response cannot be validated now** (``validationFailed(_:_:isStored:_:)``), for example because the provider's keys could not
///   be fetched. The response stays in the store, or in memory and the spool, and the refresh fails. The next refresh validates the response again.
/// - **The response belongs to another login** (*login mismatch*): for example, its ID token names another buyer. This may be an attack.
///   The error code is stored with the response. Until a validation accepts the response, each refresh only validates it
///   again, and callers get no token, not even the old one.
/// - **The store fails.** Without a saved claim, nothing is sent. A response or new tokens that cannot be saved are kept in memory and in
///   the spool. The response is validated nevertheless. New tokens are returned even if they cannot be saved; then the next refresh
///   saves them.
/// - **A save conflicts**: another process has changed or removed the session since this refresh last loaded or saved it. Before the first
///   request, the refresh starts again; before the second, it fails. A response is kept and validated as above. New tokens are
///   revoked if the session was removed; otherwise see ``saveTokensAfterConflict(_:_:over:)``.
///
/// Two kinds of locks can be lost while their holder still runs: a lease, which ends at a fixed time, and a lock that a server releases
/// when the holder's connection ends. For them, ``HeldLock/provesPreviousHolderGone`` is false. Any other lock ends only with its holder,
/// or when the holder releases it. Nothing is sent if the lock is lost or may end before the provider's timeout. New responses and new
/// tokens are saved even without the lock, unless another process has changed the session.
///
/// Other types decide the following:
///
/// - ``RefreshSchedule``: when tokens are due for a refresh.
/// - ``RefreshGoal``: whether the tokens of another refresh are sufficient for a caller.
/// - ``TokenRefresher``: how long a caller waits for the lock, and for the response that another process has requested; how the callers of
///   one process share a refresh.
/// - ``SessionRefreshPauses`` and ``ProviderRefreshLimiter``: whether a request may be sent now.
/// - ``UnsavedTokens``: whether an unsaved state is newer than the stored one.
/// - The provider: whether a response contains tokens, and whether it belongs to another login.
/// - ``RefreshRefusal``: what a failed request means.
///
/// `Documentation/Operating/Refresh.md` has the tables of all transitions and of the crash points.
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
        /// Saves new tokens; after a conflict, over the state that another process has saved.
        case saveTokens(TokenSet, Source, over: SessionState?)
        case reload(TokenSet, Source)
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

        /// Whether an earlier refresh received the response or the tokens.
        var isFromEarlierRefresh: Bool { if case .provider = self { false } else { true } }
    }

    let goal: RefreshGoal
    let provesPreviousHolderGone: Bool
    var step = Step.start
    /// The state whose tokens this refresh replaces: the first loaded state.
    ///
    /// Saving a response from memory or the spool changes it to `responded`. Saving the claim does not change it.
    var baseState: SessionState?
    var claim: RefreshClaim?
    /// Whether the refresh token may have been used, and no accepted response shows whether it was.
    ///
    /// A refresh begins in doubt if the stored session has a claim or a response of an earlier refresh, or was restored from a backup. It
    /// becomes in doubt if a failed request does not show whether the token was used. This changes the end of the refresh:
    ///
    /// - After `invalid_grant`, the session ends with the reason ``SessionEndReason/lostRotation`` instead of
    ///   ``SessionEndReason/revoked``, because an earlier request has probably used the token.
    /// - After any other failure, the session does not become active again, so the next refresh begins in doubt, too.
    var isInDoubt = false
    /// Whether this refresh has already tried to remove a response without tokens from memory and the spool.
    var hasRemovedUnsaved = false
    /// Whether the stored response contains no tokens.
    var storedResponseHasNoTokens = false

    /// - Parameters:
    ///   - goal: The goal of the refresh.
    ///   - provesPreviousHolderGone: ``HeldLock/provesPreviousHolderGone`` of the lock: whether the process or task that held the lock
    ///     before has certainly ended or released it.
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
        case (.saveLoginMismatch(_, .store, let error), .saved): return .finish(.failed(error))
        // The copy of the response in memory and in the spool is no longer needed.
        case (.saveLoginMismatch(_, _, let error), .saved): return finish(.failed(error), after: .removeUnsaved)
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

        case (.saveTokens(let new, let source, _), .saved):
            return finish(.refreshed(new, isFromEarlierRefresh: source.isFromEarlierRefresh), after: .removeUnsaved)
        case (.saveTokens(let new, let source, _), .conflicted): return go(.reload(new, source), .load)
        // Another process has ended the session, and this process has lost the lock, so it may not replace that state. No session will use
        // the new tokens.
        case (.saveTokens(let new, _, over: .ended(let reason, _)?), .lockLost):
            return finish(.failed(.ended(reason)), after: .removeUnsaved, .revoke(new))
        case (.saveTokens(let new, let source, _), _), (.reload(let new, let source), .notLoaded):
            return spoolAndFinish(.active(new), .refreshed(new, isFromEarlierRefresh: source.isFromEarlierRefresh))
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

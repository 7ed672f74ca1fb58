/// Decides each step of a session's refresh.
///
/// The type performs no I/O and reads no clock. ``TokenRefresher`` takes the session's lock. Under this lock, ``RefreshRun`` performs each
/// ``Action`` that ``handle(_:)`` returns, and passes the result to ``handle(_:)`` as an ``Event``. The run ends with
/// ``Action/finish(_:)``.
///
/// A refresh without failures has these steps:
///
/// 1. Load the session. Then look in memory, and in the *spool* (a directory on this machine), for tokens or a response that an earlier
///    refresh could not save.
/// 2. Prepare the request, for example wait until the ``ProviderRefreshLimiter`` permits it.
/// 3. Save a *claim* (state `claimed`): the mark that this process is about to send the refresh token. After a crash, the claim tells the
///    next process that the token may have been used.
/// 4. Send the refresh token.
/// 5. Save the response (state `responded`) before its validation, because a crash during the validation would lose an unsaved response.
/// 6. Validate the response.
/// 7. Save the new tokens (state `active`).
///
/// A provider that is not ``JournaledRefreshing`` returns validated tokens in step 4. Its refreshes omit steps 5 and 6.
///
/// After step 1, the refresh may continue at a later step. If it has found unsaved tokens, step 7 follows. If it has found an unsaved
/// response, step 5 follows for an `active` or `claimed` session, and otherwise step 6. If it has found nothing unsaved, the stored state
/// decides (``continueFromStoredState()``):
///
/// - `active`: If the stored tokens reach the ``RefreshGoal``, the caller gets them. If not, step 2 follows.
/// - `claimed`: An earlier refresh has saved no response, so it is unknown whether the refresh token was used. Step 2 follows, and the
///   token is sent again, because some providers accept a used token for a short time. If the lock can be lost (see below), the process
///   that saved the claim may still run. Then ``TokenRefresher`` first waits, without the lock, until the session has changed or that
///   process has had enough time to save its response. It does not wait if the claim is *abandoned*: that process has given up.
/// - `responded`: No validation has accepted the stored response yet. Step 6 follows. The refresh token is sent again only if the response
///   contains no token and has no login mismatch (see below).
/// - `ended`: The refresh fails, and the buyer must sign in again.
///
/// These failures can happen:
///
/// - **The request fails, or its response contains no token.** After `invalid_grant`, the session usually ends
///   (``endIfOldTokensRemain(_:_:isUnchanged:)``). If the failure does not show whether the provider used the token, for example because
///   no response arrived, the refresh is *in doubt* (``isInDoubt``), and sends the token a second time at once. After any other failure,
///   and after a second failure, the refresh fails. If it is in doubt, the next refresh sends the token again. If it is not in doubt, the
///   session becomes active again.
/// - **The response cannot be validated now,** for example because the provider's keys could not be fetched. The refresh fails. The
///   response is kept, and the next refresh validates it again.
/// - **The response belongs to another login** (*login mismatch*): for example, its ID token names another buyer. This may be an attack.
///   The error code is stored with the response. Until a validation accepts the response, callers get no token, not even the old one, and
///   the refresh token is not sent.
/// - **The store fails.** If the claim cannot be saved, nothing is sent. A response or new tokens that cannot be saved are kept in memory
///   and in the spool, if the store has a spool. The refresh continues, and the caller gets the new tokens. The next refresh on this
///   machine saves them.
/// - **A save conflicts:** another process has changed or removed the session since this refresh last loaded or saved it. Before the first
///   request, the refresh starts again. Before the second request, it fails. A response is kept and validated. New tokens are revoked if
///   the session was removed. For other conflicts of new tokens, see ``saveTokensAfterConflict(_:_:over:)``.
///
/// Two kinds of locks can be lost while their holder still runs: a lease, which ends if its holder cannot renew it in time, and a lock of a
/// server, which ends with the connection. For them, ``HeldLock/provesPreviousHolderGone`` is false. The refresh token is sent only if the
/// lock certainly lasts for the provider's whole timeout. New responses and new tokens are saved even without the lock, unless another
/// process has changed the session.
///
/// `Documentation/Operating/Refresh.md` has the tables of all transitions and of the crash points.
package struct RefreshStateMachine: Sendable {
    enum Step: Sendable {
        case start, load, findUnsaved, continueFromStoredState, checkClaimWait, prepare
        case markAwaited
        case claim
        case send(isRepeated: Bool)
        /// Replaces the stored response, which contains no token, by the refresh claim, before the second request.
        case claimAgain
        case saveResponse(RefreshResponse, Source)
        /// Removes a response from memory and the spool, after its validation found no token in it.
        case removeUnsavedResponse(RefreshRefusal, mayResend: Bool)
        case validate(RefreshResponse, Source, isStored: Bool)
        case saveLoginMismatch(RefreshResponse, Source, IdentityError)
        /// Saves new tokens; after a conflict, `over` is the state of another process that they replace.
        case saveTokens(TokenSet, Source, over: SessionState?)
        case reload(TokenSet, Source)
        /// Saves the end of the session, after `invalid_grant`.
        case saveEnd(RefreshRefusal)
        case reloadBeforeEnd(RefreshRefusal)
        /// Performs the actions in order; step `then` handles the result of the last action, and the other results are ignored.
        indirect case run([Action], then: Step)
    }

    /// The origin of a response or of tokens.
    package enum Source: Sendable {
        /// The provider has just sent it; `isRepeated` is true for the response to the second request of this refresh.
        case provider(isRepeated: Bool)
        case store
        /// It comes from memory or the spool, where an earlier run kept it because the store did not have it.
        case unsaved

        /// Whether an earlier run, usually of another refresh, received the response or the tokens.
        var isFromEarlierRefresh: Bool { if case .provider = self { false } else { true } }
    }

    let goal: RefreshGoal
    /// ``HeldLock/provesPreviousHolderGone`` of the session's lock.
    let provesPreviousHolderGone: Bool
    var step = Step.start
    /// The state that this refresh loaded first; its tokens are the old tokens, which the refresh replaces.
    ///
    /// After a response from memory or the spool was saved in the store, this is a `responded` state with that response.
    var baseState: SessionState?
    var claim: RefreshClaim?
    /// Whether the refresh token may have been used, and no accepted response shows whether it was.
    ///
    /// A refresh begins in doubt if the stored session has a claim or a response of an earlier refresh, or was restored from a backup. A
    /// failed request puts the refresh in doubt if it does not show whether the token was used. This changes the end of the refresh:
    ///
    /// - If the session ends after `invalid_grant`, the reason is ``SessionEndReason/lostRotation`` instead of
    ///   ``SessionEndReason/revoked``, because an earlier request has probably used the token.
    /// - After any other failure, the next refresh begins in doubt, too.
    var isInDoubt = false
    /// Whether this refresh has already tried to remove a response without tokens from memory and the spool.
    var hasRemovedUnsaved = false
    /// Whether a validation found no token in the stored response.
    var storedResponseHasNoTokens = false

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
        // If a response has a login mismatch, a validation that finds no token in it must not remove it. So this result is handled like a
        // validation that cannot succeed now.
        case (.validate(let response, let source, let isStored), .refused(let refusal))
        where response.loginMismatch != nil:
            return validationFailed(response, source, isStored: isStored, refusal.error)
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
        case (.saveLoginMismatch(_, .store, let error), .saved): return .finish(.failed(error))
        // The store now has the response, so the copy in memory and in the spool is no longer needed.
        case (.saveLoginMismatch(_, _, let error), .saved): return finish(.failed(error), after: .removeUnsaved)
        case (.saveLoginMismatch(let response, _, let error), _):
            return spoolAndFinish(baseState?.tokens.map { .responded($0, response) }, .failed(error))

        case (.saveTokens(let new, let source, _), .saved):
            return finish(.refreshed(new, isFromEarlierRefresh: source.isFromEarlierRefresh), after: .removeUnsaved)
        case (.saveTokens(let new, let source, _), .conflicted): return go(.reload(new, source), .load)
        // Another process has ended the session. This process has lost the lock, so it may not replace the `ended` state. It revokes the
        // new tokens, because no session will use them.
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

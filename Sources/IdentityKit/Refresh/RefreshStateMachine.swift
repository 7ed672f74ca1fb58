/// Decides each step of a session's refresh.
///
/// The type performs no I/O and reads no clock. ``RefreshRun`` performs each ``Action`` under the session's lock, and passes the result to
/// ``handle(_:)`` as an ``Event``. The run ends with ``Action/finish(_:)``.
///
/// A refresh without failures has these steps:
///
/// 1. Load the session. Then look in memory and in the *spool* (a local directory) for tokens or a response that an earlier refresh could
///    not save.
/// 2. Prepare the request, for example wait until the ``ProviderRefreshLimiter`` permits it.
/// 3. Save a *claim* (state `claimed`): the mark that this process is about to send the refresh token. After a crash, the claim tells the
///    next process that the token may have been used.
/// 4. Send the refresh token.
/// 5. Save the response (state `responded`) before its validation, because a crash during the validation would lose it.
/// 6. Validate the response.
/// 7. Save the new tokens (state `active`).
///
/// A provider that is not ``JournaledRefreshing`` returns validated tokens in step 4, so its refreshes omit steps 5 and 6.
///
/// If step 1 finds unsaved tokens, step 7 follows. If it finds an unsaved response, step 5 follows for an `active` or `claimed` session,
/// and otherwise step 6. If it finds nothing unsaved, the stored state decides how the refresh continues:
///
/// - `active`: If the stored tokens reach the ``RefreshGoal``, the refresh ends. If not, step 2 follows.
/// - `claimed`: Step 2 follows. The refresh sends the token again, because some providers accept a used token for a short time. If the
///   process that saved the claim may still save a response, the refresh first waits for it.
/// - `responded`: Step 6 follows. The refresh sends the token again only if the stored response contains no token, and has no login
///   mismatch (see below).
/// - `ended`: The refresh fails, and the buyer must sign in again.
///
/// A refresh is *in doubt* while the refresh token may have been used and no accepted response shows whether it was. A response has a
/// *login mismatch* if it belongs to another login, for example because its ID token names another buyer. A login mismatch may be an
/// attack. So callers get no token of the session until a validation accepts a response.
///
/// `Documentation/Operating/Refresh.md` has the tables of all transitions, failures and crash points.
package struct RefreshStateMachine: Sendable {
    enum Step: Sendable {
        case start, load, findUnsaved, continueFromStoredState, checkClaimWait, prepare
        case markAwaited
        case claim
        case send(isRepeated: Bool)
        case claimAgain
        case saveResponse(RefreshResponse, Source)
        case removeUnsavedResponse(RefreshRefusal, mayResend: Bool)
        case validate(RefreshResponse, Source, isStored: Bool)
        case saveLoginMismatch(RefreshResponse, Source, IdentityError)
        case saveTokens(TokenSet, Source, over: SessionState?)
        case reload(TokenSet, Source)
        case saveEnd(RefreshRefusal)
        case reloadBeforeEnd(RefreshRefusal)
        indirect case run([Action], then: Step)
    }

    package enum Source: Sendable {
        /// The provider has responded to this refresh; `isRepeated`: to the second request.
        case provider(isRepeated: Bool)
        case store
        /// Memory or the spool: an earlier run could not save the response or the tokens in the store.
        case unsaved

        /// Whether an earlier run, of this or another refresh, received the response or the tokens.
        var isFromEarlierRefresh: Bool { if case .provider = self { false } else { true } }
    }

    let goal: RefreshGoal
    let provesPreviousHolderGone: Bool
    var step = Step.start
    /// The state that this run loaded first; the refresh replaces the tokens of this state.
    ///
    /// When a response from memory or the spool is saved, the value becomes a `responded` state with that response.
    var baseState: SessionState?
    var claim: RefreshClaim?
    /// If true, `invalid_grant` ends the session with ``SessionEndReason/lostRotation`` instead of ``SessionEndReason/revoked``.
    ///
    /// If the refresh fails for another reason while the value is true, the next refresh is in doubt, too.
    var isInDoubt = false
    /// Whether this run has already tried to remove a response without tokens from memory and the spool.
    var hasRemovedUnsaved = false
    var storedResponseHasNoTokens = false

    package init(_ goal: RefreshGoal, provesPreviousHolderGone: Bool) {
        self.goal = goal
        self.provesPreviousHolderGone = provesPreviousHolderGone
    }

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
        // A response with a login mismatch must be kept, even if a validation finds no token in it.
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

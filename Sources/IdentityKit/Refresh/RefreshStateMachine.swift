/// Decides each step of a session's refresh from the goal, the kind of lock, the loaded state and the results of the earlier steps.
///
/// The type uses neither I/O nor a clock. ``TokenRefresher`` holds the session's lock, performs each action and reports its event,
/// until the action is ``Action/finish(_:)``. A refresh usually has these actions: load the session, look for unsaved tokens, save the
/// *claim* (this process is about to send the refresh token), send, save the response, validate it, save the new tokens. The response is
/// saved before it is validated, because a crash in between would lose it. A provider that is not ``JournaledRefreshing`` returns
/// validated tokens at once.
///
/// Terms:
///
/// - *in doubt*: the refresh token may have been used, and no accepted response shows whether it was. A refresh begins in doubt if it finds
///   a claim or a response of an earlier refresh, or a session from a backup. It becomes in doubt if no response arrives, or if the
///   response does not show whether the token was used, for example a redirect, or status 500 or higher without an OAuth error.
/// - *unsaved*: tokens or a response that the store does not have, because a save failed. They are in memory and in the *spool*, a folder
///   on this machine. They replace the stored tokens at the next refresh, also those of a session that has ended.
/// - *lease*: a lock that ends at a time, also if its holder still runs. Other locks end with their holder
///   (`provesPreviousHolderGone`).
/// - *mismatch*: the error code of a response that belongs to another login. It is stored with the response, and no token of this session
///   is returned until a later validation accepts the response.
///
/// A new machine begins by loading the session, so after a crash the stored state tells it how to continue:
///
/// - `active`: no response is outstanding. The refresh starts again.
/// - `claimed`: the refresh token may have been sent, and no response is stored. It is sent again: some providers accept a used token
///   again for a short time. Under a lease, this process first marks the claim as *awaited*, and leaves the process that saved it time to
///   save its response. A process that gives up marks its claim as *abandoned*, so that nobody waits for it.
/// - `responded`: a response is stored that is not validated yet. It is validated; the refresh token is sent only if the response contains
///   no token.
/// - `ended`: the buyer must sign in again. Only `invalid_grant` ends a session. The reason is ``SessionEndReason/lostRotation`` if the
///   refresh was in doubt, otherwise ``SessionEndReason/revoked``.
///
/// If another process has changed the session before a save, a claim is not saved, and the refresh starts again. A response is spooled and
/// then validated. New tokens replace only a state that still has the old tokens; otherwise the tokens of the other process are used.
///
/// These decisions are made elsewhere:
///
/// - *When a refresh starts* (``SessionTokensReader``, ``RefreshSchedule``): when a caller needs a token that stays valid for longer than
///   the stored one (60 seconds if the caller names no time), or when a server rejects the token. In the background: when a caller gets a
///   token that has used 75 to 85 percent of its lifetime. The percentage differs between sessions, so that they are not all refreshed at
///   once.
/// - *Whether the goal is reached* (``RefreshGoal``): the session has other tokens than the ones that the caller wants to replace.
/// - *Whether a caller joins a refresh* that runs in this process (`TokenRefresher+InProcessSharing.swift`): always.
/// - *How long an awaited claim is left to its process* (``TokenRefresher``): until this process has seen the claim for the sum of the
///   provider's timeout, 5 seconds for saving, and ``SessionManager/Configuration/repairInterval``.
/// - *Whether a request may be sent now* (`TokenRefresher+Actions.swift`): not during a pause after failures, while the circuit breaker is
///   open, or if the lock may end before the provider's timeout.
/// - *Whether unsaved tokens are newer than the stored ones*: ``UnsavedTokens``.
/// - *What a failed request means*: ``RefreshRefusal``.
/// - *Whether a response has a token, and belongs to this login*: the provider.
///
/// The guide `Documentation/Operating/Refresh.md` has the tables of all transitions and of the crash points.
package struct RefreshStateMachine: Sendable {
    enum Step: Sendable {
        case start, load, findUnsaved, decide, checkClaim, prepare
        case markAwaited
        case claim
        case send(isRepeated: Bool)
        /// Saves the refresh claim again before the second request, because a response without tokens is stored.
        case claimAgain
        case saveResponse(RefreshResponse, Source)
        /// Removes a response without tokens that was spooled before its validation.
        case forgetUnsavedResponse(RefreshRefusal, mayResend: Bool)
        case validate(RefreshResponse, Source, isStored: Bool)
        case saveMismatch(RefreshResponse, Source, IdentityError)
        case saveTokens(TokenSet, Source)
        case reload(TokenSet, Source)
        case saveTokensAgain(TokenSet, Source, over: SessionState)
        /// Saves the end of the session, after `invalid_grant`.
        case end(RefreshRefusal)
        case reloadToEnd(RefreshRefusal)
        /// The result of the current action does not matter. These actions follow, and step `then` handles the result of the last one.
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
    /// The state whose tokens this refresh replaces: the state that it loaded at its start, or the state with the response from memory or
    /// the spool that it then saved.
    ///
    /// It stays the state before the claim when the claim is saved.
    var loadedState: SessionState?
    var claim: RefreshClaim?
    /// Whether the refresh token may have been used before.
    ///
    /// If the provider then answers `invalid_grant`, the end of the session has the reason ``SessionEndReason/lostRotation``.
    var isInDoubt = false
    /// Whether a response from memory or the spool contained no tokens.
    var hasDiscardedUnsaved = false
    /// Whether the stored response contains no tokens.
    var isResponseWithoutTokens = false

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
            loadedState = state
            isInDoubt = state.isInDoubt || isRestored
            return state.tokens == nil ? decide() : findUnsaved()
        case (.findUnsaved, .found(.active(let new)?)): return saveTokens(new, .unsaved)
        case (.findUnsaved, .found(.responded(_, let response)?)): return foundUnsaved(response)
        case (.findUnsaved, .found), (.decide, .done): return decide()
        case (.markAwaited, .saved): return go(.checkClaim, .checkClaim)
        case (.markAwaited, .conflicted): return .finish(.changed)
        case (.checkClaim, .claimChecked(let mustWait)): return mustWait ? .finish(.wait) : prepare()

        case (.prepare, .prepared(let claim)): return saveClaim(claim)
        case (.claim, .saved): return go(.send(isRepeated: false), .send)
        case (.claim, .conflicted): return .finish(.changed)

        case (.send(let isRepeated), .responded(let response)):
            return saveResponse(response, .provider(isRepeated: isRepeated), requiresLock: false)
        case (.send(let isRepeated), .validated(let new)): return saveTokens(new, .provider(isRepeated: isRepeated))
        case (.send(let isRepeated), .refused(let refusal)):
            return refused(refusal, mayResend: !isRepeated, isResponseStored: false)
        case (.send, .lockLost), (.claimAgain, .lockLost), (.claimAgain, .conflicted): return notSent(.lockLost)
        case (.claimAgain, .saved): return go(.send(isRepeated: true), .send)
        case (.claimAgain, .notSaved(let error)): return notSent(error)

        case (.saveResponse(let response, .unsaved), .saved):
            if let tokens = loadedState?.tokens { loadedState = .responded(tokens, response) }
            return run([.forgetUnsaved, .validate(response)], then: .validate(response, .store, isStored: true))
        case (.saveResponse(let response, let source), .saved): return validate(response, source, isStored: true)
        case (.saveResponse(let response, let source), _): return spoolAndValidate(response, source)

        case (.validate(_, let source, _), .validated(let new)): return saveTokens(new, source)
        case (.validate(let response, let source, let isStored), .notAccepted(let error)):
            return notAccepted(response, source, isStored: isStored, error)
        // A response that was found to belong to another login keeps its error code until it is accepted.
        case (.validate(let response, let source, let isStored), .refused(let refusal)) where response.mismatch != nil:
            return notAccepted(response, source, isStored: isStored, refusal.error)
        case (.saveMismatch(_, let source, let error), .saved): return finishMismatch(error, source)
        case (.saveMismatch(let response, _, let error), _):
            return spool(loadedState?.tokens.map { .responded($0, response) }, .failed(error))
        case (.validate(_, .provider(let isRepeated), isStored: true), .refused(let refusal)):
            return refused(refusal, mayResend: !isRepeated, isResponseStored: true)
        case (.validate(_, .provider(let isRepeated), isStored: false), .refused(let refusal)):
            return go(.forgetUnsavedResponse(refusal, mayResend: !isRepeated), .forgetUnsaved)
        case (.forgetUnsavedResponse(let refusal, let mayResend), _):
            return refused(refusal, mayResend: mayResend, isResponseStored: false)
        case (.validate(_, .store, _), .refused):
            isResponseWithoutTokens = true
            return findUnsaved()
        case (.validate(_, .unsaved, _), .refused):
            return discardUnsaved()

        case (.saveTokens(let new, let source), .saved), (.saveTokensAgain(let new, let source, _), .saved):
            return finish(.refreshed(new, isFromEarlierAttempt: source.isFromEarlierAttempt), after: .forgetUnsaved)
        case (.saveTokens(let new, let source), .conflicted), (.saveTokensAgain(let new, let source, _), .conflicted):
            return go(.reload(new, source), .load)
        // Another process has ended the session. Only a lock holder may replace that state, so the new tokens are revoked.
        case (.saveTokensAgain(let new, _, over: .ended(let reason, _)), .lockLost):
            return finish(.failed(.ended(reason)), after: .forgetUnsaved, .revoke(new))
        case (.saveTokens(let new, let source), _), (.saveTokensAgain(let new, let source, _), _),
            (.reload(let new, let source), .notLoaded):
            return spool(.active(new), .refreshed(new, isFromEarlierAttempt: source.isFromEarlierAttempt))
        case (.reload(let new, _), .loaded(nil, _, _)):
            return finish(.failed(.unknownSession), after: .forgetUnsaved, .revoke(new))
        case (.reload(let new, let source), .loaded(let current?, _, _)):
            return saveTokensAgain(new, source, over: current)

        case (.reloadToEnd(let refusal), .loaded(let current, _, let hasSameGeneration)):
            return end(current, refusal, hasSameGeneration: hasSameGeneration)
        case (.end(let refusal), .conflicted): return go(.reloadToEnd(refusal), .load)
        case (.end(let refusal), .saved): return .finish(.failed(.ended(endReason, because: refusal.error)))

        case (.run(let actions, let next), _): return run(actions, then: next)
        case (_, .notLoaded(let error)), (_, .notPrepared(let error)), (_, .notSaved(let error)):
            return .finish(.failed(error))
        case (_, .lockLost): return .finish(.failed(.lockLost))
        default: return .finish(.failed(.unexpectedRefreshEvent))
        }
    }
}

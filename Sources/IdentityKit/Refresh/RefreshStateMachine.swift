/// Decides each step of a session's refresh, from the stored state and from what the last step brought.
///
/// Pure: no I/O and no clock. ``TokenRefresher`` holds the session's lock, performs each action and reports its event, until the
/// action is ``Action/finish(_:)``. A new machine begins by loading the session, so whatever a process that died has left behind is
/// found in the stored state:
///
/// | the process died | stored state | what the next machine does |
/// | --- | --- | --- |
/// | before the claim was saved | active | claims, sends |
/// | after the claim, before an answer was saved | claimed | claims again, sends the same token; `invalid_grant` then means `lost_rotation` |
/// | after the answer was saved | answered | validates the answer, saves its tokens; sends nothing |
/// | after an answer or tokens went to the spool | claimed, answered | saves what is in the spool; sends nothing |
/// | after the tokens were saved | active | nothing, or an ordinary refresh |
///
/// The transitions of one refresh. In each line the event answers the action of the step:
///
/// | step (its action) | event | next step |
/// | --- | --- | --- |
/// | load (``Action/load``) | no session | discard what is unsaved, finish: unknown |
/// | | a session | find unsaved |
/// | find unsaved (``Action/findUnsaved``) | tokens | save tokens |
/// | | an answer | save answer, validate |
/// | | nothing; stored: answered | validate |
/// | | nothing; stored: ended | finish: ended |
/// | | nothing; stored: active with the tokens that are wanted | finish: adopted |
/// | | nothing; stored: claimed, and its holder may be alive | check claim |
/// | | nothing; anything else | prepare |
/// | | nothing; the same, and nobody has marked the claim yet | mark the claim, check claim |
/// | check claim (``Action/checkClaim``) | fresh | finish: wait |
/// | | old | prepare |
/// | prepare (``Action/prepare``) | prepared | claim |
/// | claim (``Action/save(_:_:underLock:)``) | saved | send |
/// | | conflict | finish: changed |
/// | send (``Action/send``) | an answer | save answer, validate |
/// | | refused, in doubt, for the first time | send again; before that claim again if an answer is stored |
/// | | refused, `invalid_grant` | end |
/// | | refused otherwise | release the claim, finish: refused |
/// | save answer | saved or not | validate |
/// | validate (``Action/validate(_:)``) | tokens | save tokens |
/// | | not accepted | spool the answer unless it is stored, finish: refused |
/// | | not accepted: it belongs to another login | report and save the verdict unless it is stored, finish: failed |
/// | | not accepted, or no token; the answer has a verdict | finish: failed with the verdict |
/// | | no token in a new answer | as if the provider had refused |
/// | | no token in a stored answer | prepare |
/// | save verdict | saved | finish: failed |
/// | | not saved | spool the answer with its verdict, finish: failed |
/// | save tokens | saved | finish: refreshed |
/// | | conflict | load; save again, adopt other tokens, or revoke these if the session is gone |
/// | | not saved | spool the tokens, finish: refreshed |
/// | end | conflict | load; end again, or adopt other tokens |
/// | | saved | finish: ended |
package struct RefreshStateMachine: Sendable {
    enum Step: Sendable {
        case start, load, findUnsaved, checkClaim, prepare
        case contest
        case claim
        case send(isRepeated: Bool)
        case claimAgain
        case saveAnswer(RefreshAnswer, Source)
        case validate(RefreshAnswer, Source, isStored: Bool)
        case saveVerdict(RefreshAnswer, Source, IdentityError)
        case saveTokens(TokenSet, Source)
        case reload(TokenSet, Source)
        case saveTokensAgain(TokenSet, Source, over: SessionState)
        case end(RefreshRefusal)
        case reloadToEnd(RefreshRefusal)
        /// Actions whose events decide nothing; afterwards the machine is at another step.
        indirect case run([Action], then: Step)
    }

    /// Where an answer, or tokens, come from.
    enum Source: Sendable {
        /// From the provider, a moment ago; `isRepeated`: the token was sent for the second time.
        case provider(isRepeated: Bool)
        case store
        case unsaved

        /// A caller waits for tokens that came a moment ago, or that only the answer in the row contains.
        var isPatient: Bool { if case .unsaved = self { false } else { true } }
    }

    let goal: RefreshGoal
    let provesPreviousHolderGone: Bool
    var step = Step.start
    /// The stored state with which the refresh began.
    var stored: SessionState?
    var intent: RefreshIntent?
    /// Whether the refresh token may have been used without anybody having the answer.
    var isInDoubt = false

    /// - Parameters:
    ///   - goal: What the caller needs.
    ///   - provesPreviousHolderGone: ``SessionHold/provesPreviousHolderGone`` of the lock.
    package init(_ goal: RefreshGoal, provesPreviousHolderGone: Bool) {
        self.goal = goal
        self.provesPreviousHolderGone = provesPreviousHolderGone
    }

    /// The next action.
    package mutating func handle(_ event: Event) -> Action {
        switch (step, event) {
        case (.start, .began): return go(.load, .load)
        case (.load, .loaded(nil, _, _)): return run([.discardUnsaved, .finish(.failed(.unknownSession))])
        case (.load, .loaded(let state?, let isRestored, _)):
            stored = state
            isInDoubt = state.isInDoubt || isRestored
            return state.tokens == nil ? decide() : go(.findUnsaved, .findUnsaved)
        case (.findUnsaved, .found(.active(let new)?)): return save(new, .unsaved)
        case (.findUnsaved, .found(.answered(_, let answer)?)): return foundUnsaved(answer)
        case (.findUnsaved, .found): return decide()
        case (.contest, .saved): return go(.checkClaim, .checkClaim)
        case (.contest, .conflicted): return .finish(.changed)
        case (.checkClaim, .claimSeen(let isFresh)): return isFresh ? .finish(.wait) : prepare()

        case (.prepare, .prepared(let intent)): return claim(intent)
        case (.claim, .saved): return go(.send(isRepeated: false), .send)
        case (.claim, .conflicted): return .finish(.changed)

        case (.send(let isRepeated), .answered(let answer)):
            return save(answer, .provider(isRepeated: isRepeated), underLock: false)
        case (.send(let isRepeated), .validated(let new)): return save(new, .provider(isRepeated: isRepeated))
        case (.send(let isRepeated), .refused(let refusal)): return refused(refusal, isRepeated, isAnswerStored: false)
        case (.send, .lockLost), (.claimAgain, .lockLost), (.claimAgain, .conflicted): return notSent(.lockLost)
        case (.claimAgain, .saved): return go(.send(isRepeated: true), .send)
        case (.claimAgain, .notSaved(let error)): return notSent(error)

        case (.saveAnswer(let answer, .unsaved), .saved):
            if let tokens = stored?.tokens { stored = .answered(tokens, answer) }
            return run([.forgetUnsaved, .validate(answer)], then: .validate(answer, .store, isStored: true))
        case (.saveAnswer(let answer, let source), .saved): return validate(answer, source, isStored: true)
        case (.saveAnswer(let answer, let source), _): return validate(answer, source, isStored: false)

        case (.validate(_, let source, _), .validated(let new)): return save(new, source)
        case (.validate(let answer, let source, let isStored), .notAccepted(let error)):
            return notAccepted(answer, source, isStored: isStored, error)
        // A verdict stands until the answer is accepted.
        case (.validate(let answer, let source, let isStored), .refused(let refusal)) where answer.verdict != nil:
            return notAccepted(answer, source, isStored: isStored, refusal.error)
        case (.saveVerdict(_, let source, let error), .saved): return reported(error, source)
        case (.saveVerdict(let answer, _, let error), _):
            return spool(stored?.tokens.map { .answered($0, answer) }, .failed(error))
        case (.validate(_, .provider(let isRepeated), let isStored), .refused(let refusal)):
            return refused(refusal, isRepeated, isAnswerStored: isStored)
        case (.validate(_, .store, _), .refused): return prepare()
        case (.validate(_, .unsaved, _), .refused):
            return run([.forgetUnsaved, .findUnsaved], then: .findUnsaved)

        case (.saveTokens(let new, let source), .saved), (.saveTokensAgain(let new, let source, _), .saved):
            return refreshed(new, source, .forgetUnsaved)
        case (.saveTokens(let new, let source), .conflicted), (.saveTokensAgain(let new, let source, _), .conflicted):
            return go(.reload(new, source), .load)
        case (.saveTokensAgain(let new, _, over: .ended(let reason, _)), .lockLost):
            return run([.forgetUnsaved, .revoke(new), .finish(.failed(.ended(reason)))])
        case (.saveTokens(let new, let source), _), (.saveTokensAgain(let new, let source, _), _),
            (.reload(let new, let source), .notLoaded):
            return spool(.active(new), refreshed(new, source))
        case (.reload(let new, _), .loaded(nil, _, _)):
            return run([.forgetUnsaved, .revoke(new), .finish(.failed(.unknownSession))])
        case (.reload(let new, let source), .loaded(let current?, _, _)): return saveAgain(new, source, over: current)

        case (.reloadToEnd(let refusal), .loaded(let current, _, let isOurs)): return end(current, refusal, isOurs)
        case (.end(let refusal), .conflicted): return go(.reloadToEnd(refusal), .load)
        case (.end(let refusal), .saved): return .finish(.failed(.ended(endReason, because: refusal.error)))

        case (.run(let actions, let next), _): return continued(actions, next)
        case (_, .notLoaded(let error)), (_, .notPrepared(let error)), (_, .notSaved(let error)):
            return .finish(.failed(error))
        case (_, .lockLost): return .finish(.failed(.lockLost))
        default: return .finish(.failed(.unexpectedRefreshEvent))
        }
    }
}

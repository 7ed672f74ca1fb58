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
/// | | no token in a new answer | as if the provider had refused |
/// | | no token in a stored answer | prepare |
/// | save tokens | saved | finish: refreshed |
/// | | conflict | load; save again, adopt other tokens, or revoke these if the session is gone |
/// | | not saved | spool the tokens, finish: refreshed |
/// | end | conflict | load; end again, or adopt other tokens |
/// | | saved | finish: ended |
package struct RefreshStateMachine: Sendable {
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
        /// The answer may contain tokens, and cannot be accepted, for now or for good.
        case notAccepted(IdentityError)
        /// An action that always succeeds has been performed.
        case done
    }

    /// Why a state is saved, which decides how often a failing store is asked again.
    package enum Purpose: Sendable {
        case claim, release, end
        case answer
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

    private enum Step: Sendable {
        case start, load, findUnsaved, checkClaim, prepare
        case contest
        case claim
        case send(isRepeated: Bool)
        case claimAgain
        case saveAnswer(RefreshAnswer, Source)
        case validate(RefreshAnswer, Source, isStored: Bool)
        case saveTokens(TokenSet, Source)
        case reload(TokenSet, Source)
        case saveTokensAgain(TokenSet, Source, over: SessionState)
        case end(RefreshRefusal)
        case reloadToEnd(RefreshRefusal)
        /// Actions whose events decide nothing; afterwards the machine is at another step.
        indirect case run([Action], then: Step)
    }

    /// Where an answer, or tokens, come from.
    fileprivate enum Source: Sendable {
        /// From the provider, a moment ago; `isRepeated`: the token was sent for the second time.
        case provider(isRepeated: Bool)
        case store
        case unsaved
    }

    private let goal: RefreshGoal
    private let provesPreviousHolderGone: Bool
    private var step = Step.start
    /// The stored state with which the refresh began.
    private var stored: SessionState?
    private var intent: RefreshIntent?
    /// Whether the refresh token may have been used without anybody having the answer.
    private(set) var isInDoubt = false

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
        case (.validate(_, .provider(let isRepeated), let isStored), .refused(let refusal)):
            return refused(refusal, isRepeated, isAnswerStored: isStored)
        case (.validate(_, .store, _), .refused): return prepare()
        case (.validate(_, .unsaved, _), .refused):
            return run([.forgetUnsaved, .findUnsaved], then: .findUnsaved)
        case (.validate(let answer, .provider, isStored: false), .notAccepted(let error)):
            return spool(stored?.tokens.map { .answered($0, answer) }, .refused(error))
        case (.validate(_, .provider, _), .notAccepted(let error)): return .finish(.refused(error))
        case (.validate, .notAccepted(let error)): return .finish(.failed(error))

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

    // MARK: Steps

    private mutating func go(_ next: Step, _ action: Action) -> Action {
        step = next
        return action
    }

    private mutating func run(_ actions: [Action], then next: Step = .start) -> Action {
        continued(actions, next)
    }

    private mutating func continued(_ actions: [Action], _ next: Step) -> Action {
        guard let action = actions.first else { return .finish(.failed(.unexpectedRefreshEvent)) }
        let rest = Array(actions.dropFirst())
        return go(rest.isEmpty ? next : .run(rest, then: next), action)
    }

    /// What the stored state asks for, when nothing waits outside the store.
    private mutating func decide() -> Action {
        switch stored {
        case .answered(_, let answer)?: return validate(answer, .store, isStored: true)
        case .ended(let reason, _)?: return .finish(.failed(.ended(reason)))
        case .active(let tokens)? where goal.isReached(by: tokens):
            return .finish(.adopted(.active(tokens), tokens))
        // The lock was lost by its holder, and does not prove that the holder is dead: it may still save an answer.
        case .claimed(_, let intent)? where !intent.isAbandoned && !provesPreviousHolderGone:
            return contest(intent)
        default: return prepare()
        }
    }

    /// The wait for the holder's answer begins with a write: while the store refuses writes, the holder cannot save its answer.
    private mutating func contest(_ intent: RefreshIntent) -> Action {
        guard !intent.isContested, let tokens = stored?.tokens else { return go(.checkClaim, .checkClaim) }
        return go(.contest, .save(.claimed(tokens, intent.contested), .claim, underLock: true))
    }

    private mutating func prepare() -> Action {
        guard stored?.tokens?.refreshToken != nil else { return .finish(.failed(.withoutRefreshToken)) }
        return go(.prepare, .prepare)
    }

    /// The claim proves that the store can take a write of the answer's size, and tells the next process that the token may have
    /// been used.
    private mutating func claim(_ new: RefreshIntent) -> Action {
        guard let tokens = stored?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        intent = new
        return go(.claim, .save(.claimed(tokens, new), .claim, underLock: true))
    }

    /// Validation may fail for a long time, and another machine does not see this one's memory and spool: without the answer in
    /// the row it would send the old refresh token.
    private mutating func foundUnsaved(_ answer: RefreshAnswer) -> Action {
        switch stored {
        case .active?, .claimed?: save(answer, .unsaved, underLock: true)
        default: validate(answer, .unsaved, isStored: false)
        }
    }

    /// The answer is saved as it came, before anything is made of it that could fail.
    private mutating func save(_ answer: RefreshAnswer, _ source: Source, underLock: Bool) -> Action {
        guard let tokens = stored?.tokens else { return .finish(.failed(.unexpectedRefreshEvent)) }
        return go(.saveAnswer(answer, source), .save(.answered(tokens, answer), .answer, underLock: underLock))
    }

    private mutating func validate(_ answer: RefreshAnswer, _ source: Source, isStored: Bool) -> Action {
        go(.validate(answer, source, isStored: isStored), .validate(answer))
    }

    private mutating func save(_ new: TokenSet, _ source: Source) -> Action {
        go(.saveTokens(new, source), .save(.active(new), .tokens(isPatient: source.isPatient), underLock: false))
    }

    /// Saves tokens over a row that has changed.
    ///
    /// Under the lock the row only has to contain the tokens that were used: of two processes that used one refresh token, the
    /// one with an answer has the only valid tokens. A holder that lost its lock replaces its own claim only.
    private mutating func saveAgain(_ new: TokenSet, _ source: Source, over current: SessionState) -> Action {
        guard isUnchanged(current) else { return run([.forgetUnsaved, adopt(current)]) }
        return go(
            .saveTokensAgain(new, source, over: current),
            .save(.active(new), .tokens(isPatient: source.isPatient), underLock: true)
        )
    }

    private mutating func refreshed(_ new: TokenSet, _ source: Source, _ first: Action) -> Action {
        run([first, .finish(refreshed(new, source))])
    }

    private func refreshed(_ new: TokenSet, _ source: Source) -> Outcome {
        guard case .provider = source else { return .refreshed(new, isRecovered: true) }
        return .refreshed(new, isRecovered: false)
    }

    /// New tokens, or an answer that may contain some, exist nowhere else.
    private mutating func spool(_ state: SessionState?, _ outcome: Outcome) -> Action {
        guard let state, let tokens = stored?.tokens else { return .finish(outcome) }
        return run([.spool(state, replacing: tokens), .finish(outcome)])
    }

    /// The token was not sent, or not sent again.
    private mutating func notSent(_ error: IdentityError) -> Action {
        refused(RefreshRefusal(.transient, error), true, isAnswerStored: false)
    }

    /// The provider gave no tokens.
    private mutating func refused(_ refusal: RefreshRefusal, _ isRepeated: Bool, isAnswerStored: Bool) -> Action {
        if refusal.kind == .inDoubt {
            isInDoubt = true
            // Inside a provider's grace window the same token works again.
            if !isRepeated { return sendAgain(isAnswerStored) }
        }
        guard refusal.kind != .invalidGrant else { return go(.reloadToEnd(refusal), .load) }
        guard let tokens = stored?.tokens, let intent else { return .finish(.refused(refusal.error)) }
        let finish = Action.finish(.refused(refusal.error))
        guard isInDoubt else { return run([.save(.active(tokens), .release, underLock: true), finish]) }
        // Whoever gets a lock that proves this process dead does not wait for the claim.
        guard !provesPreviousHolderGone else { return finish }
        return run([.save(.claimed(tokens, intent.abandoned), .release, underLock: true), finish])
    }

    /// A stored answer without tokens may be validated by any process at once: before the token is sent again, the row has to show
    /// a claim again.
    private mutating func sendAgain(_ isAnswerStored: Bool) -> Action {
        guard isAnswerStored, let tokens = stored?.tokens, let intent else {
            return go(.send(isRepeated: true), .send)
        }
        return go(.claimAgain, .save(.claimed(tokens, intent), .claim, underLock: true))
    }

    private var endReason: SessionEndReason { isInDoubt ? .lostRotation : .revoked }

    /// Ends the session, because the provider no longer accepts its refresh token.
    ///
    /// Another process may have newer tokens; if not, only a login helps.
    private mutating func end(_ current: SessionState?, _ refusal: RefreshRefusal, _ isOurs: Bool) -> Action {
        guard let current, let tokens = current.tokens else { return .finish(.failed(.unknownSession)) }
        guard isUnchanged(current), current.endReason == nil else { return adopt(current) }
        // Another process has an answer, and has not validated it yet.
        if case .answered = current, !isOurs { return .finish(.failed(.refreshTakesLong)) }
        return go(.end(refusal), .save(.ended(endReason, tokens), .end, underLock: !isOurs))
    }

    private func isUnchanged(_ current: SessionState) -> Bool {
        guard let tokens = stored?.tokens, let found = current.tokens else { return false }
        return found.isSameIssue(as: tokens)
    }

    /// What another process has made of the session.
    private func adopt(_ current: SessionState) -> Action {
        if let reason = current.endReason { return .finish(.failed(.ended(reason))) }
        return .finish(current.tokens.map { .adopted(current, $0) } ?? .failed(.unknownSession))
    }
}

extension RefreshStateMachine.Source {
    /// A caller waits for tokens that came a moment ago, or that only the answer in the row contains.
    fileprivate var isPatient: Bool { if case .unsaved = self { false } else { true } }
}

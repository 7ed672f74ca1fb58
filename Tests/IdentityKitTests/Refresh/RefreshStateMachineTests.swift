import IdentityKit
import Testing

@Suite("The refresh state machine")
struct RefreshStateMachineTests {
    /// The stored states with which a refresh can begin, each with kernel locks and with leases.
    static let beginnings: [RefreshModel] = {
        let (old, claim) = (RefreshModel.tokens(1), RefreshModel.claim)
        func world(
            _ name: String,
            _ row: SessionState?,
            newest: Int,
            _ change: (inout RefreshModel) -> Void = { _ in }
        )
            -> RefreshModel
        {
            var world = RefreshModel(testDescription: name, row: row, newest: newest)
            change(&world)
            return world
        }
        let spooled = RefreshModel.Unsaved(replaced: 1, state: .active(RefreshModel.tokens(2)))
        let spooledResponse = RefreshModel.Unsaved(replaced: 1, state: .responded(old, RefreshModel.response("2")))
        let foreign = RefreshModel.foreignResponse("2")
        let (page, newer) = (RefreshModel.response("page"), RefreshModel.response("3"))
        let spooledMismatch = RefreshModel.Unsaved(replaced: 1, state: .responded(old, foreign))
        let all = [
            world("active", .active(old), newest: 1),
            world("claimed, the token was not used", .claimed(old, claim), newest: 1),
            world("claimed, the response was lost", .claimed(old, claim), newest: 2),
            world("claimed, the response was lost, with a grace window", .claimed(old, claim), newest: 2) {
                $0.hasGrace = true
            },
            world("claimed and abandoned", .claimed(old, claim.abandoned), newest: 1),
            world("claimed, the tokens are in the spool", .claimed(old, claim), newest: 2) { $0.spool = spooled },
            world("claimed, response in the spool", .claimed(old, claim), newest: 2) { $0.spool = spooledResponse },
            world("responded", .responded(old, RefreshModel.response("2")), newest: 2),
            world("ended", .ended(.revoked, old), newest: 0),
            world("ended, newer tokens are in the spool", .ended(.lostRotation, old), newest: 2) { $0.spool = spooled },
            world("responded with a mismatch", .responded(old, foreign), newest: 2),
            world("responded, the mismatch is in the spool", .responded(old, RefreshModel.response("2")), newest: 2) {
                $0.spool = spooledMismatch
            },
            world("responded with a mismatch, another response is in the spool", .responded(old, foreign), newest: 2) {
                $0.spool = spooledResponse
            },
            world("claimed, the response with its mismatch is in the spool", .claimed(old, claim), newest: 2) {
                $0.spool = spooledMismatch
            },
            world("ended, a response with a mismatch is in the spool", .ended(.lostRotation, old), newest: 2) {
                $0.spool = spooledMismatch
            },
            world("refreshed by another process", .active(RefreshModel.tokens(2)), newest: 2),
            world("claimed, and another process waits", .claimed(old, claim.awaited), newest: 1),
            world("removed", nil, newest: 1),
            world("another process stored an HTML page, tokens are in the spool", .responded(old, page), newest: 2) {
                $0.spool = spooled
                $0.laterResponse = "page"
            },
            world("another process stored newer tokens, others are in the spool", .responded(old, newer), newest: 3) {
                $0.spool = spooled
                $0.laterResponse = "3"
            },
            world("active, newer tokens are in the spool", .active(old), newest: 2) { $0.spool = spooled },
            world("responded with a mismatch, an HTML page is in the spool", .responded(old, foreign), newest: 2) {
                $0.spool = RefreshModel.Unsaved(replaced: 1, state: .responded(old, page))
            },
        ]
        let withoutTokens = ["page", "rejected", "invalid_grant"].flatMap { text in
            let (response, newest) = (RefreshModel.response(text), text == "invalid_grant" ? 0 : 1)
            let unsaved = RefreshModel.Unsaved(replaced: 1, state: .responded(old, response))
            return [
                world("responded: \(text)", .responded(old, response), newest: newest),
                world("active, in the spool: \(text)", .active(old), newest: newest) { $0.spool = unsaved },
                world("responded, in the spool: \(text)", .responded(old, RefreshModel.response("2")), newest: 2) {
                    $0.spool = unsaved
                },
            ]
        }
        return (all + withoutTokens).flatMap { world in
            var leased = world
            leased.isLease = true
            leased.testDescription += ", under a lease"
            return [world, leased]
        }
    }()

    @Test(
        """
        with up to two faults and a crash at any point, no refresh loses tokens, sends a used token needlessly, restores an ended \
        session or returns tokens after a response of another login
        """,
        arguments: beginnings
    )
    func everyPath(_ beginning: RefreshModel) {
        var walk = RefreshWalk()
        walk.begin(beginning, faults: 2)
        #expect(walk.violations.isEmpty, "\(walk.violations.prefix(3).joined(separator: "\n"))")
        #expect(walk.paths > 0 && walk.crashes > 0)
    }

    @Test(
        "after a crash, the next process continues as the stored state requires",
        arguments: zip(
            ["claim, send", "claim, send", "validate", "no send, from the spool", "end"],
            [beginnings[0], beginnings[2], beginnings[14], beginnings[10], beginnings[4]]
        )
    )
    func nextProcess(_ expected: String, _ beginning: RefreshModel) {
        var walk = RefreshWalk()
        let end = walk.runClean(beginning)
        switch expected {
        case "claim, send":
            #expect(end.sends == 1 && end.reuses == 0 && RefreshModel.newest(in: end.row) == 2)
        case "end":
            #expect(end.sends == 1 && end.reuses == 1 && end.row?.endReason == .lostRotation)
        default:
            #expect(end.sends == 0 && end.reuses == 0 && RefreshModel.newest(in: end.row) == 2)
        }
    }

    @Test("a response of another login in memory does not overwrite a different response in the store")
    func otherResponse() {
        let old = RefreshModel.tokens(1)
        var machine = RefreshStateMachine(.repairing, provesPreviousHolderGone: true)
        var action = machine.handle(.began)
        action = machine.handle(
            .loaded(.responded(old, RefreshModel.response("2")), isRestored: false, isUnchanged: false)
        )
        action = machine.handle(.found(.responded(old, RefreshModel.response("3"))))
        action = machine.handle(.validationFailed(RefreshModel.otherLogin))
        var names: [String] = []
        for _ in 0..<10 {
            if case .finish(let outcome) = action {
                guard case .failed(let error, _) = outcome else { break }
                #expect(error.isAttackSuspected)
                break
            }
            names.append(String(describing: action).prefix { $0 != "(" }.description)
            action = machine.handle(.done)
        }
        #expect(names == ["reportLoginMismatch", "spool"])
    }

    /// The error of a refresh that got invalid_grant, after which the store contains this state of another process.
    private func errorAfterInvalidGrant(_ state: SessionState) -> IdentityError? {
        var machine = RefreshStateMachine(.repairing, provesPreviousHolderGone: true)
        let claimed = SessionState.claimed(RefreshModel.tokens(1), RefreshModel.claim)
        let events: [RefreshStateMachine.Event] = [
            .began, .loaded(claimed, isRestored: false, isUnchanged: false), .found(nil),
            .prepared(RefreshModel.claim), .saved, .refused(RefreshModel.refusal(.invalidGrant)),
        ]
        for event in events { _ = machine.handle(event) }
        let action = machine.handle(.loaded(state, isRestored: false, isUnchanged: false))
        guard case .finish(.failed(let error, _)) = action else { return nil }
        return error
    }

    @Test("after invalid_grant, a stored response of another process keeps the session, and the error names it")
    func otherProcessHasResponse() {
        let error = errorAfterInvalidGrant(.responded(RefreshModel.tokens(1), RefreshModel.response("2")))
        #expect(error?.kind == .retryLater && error?.code == .refreshBusy)
        #expect(error?.message.contains("another process has stored a response") == true)
    }

    @Test("after invalid_grant, a session that another process has ended is reported as ended, also without tokens")
    func otherProcessHasEnded() {
        #expect(errorAfterInvalidGrant(.ended(.lostRotation, nil))?.code == .rotationLost)
    }

    @Test("new tokens are revoked if another process has refreshed the session meanwhile, and it has ended since then")
    func endedWithOtherTokens() {
        var machine = RefreshStateMachine(.replacing(RefreshModel.tokens(1)), provesPreviousHolderGone: false)
        let events: [RefreshStateMachine.Event] = [
            .began, .loaded(.active(RefreshModel.tokens(1)), isRestored: false, isUnchanged: false), .found(nil),
            .prepared(RefreshModel.claim), .saved, .validated(RefreshModel.tokens(2)), .conflicted,
        ]
        for event in events { _ = machine.handle(event) }
        let ended = SessionState.ended(.revoked, RefreshModel.tokens(3))
        var action = machine.handle(.loaded(ended, isRestored: false, isUnchanged: false))
        guard case .removeUnsaved = action else {
            Issue.record("Unsaved tokens stay: \(action)")
            return
        }
        action = machine.handle(.done)
        guard case .revoke(let tokens) = action else {
            Issue.record("The new tokens were not revoked: \(action)")
            return
        }
        #expect(RefreshModel.number(tokens) == 2)
    }

    @Test("other tokens of the session are not returned while a response of another login is stored with them")
    func mismatchWithOtherTokens() {
        var machine = RefreshStateMachine(.replacing(RefreshModel.tokens(1)), provesPreviousHolderGone: false)
        let events: [RefreshStateMachine.Event] = [
            .began, .loaded(.active(RefreshModel.tokens(1)), isRestored: false, isUnchanged: false), .found(nil),
            .prepared(RefreshModel.claim), .saved, .validated(RefreshModel.tokens(2)), .conflicted,
            .loaded(
                .responded(RefreshModel.tokens(3), RefreshModel.foreignResponse("4")),
                isRestored: false,
                isUnchanged: false
            ),
        ]
        for event in events { _ = machine.handle(event) }
        let action = machine.handle(.done)
        guard case .finish(.startAgain) = action else {
            Issue.record("The stored response is not validated: \(action)")
            return
        }
    }

    @Test("a spooled response without tokens that cannot be removed from the spool does not cause an endless loop")
    func stuckInSpool() {
        let (old, page) = (RefreshModel.tokens(1), RefreshModel.response("page"))
        var machine = RefreshStateMachine(.replacing(old), provesPreviousHolderGone: true)
        var action = machine.handle(.began)
        var names: [String] = []
        for _ in 0..<30 {
            names.append(String(describing: action).prefix { $0 != "(" }.description)
            switch action {
            case .load: action = machine.handle(.loaded(.active(old), isRestored: false, isUnchanged: false))
            case .findUnsaved: action = machine.handle(.found(.responded(old, page)))
            case .save(_, .response, _): action = machine.handle(.notSaved(RefreshModel.failure))
            case .validate: action = machine.handle(.refused(RefreshModel.refusal(.inDoubt)))
            case .prepare: action = machine.handle(.notPrepared(RefreshModel.failure))
            default: action = machine.handle(.done)
            }
            if case .finish = action { break }
        }
        #expect(names.count { $0 == "findUnsaved" } == 2)
        #expect(names.last == "prepare")
    }
}

import FoundationEssentials
import IdentityKit
import Testing

@Suite("The table of transitions")
struct RefreshTransitionTests {
    /// The rows of the guide's table: step, result and next step.
    ///
    /// A row of the step `any` holds for every step.
    private static func documented() throws -> Set<[String]> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let guide = String(
            decoding: try Data(contentsOf: root.appending(path: "Documentation/Operating/Refresh.md")),
            as: UTF8.self
        )
        let table = guide.split(separator: "\n", omittingEmptySubsequences: false).drop {
            !$0.hasPrefix("| step | result | next step |")
        }
        .dropFirst(2).prefix { $0.hasPrefix("|") }
        return Set(table.map { $0.dropFirst(2).split(separator: " | ").prefix(3).map(String.init) })
    }

    /// Paths that the walk does not reach: another process refreshes the session in the meantime, the spool contains a response
    /// without a token, or a response with a success status contains an OAuth error.
    private static let rarePaths: [[RefreshStateMachine.Event]] = {
        let (old, response) = (RefreshModel.tokens(1), RefreshModel.response("2"))
        let newer = RefreshStateMachine.Event.loaded(.active(RefreshModel.tokens(3)), isRestored: false, isOurs: false)
        let sent: [RefreshStateMachine.Event] = [
            .loaded(.active(old), isRestored: false, isOurs: false), .found(nil), .prepared(RefreshModel.claim),
            .saved,
        ]
        let refusals = [RefreshModel.refusal(.invalidGrant), RefreshModel.refusal(.rejected)]
        return refusals.flatMap { refusal -> [[RefreshStateMachine.Event]] in
            [
                sent + [.responded(response), .saved, .refused(refusal)],
                [.loaded(.responded(old, response), isRestored: false, isOurs: false), .found(nil), .refused(refusal)],
                [sent[0], .found(.responded(old, response)), .notSaved(RefreshModel.failure), .refused(refusal)],
            ]
        } + [
            sent + [.responded(response), .saved, .validated(RefreshModel.tokens(2)), .conflicted, newer],
            sent + [.refused(RefreshModel.refusal(.invalidGrant)), newer],
            [
                sent[0], .found(.responded(old, RefreshModel.response("page"))), .notSaved(RefreshModel.failure),
                .refused(RefreshModel.refusal(.inDoubt)),
            ],
        ] + stuckPages
    }()

    /// Paths with a spooled response without tokens that cannot be removed from the spool.
    private static let stuckPages: [[RefreshStateMachine.Event]] = {
        let old = RefreshModel.tokens(1)
        let page = RefreshStateMachine.Event.found(.responded(old, RefreshModel.response("page")))
        let refused = RefreshStateMachine.Event.refused(RefreshModel.refusal(.inDoubt))
        let unsaved: [RefreshStateMachine.Event] = [page, .notSaved(RefreshModel.failure), refused]
        let stored = RefreshStateMachine.Event.loaded(
            .responded(old, RefreshModel.response("2")),
            isRestored: false,
            isOurs: false
        )
        return [
            [.loaded(.active(old), isRestored: false, isOurs: false)] + unsaved + [.done] + unsaved,
            [stored, page, refused, .done, page, refused],
        ]
    }()

    @Test("the guide to refreshing lists exactly the transitions of the refresh state machine")
    func guide() throws {
        var walk = RefreshWalk()
        for beginning in RefreshStateMachineTests.beginnings { walk.begin(beginning, faults: 2) }
        Self.rarePaths.forEach { walk.play($0) }
        let documented = try Self.documented()
        let missing = walk.transitions.filter { row in
            !documented.contains(row) && !documented.contains(["any"] + row.dropFirst())
        }
        let surplus = documented.subtracting(walk.transitions).filter { $0.first != "any" }
        func lines(_ rows: some Collection<[String]>) -> String {
            rows.map { "| " + $0.joined(separator: " | ") + " |" }.sorted().joined(separator: "\n")
        }
        #expect(missing.isEmpty, "The guide lacks:\n\(lines(missing))")
        #expect(surplus.isEmpty, "The guide lists what never happens:\n\(lines(surplus))")
    }
}

extension RefreshStateMachine.Action {
    /// The name of the step in the guide's table.
    var name: String {
        switch self {
        case .load: "`load`"
        case .findUnsaved: "`findUnsaved`"
        case .checkClaim: "`checkClaim`"
        case .prepare: "`prepare`"
        case .send: "`send`"
        case .validate: "`validate`"
        case .reportMismatch: "`reportMismatch`"
        case .spool: "`spool`"
        case .forgetUnsaved: "`forgetUnsaved`"
        case .revokeUnsaved: "`revokeUnsaved`"
        case .revoke: "`revoke`"
        case .save(_, let purpose, _):
            switch purpose {
            case .contest: "`contest`"
            case .claim: "`claim`"
            case .restoreClaim: "`restoreClaim`"
            case .release: "`release`"
            case .response: "`saveResponse`"
            case .mismatch: "`saveMismatch`"
            case .tokens: "`saveTokens`"
            case .end: "`end`"
            }
        case .finish(let outcome):
            switch outcome {
            case .refreshed: "`refreshed`"
            case .adopted: "`adopted`"
            case .changed: "`changed`"
            case .wait: "`wait`"
            case .failed: "throw"
            }
        }
    }
}

extension RefreshStateMachine.Event {
    /// The name of the result in the guide's table; nil for the result of a step that always succeeds.
    var name: String? {
        switch self {
        case .began, .done: nil
        case .loaded(let state, _, _): state == nil ? "no session" : "a session"
        case .notLoaded, .notPrepared, .notSaved: "an error"
        case .found(.active?): "tokens"
        case .found(.responded?), .responded: "a response"
        case .found: "nothing"
        case .claimChecked(let mustWait): mustWait ? "its holder has time left" : "its holder had enough time"
        case .prepared: "prepared"
        case .saved: "saved"
        case .conflicted: "another process was faster"
        case .lockLost: "the lock was lost"
        case .validated: "tokens"
        case .refused(let refusal):
            switch refusal.kind {
            case .inDoubt: "no token, or in doubt"
            case .invalidGrant: "`invalid_grant`"
            default: "refused"
            }
        case .notAccepted(let error): error.isAttackSuspected ? "another login" : "not accepted"
        }
    }
}

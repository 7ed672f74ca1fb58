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

    @Test("the guide to refreshing lists exactly the transitions of the refresh state machine")
    func guide() throws {
        var walk = RefreshWalk()
        for beginning in RefreshStateMachineTests.beginnings { walk.begin(beginning, faults: 2) }
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

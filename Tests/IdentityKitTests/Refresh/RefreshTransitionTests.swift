import FoundationEssentials
import IdentityKit
import TestGuides
import Testing

@Suite("The table of transitions")
struct RefreshTransitionTests {
    /// The rows of a table in a file, with the columns that its head names.
    private static func documented(in path: String, _ head: String) throws -> Set<[String]> {
        let file = try Repository.text(path)
        let table = file.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix(head) }
            .dropFirst(2).prefix { $0.contains("| ") }
        let columns = head.count { $0 == "|" } - 1
        return Set(
            table.map { $0.drop { $0 != "|" }.dropFirst(2).split(separator: " | ").prefix(columns).map(String.init) }
        )
    }

    private static func walk() -> RefreshWalk {
        var walk = RefreshWalk()
        for beginning in RefreshStateMachineTests.beginnings { walk.begin(beginning, faults: 2) }
        return walk
    }

    private static func lines(_ rows: some Collection<[String]>) -> String {
        rows.map { "| " + $0.joined(separator: " | ") + " |" }.sorted().joined(separator: "\n")
    }

    @Test("the comment of SessionState lists exactly the changes of the stored state")
    func states() throws {
        let documented = try Self.documented(in: "Sources/IdentityKit/Session/SessionState.swift", "/// | from | to |")
        let changes = Self.walk().stateChanges
        #expect(changes.isSubset(of: documented), "The comment lacks:\n\(Self.lines(changes.subtracting(documented)))")
        #expect(
            documented.isSubset(of: changes),
            "The comment lists what never happens:\n\(Self.lines(documented.subtracting(changes)))"
        )
    }

    @Test("the guide to refreshing lists exactly the transitions of the refresh state machine")
    func guide() throws {
        let walk = Self.walk()
        let documented = try Self.documented(in: "Documentation/Operating/Refresh.md", "| step | result | next step |")
        // A row of the step `any` holds for every step that has no row for this result.
        let results = Set(documented.map { Array($0.dropLast()) })
        let missing = walk.transitions.filter { row in
            !documented.contains(row)
                && (results.contains(Array(row.dropLast())) || !documented.contains(["any"] + row.dropFirst()))
        }
        let surplus = documented.subtracting(walk.transitions).filter { $0.first != "any" }
        #expect(missing.isEmpty, "The guide lacks:\n\(Self.lines(missing))")
        #expect(surplus.isEmpty, "The guide lists what never happens:\n\(Self.lines(surplus))")
    }
}

extension SessionState {
    var name: String {
        switch self {
        case .active: "active"
        case .claimed: "claimed"
        case .responded: "responded"
        case .ended: "ended"
        }
    }
}

extension RefreshStateMachine.Action {
    /// The name of the step in the guide's table.
    var name: String {
        switch self {
        case .load: "`load`"
        case .findUnsaved: "`findUnsaved`"
        case .checkClaimWait: "`checkClaimWait`"
        case .prepare: "`prepare`"
        case .send: "`send`"
        case .validate: "`validate`"
        case .reportLoginMismatch: "`reportLoginMismatch`"
        case .spool: "`spool`"
        case .removeUnsaved: "`removeUnsaved`"
        case .revokeUnsaved: "`revokeUnsaved`"
        case .revoke: "`revoke`"
        case .save(_, let purpose, _):
            switch purpose {
            case .markAwaited: "`markAwaited`"
            case .claim: "`claim`"
            case .claimAgain: "`claimAgain`"
            case .withdrawClaim: "`withdrawClaim`"
            case .response: "`saveResponse`"
            case .loginMismatch: "`saveLoginMismatch`"
            case .tokens: "`saveTokens`"
            case .end: "`end`"
            }
        case .finish(let outcome):
            switch outcome {
            case .refreshed: "`refreshed`"
            case .alreadyRefreshed: "`alreadyRefreshed`"
            case .startAgain: "`startAgain`"
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
        case .claimWaitChecked(let mustWait): mustWait ? "its holder has time left" : "its holder had enough time"
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
        case .validationFailed(let error): error.isAttackSuspected ? "another login" : "validation failed"
        }
    }
}

internal import IdentityKit
internal import IdentityStoreKit

struct StoreVerification {
    let store: any StoreHealthChecking
    let output: Output

    func run() async throws {
        let health = try await store.checkHealth()
        let counts = [
            ("sessions", health.sessions), ("login_attempts", health.loginAttempts),
            ("attachments", health.attachments), ("damaged_rows", health.damagedRows),
            ("rows_without_key", health.rowsWithoutKey),
            ("rows_under_read_only_keys", health.rowsUnderReadOnlyKeys),
            ("quarantined_rows", health.quarantinedRows), ("spooled_sessions", health.spooledSessions),
            ("sessions_in_doubt", health.sessionsInDoubt),
        ]
        var members: JSONObject = ["sound": .bool(health.isSound)]
        for (name, count) in counts { members[name] = .integer(count) }
        members["problems"] = .array(health.problems.map { .string($0) })
        output.event("verification", members, text: text(health, counts))
        guard !health.isSound else { return }
        let isKeyMissing = health.rowsWithoutKey > 0 && health.damagedRows == 0 && health.problems.isEmpty
        let needsKey = health.rowsWithoutKey > 0 && health.problems.isEmpty
        throw IdentityError(
            .configuration,
            isKeyMissing ? .storeKeyMismatch : .storeCorrupt,
            health.damagedRows + health.rowsWithoutKey > 0
                ? "Records that cannot be read: \(health.damagedRows) damaged, \(health.rowsWithoutKey) without a configured key. "
                    + "The store was not changed."
                : "The check of the database reports problems: \(health.problems.count). The store was not changed.",
            hint: needsKey
                ? "Run \"identity-lab keys list\". Add each key that the list shows as \"not configured\" to store.readOnlyKeys. Then run "
                    + "\"identity-lab keys verify\" again."
                : health.problems.isEmpty
                    ? "Restore the damaged records from a backup. Without a backup, ask buyers who cannot sign in to delete the app's "
                        + "cookies."
                    : "Correct the problems that \"identity-lab keys verify\" has printed, then run it again."
        )
    }

    private func text(_ health: StoreHealth, _ counts: [(String, Int)]) -> String {
        let lines = counts.map { name, count in "\(name.replacing("_", with: " ")): \(count)" }
        let problems = health.problems.map { "The database reports: \($0.printable)" }
        return (lines + problems + [health.isSound ? "The store is intact." : "The store has problems."]).joined(
            separator: "\n"
        )
    }
}

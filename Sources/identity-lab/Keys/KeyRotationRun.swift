internal import IdentityKit
internal import IdentityStoreKit

/// Encrypts the records of a store with its active key, ``step`` records at a time.
///
/// After an interruption the rotation can be run again: the store is usable after each step.
struct KeyRotationRun {
    /// The number of records per step; small, so that logins and refreshes hardly wait.
    private static let step = 100
    private static let progressInterval = Duration.seconds(1)

    let store: any StoreKeyRotating
    let output: Output

    func run() async throws {
        var total = ResealProgress()
        var lastNote = ContinuousClock.now
        do {
            repeat {
                try Task.checkCancellation()
                let step = try await store.resealRows(after: total.position, limit: Self.step)
                total += step
                if ContinuousClock.now - lastNote >= Self.progressInterval {
                    lastNote = .now
                    note(total, "so far")
                }
            } while total.position != nil
        } catch {
            note(total, "before the error; run the command again to continue")
            throw error
        }
        note(total, "in total")
        try await report(total)
    }

    private func note(_ total: ResealProgress, _ when: String) {
        output.note(
            "\(total.resealed) records encrypted, \(total.postponed) postponed, \(total.unreadable) unreadable \(when)"
        )
    }

    private func report(_ total: ResealProgress) async throws {
        let keys = try await store.keyUsage()
        let remaining = keys.filter { $0.role != .active }.reduce(0) { $0 + $1.rows }
        let active = keys.first { $0.role == .active }?.id ?? ""
        output.event(
            "rotation",
            [
                "key": .string(active), "resealed": .integer(total.resealed), "postponed": .integer(total.postponed),
                "unreadable": .integer(total.unreadable), "remaining": .integer(remaining),
            ],
            text: remaining == 0
                ? "Every record is encrypted with key \(active). Backups and other machines may still need other keys."
                : "Records that are still encrypted with other keys than \(active): \(remaining)."
        )
        // `remaining` includes the unreadable records, except those with a damaged header. All other remaining records are in the spool, or
        // another process saved them with another key during the rotation. These records and postponed records need another rotation.
        if total.postponed > 0 || remaining > total.unreadable {
            throw IdentityError(
                .retryLater,
                IdentityError.Code(rawValue: "rotation_incomplete"),
                "Some records are possibly not encrypted with the active key: they changed during the rotation, the refresh of their "
                    + "sessions is not complete, they are in the spool directory, or another process uses another key.",
                hint:
                    "Set store.key to the active key in every process. Let an app call maintain() or repair() of SessionManager. Then run "
                    + "\"identity-lab keys rotate\" again."
            )
        }
        guard total.unreadable > 0 else { return }
        let isMissing = keys.contains { $0.role == .missing && $0.rows > 0 }
        throw IdentityError(
            .configuration,
            isMissing ? .storeKeyMismatch : .storeCorrupt,
            "Records that could not be read and were not changed: \(total.unreadable).",
            hint: isMissing
                ? "Run \"identity-lab keys list\". Add each key that the list shows as \"not configured\" to store.readOnlyKeys. Then run "
                    + "\"identity-lab keys rotate\" again."
                : "Run \"identity-lab keys verify\", which counts the damaged records, and follow its hint. Then run "
                    + "\"identity-lab keys rotate\" again."
        )
    }
}

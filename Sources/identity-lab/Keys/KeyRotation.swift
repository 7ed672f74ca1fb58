internal import IdentityKit
internal import IdentityStoreKit

/// Seals the rows of a store under its active key, some at a time.
///
/// Each step stands by itself: whoever stops between two loses nothing and begins again later.
struct KeyRotation {
    /// Small enough that logins and renewals hardly wait.
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
                total.resealed += step.resealed
                total.postponed += step.postponed
                total.unreadable += step.unreadable
                total.position = step.position
                if ContinuousClock.now - lastNote >= Self.progressInterval {
                    lastNote = .now
                    note(total, "so far")
                }
            } while total.position != nil
        } catch {
            note(total, "before it stopped; run it again to go on")
            throw error
        }
        note(total, "in all")
        try await report(total)
    }

    private func note(_ total: ResealProgress, _ when: String) {
        output.note(
            "\(total.resealed) rows sealed anew, \(total.postponed) postponed, \(total.unreadable) unreadable \(when)"
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
                ? "Every row is sealed under \(active). Other keys are needed no more."
                : "\(remaining) rows are still sealed under other keys than \(active)."
        )
        // What waits in the second place, or was saved by a process with another key meanwhile, counts as postponed too.
        if total.postponed > 0 || (total.unreadable == 0 && remaining > 0) {
            throw IdentityError(
                .retryLater,
                IdentityError.Code(rawValue: "rotation_incomplete"),
                "Some rows were left for later: they are being renewed, wait in the store's second place, or another process still "
                    + "saves under another key.",
                hint: "Run it again in a minute. Make the key active everywhere first."
            )
        }
        guard total.unreadable > 0 else { return }
        let isMissing = keys.contains { $0.role == .missing && $0.rows > 0 }
        throw IdentityError(
            .configuration,
            isMissing ? .storeKeyMismatch : .storeCorrupt,
            "\(total.unreadable) rows cannot be opened and were left as they are.",
            hint: isMissing
                ? "Add the missing keys, which \"keys list\" names, to store.readOnlyKeys." : "Run \"keys verify\"."
        )
    }
}

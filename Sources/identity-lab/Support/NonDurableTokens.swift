internal import IdentityKit
internal import Synchronization

/// The sessions whose new tokens could not be stored when a command ended, so that they are lost with the process.
final class NonDurableTokens: Sendable {
    private let sessions = Mutex<Set<SessionReference>>([])

    func add(_ found: Set<SessionReference>) {
        sessions.withLock { $0.formUnion(found) }
    }

    /// A warning for the operator; nil if all tokens are stored.
    var warning: IdentityError? {
        guard sessions.withLock({ !$0.isEmpty }) else { return nil }
        return IdentityError(
            .retryLater,
            .tokensNotDurable,
            "New tokens could not be stored, neither in the session store nor in its spool.",
            hint: """
                Repair the store before the next refresh; for PostgreSQL, also set store.spool to a directory that this user can write. \
                The new tokens are lost when this command ends, and the buyers of these sessions may have to sign in again.
                """
        )
    }
}

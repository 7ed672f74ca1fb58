internal import IdentityKit
internal import Synchronization

/// The sessions whose new tokens are stored nowhere durable at the end of a command: they are lost with the process.
final class LostTokens: Sendable {
    private let sessions = Mutex<Set<SessionID>>([])

    func note(_ found: Set<SessionID>) {
        sessions.withLock { $0.formUnion(found) }
    }

    /// What to tell the operator; nil when nothing is lost.
    var warning: IdentityError? {
        guard sessions.withLock({ !$0.isEmpty }) else { return nil }
        return IdentityError(
            .retryLater,
            .tokensNotDurable,
            "New tokens are stored nowhere durable: neither the session database nor its spool took them.",
            hint: """
                They are lost when this command ends, and the buyer has to sign in again. Repair the database; for PostgreSQL, name a \
                directory in store.spool.
                """
        )
    }
}

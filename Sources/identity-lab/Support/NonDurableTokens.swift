internal import IdentityKit
internal import Synchronization

/// The sessions whose new tokens could not be stored: unless a later attempt stores these tokens, they are lost when the process ends.
final class NonDurableTokens: Sendable {
    /// Each value keeps its manager alive, because a new manager could otherwise get the address of a released one as its identifier.
    private let sessions = Mutex<[ObjectIdentifier: (manager: SessionManager, found: Set<SessionReference>)]>([:])

    /// Replaces the sessions that an earlier drain of the manager found, because the last drain may have stored their tokens.
    func record(_ found: Set<SessionReference>, of manager: SessionManager) {
        sessions.withLock { $0[ObjectIdentifier(manager)] = (manager, found) }
    }

    /// A warning for the operator; nil if all tokens are stored.
    var warning: IdentityError? {
        guard sessions.withLock({ $0.values.contains { !$0.found.isEmpty } }) else { return nil }
        return IdentityError(
            .retryLater,
            .tokensNotDurable,
            "New tokens could not be stored: neither the session store nor a spool saved them.",
            hint: """
                Repair the store before the next refresh. For PostgreSQL, check also that store.spool is a directory that this user can \
                write. The new tokens are lost when this command ends, and the buyers of these sessions may have to sign in again.
                """
        )
    }
}

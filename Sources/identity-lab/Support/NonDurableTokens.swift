internal import IdentityKit
internal import Synchronization

/// The sessions whose new tokens could not be stored, so that they are lost with the process.
final class NonDurableTokens: Sendable {
    /// The managers are kept, because the address of a released one could become that of another.
    private let sessions = Mutex<[ObjectIdentifier: (manager: SessionManager, found: Set<SessionReference>)]>([:])

    /// Replaces the sessions of a manager by those that its last drain found: a later drain may have stored the tokens.
    func record(_ found: Set<SessionReference>, of manager: SessionManager) {
        sessions.withLock { $0[ObjectIdentifier(manager)] = (manager, found) }
    }

    /// A warning for the operator; nil if all tokens are stored.
    var warning: IdentityError? {
        guard sessions.withLock({ $0.values.contains { !$0.found.isEmpty } }) else { return nil }
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

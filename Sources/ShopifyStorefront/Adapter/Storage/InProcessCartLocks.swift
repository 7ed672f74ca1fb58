internal import IdentityKit

/// The locks of sessions and carts that a task holds in this process.
///
/// A task takes the lock of a session before the lock of a cart. Of two sessions, it first locks the one that gives its cart away: the
/// guest's session before the buyer's, and in `moveCart` the old session before the new one. With this order, no two tasks wait for each
/// other. Only the session of a new guest may be locked later, because no other task knows this session.
///
/// Held locks are a parameter and not a task-local value. Otherwise a task that an operation starts and does not wait for, such as a
/// refresh, would count as a holder.
struct InProcessCartLocks: Sendable {
    enum Name: Hashable, Sendable {
        case session(SessionID)
        /// A separate lock, because two sessions can have the same cart.
        case cart(CartID)
    }

    let lock = KeyedLock<Name>()
    private var held: Set<Name> = []

    func holds(_ name: Name) -> Bool { held.contains(name) }

    /// Runs the body while the task holds the lock `name`, and `second` if it is set; a lock that the task holds is not taken again.
    func with<Result: Sendable>(
        _ name: Name?,
        _ second: Name? = nil,
        _ body: (InProcessCartLocks) async throws -> Result
    ) async throws -> Result {
        if let second { return try await with(name) { try await $0.with(second, nil, body) } }
        guard let name, !held.contains(name) else { return try await body(self) }
        return try await lock.withLock(name) {
            var locks = self
            locks.held.insert(name)
            return try await body(locks)
        }
    }
}

internal import IdentityKit

extension CartAdapter {
    /// The maximum wait for the store's lock while another process changes or creates the same cart.
    static let lockTimeout = Duration.seconds(15)

    /// Runs an operation on a session's cart under the locks of the session and the cart, and saves the outcome.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - use: How the operation uses the attachment.
    ///   - locks: The locks that the caller holds.
    ///   - body: The operation.
    /// - Returns: The result of the operation.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when the session does not exist or has expired. If the
    ///   caller holds the session's lock, this is not checked.
    func withLockedCart<Value: Sendable>(
        _ id: SessionID,
        _ use: CartUse = .standard,
        under locks: InProcessCartLocks? = nil,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Value>
    ) async throws -> Value {
        try await identityErrors {
            let outer = locks ?? self.locks
            return try await outer.with(.session(id)) { locks in
                // An expired session keeps its attachment until the next sweep, so the session is checked too. A caller that holds the
                // session's lock checks the session itself where it must exist.
                if !outer.holds(.session(id)) { _ = try await self.sessions.session(id) }
                let operation = CartOperation(adapter: self, session: id, use: use, locks: locks)
                guard use == .exclusive else { return try await operation.run(body) }
                // Several sessions can have the same cart, so the store's lock is named after the cart and not after the session.
                let cartID = try await self.attachments.read(id).binding?.cartID
                let name = cartID.map { .object($0.rawValue) } ?? LockName.attachment(self.attachments.name, of: id)
                return try await self.attachments.store.withLock(name, waitingUpTo: Self.lockTimeout) { _ in
                    try await operation.run(body)
                }
            }
        }
    }

    /// Runs an operation on the session's cart, and saves the stored cart (``CartBinding``) that the operation has updated.
    ///
    /// - Throws: `IdentityError` in the same cases as ``withLockedCart(_:_:under:_:)``; with code `IdentityError.Code.cartMissing` when the
    ///   session has no cart.
    func withCart<Result: Sendable>(
        _ id: SessionID,
        _ use: CartUse = .standard,
        under locks: InProcessCartLocks? = nil,
        _ body: @Sendable (inout CartBinding, LockedCart) async throws -> Result
    ) async throws -> Result {
        try await withLockedCart(id, use, under: locks) { locked in
            guard var binding = locked.binding else { throw Self.noCart }
            let result = try await body(&binding, locked)
            return CartChange(result, saving: binding)
        }
    }

    static var busy: IdentityError {
        IdentityError(
            .retryLater,
            .cartBusy,
            "The cart operation failed after \(CartOperation.attempts) attempts, because the session's cart changed during each of them.",
            hint: "Try again."
        )
    }

    /// The error for a mutation that succeeded, and after which another process changed the session's stored cart before the identity was
    /// put on it.
    static var busyAttaching: IdentityError {
        busy.recast(
            message:
                "The identity was not put on the cart, because the session's cart was changed or removed at the same time.",
            hint:
                "Do not repeat the change of the cart, because it has succeeded. Continue with checkout(for:in:options:): it puts the "
                + "identity on the cart if the session still has the cart."
        )
    }
}

/// The locks of sessions and carts that a task holds in this process.
///
/// A task takes the lock of a session before the lock of a cart. Of two sessions, it first locks the one that gives its cart away: the
/// guest's session before the buyer's, and in `moveCart` the old session before the new one. In this order, no two tasks wait for each
/// other. Only the session of a new guest may be locked later, because no other task knows it.
///
/// Held locks are a parameter and not a task-local value. Otherwise a task that an operation starts and does not wait for, such as a
/// refresh, would count as a holder.
struct InProcessCartLocks: Sendable {
    enum Name: Hashable, Sendable {
        case session(SessionID)
        /// A separate lock, because two sessions can have the same cart.
        case cart(CartID)
    }

    private let lock = KeyedLock<Name>()
    private var held: Set<Name> = []

    func holds(_ name: Name) -> Bool { held.contains(name) }

    /// Runs the body while the task holds the lock.
    ///
    /// If `second` is set, this lock is taken after `name`. A lock that the task holds already is not taken again.
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

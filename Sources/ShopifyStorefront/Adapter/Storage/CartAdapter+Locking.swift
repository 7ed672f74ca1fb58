internal import IdentityKit

extension CartAdapter {
    /// How long an operation waits for a lock of the store that another operation on the same cart or session holds.
    static let lockTimeout = Duration.seconds(15)

    /// Runs an operation on a session's cart, and saves the changed cart.
    ///
    /// The operation holds this process's locks of the session and, if the session has a cart, of the cart. A lock in `locks` is already
    /// held and is not taken again.
    func withLockedCart<Value: Sendable>(
        _ id: SessionID,
        _ use: CartUse = .standard,
        under locks: InProcessCartLocks? = nil,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Value>
    ) async throws -> Value {
        try await identityErrors {
            let outer = locks ?? self.locks
            return try await outer.with(.session(id)) { locks in
                // An expired session keeps its attachment until the next sweep, so the session is checked too. A caller that already holds
                // the session's lock checks the session itself if the session must exist.
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

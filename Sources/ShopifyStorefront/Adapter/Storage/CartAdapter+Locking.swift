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
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when there is no such session, or it has expired. This is
    ///   not checked if the caller holds the session's lock.
    func withLockedCart<Result: Sendable>(
        _ id: SessionID,
        _ use: CartUse = .standard,
        under locks: InProcessCartLocks? = nil,
        _ body: @Sendable (LockedCart) async throws -> CartChange<Result>
    ) async throws -> Result {
        try await identityErrors {
            let outer = locks ?? self.locks
            return try await outer.with(.session(id)) { locks in
                // The attachment of an expired session stays until the next sweep, so the session is checked. A caller that holds the
                // session's lock checks the session itself if it must exist.
                if !outer.holds(.session(id)) { _ = try await self.sessions.session(id) }
                let operation = CartOperation(adapter: self, session: id, use: use, locks: locks)
                guard use == .exclusive else { return try await operation.run(body) }
                let name = try await self.lockName(id)
                return try await self.attachments.store.withLock(name, waitingUpTo: Self.lockTimeout) { _ in
                    try await operation.run(body)
                }
            }
        }
    }

    /// The name of the store's lock for the session's cart, or for the attachment if the session has no cart.
    ///
    /// The lock has the cart's name and not the session's, because several sessions can have the same cart.
    private func lockName(_ id: SessionID) async throws -> LockName {
        guard let cartID = try await attachments.read(id).binding?.cartID else {
            return .attachment(attachments.name, of: id)
        }
        return .object(cartID.rawValue)
    }

    /// Runs an operation on the cart of a session that has one, and saves the binding.
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

    /// The error if another process changed the session's cart while the identity was put on it, after a mutation that must not be
    /// repeated.
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

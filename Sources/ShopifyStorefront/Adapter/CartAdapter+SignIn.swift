public import IdentityKit

extension CartAdapter: SignInCarts {
    /// Merges a guest's cart into a session that has just begun, as ``signedIn(_:from:merge:in:)`` with the policy's merge.
    public func moveCart(ofGuest guest: SessionID, to session: SessionID) async throws -> Bool {
        try await signedIn(session, from: guest).outcome != .partial
    }

    /// Moves the cart of a session to a newer session of the same buyer, with the identity of the newer one.
    ///
    /// A cart that the newer session already has stays.
    public func moveCart(of old: SessionID, to session: SessionID) async throws {
        try await identityErrors {
            try await self.locks.with(.session(old)) { locks in
                try await locks.with(.session(session)) { locks in
                    guard let binding = try await self.rows.read(old).binding,
                        try await self.rows.read(session).binding == nil
                    else { return }
                    _ = try await self.adopt(binding, for: session, binding.lastContext, locks)
                    try await self.forget(for: old, under: locks)
                }
            }
        }
    }
}

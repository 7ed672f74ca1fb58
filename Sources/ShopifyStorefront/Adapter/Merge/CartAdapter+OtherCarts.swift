public import IdentityKit

extension CartAdapter {
    /// Returns the carts of the buyer's other sessions, newest session first; empty for a guest's session.
    ///
    /// The result has the carts of the sessions in this app's store, because Shopify has no list of a customer's carts. Untrusted carts
    /// (``adopt(_:for:isTrusted:in:)``) are omitted.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when the session does not exist or has expired.
    public func otherCarts(ofBuyerOf id: SessionID) async throws -> [BoundCart] {
        try await identityErrors {
            try await self.others(id).map { other in
                BoundCart(session: other.session, cartID: other.binding.cartID, identity: other.binding.state)
            }
        }
    }

    /// Moves the cart of a session to a newer session of the same buyer, and puts the newer session's identity on the cart.
    ///
    /// If the old session has no cart, this call moves nothing and succeeds. If Shopify no longer has the old session's cart, this call
    /// also moves nothing. But with the policy `recreate`, it creates a new cart with the known lines of the old cart, and moves the new
    /// cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartBusy` when the newer session already has another cart. The old session
    ///   keeps its cart then.
    public func moveCart(of old: SessionID, to session: SessionID) async throws {
        guard old != session else { return }
        try await identityErrors {
            try await self.locks.with(.session(old), .session(session)) { locks in
                let isMoved = try await self.withLockedCart(old, under: locks) { locked in
                    let own = try await self.attachments.read(session).binding?.cartID
                    guard var binding = locked.binding else { return CartChange(false, saving: nil) }
                    guard own == nil || own == binding.cartID else { throw Self.hasOtherCart }
                    let (cartID, context) = (binding.cartID, binding.lastContext)
                    // If this throws `CartGone`, `CartOperation.run` removes the cart from the old session, or creates it again, and
                    // repeats this closure.
                    _ = try await self.current(&binding, in: context)
                    guard try await self.takeOver(cartID, of: old, binding, for: session, locked.locks) else {
                        return CartChange(false, saving: nil)
                    }
                    guard try await self.adopt(binding, for: session, replaces: false, context, locked.locks) != nil
                    else { throw Self.hasOtherCart }
                    return CartChange(true, saving: nil)
                }
                if isMoved { try await self.forget(for: old, under: locks) }
            }
        }
    }

    private static var hasOtherCart: IdentityError {
        busy.recast(
            as: .rejected,
            message: "The newer session already has another cart, so the older session keeps its cart.",
            hint:
                "To use the older cart instead, call forget(for:) for the newer session. Then call moveCart(of:to:) again."
        )
    }

    /// The trusted carts of the buyer's other sessions, newest session first.
    func others(_ id: SessionID) async throws -> [(session: SessionID, binding: CartBinding)] {
        let own = try await sessions.session(id)
        guard !own.isGuest else { return [] }
        var found: [(SessionID, CartBinding)] = []
        let buyers = try await sessions.sessions(matching: SessionFilter(buyerOf: own))
        for session in buyers.reversed() where session.id != id {
            // Two providers may use the same issuer and subject, so the provider's name must be the same too.
            guard session.provider.isIdentical(to: own.provider),
                let binding = try await attachments.read(session.id).binding, !binding.isUntrusted
            else { continue }
            found.append((session.id, binding))
        }
        return found
    }

    /// Gives a session without a cart the cart of another session of the buyer, and returns whether the session now has a cart.
    ///
    /// The cart comes from the buyer's newest other session whose cart Shopify still has.
    func hasOrTakesOverCart(_ id: SessionID, under locks: InProcessCartLocks) async throws -> Bool {
        if try await withLockedCart(id, under: locks, { CartChange($0.binding != nil, saving: nil) }) { return true }
        for other in try await others(id) {
            var binding = other.binding
            binding.problem = nil
            do { _ = try await current(&binding, in: binding.lastContext) } catch is CartGone { continue }
            if try await takeOver(other.binding.cartID, of: other.session, binding, for: id, locks) { return true }
        }
        return false
    }

    /// Stores the cart of another session also with the session `id`, unless the session `id` already has a cart.
    ///
    /// A logout of the other session, in another process, may give the cart to a guest at the same time. The logout first removes the cart
    /// from its session and then looks for sessions with this cart. This method first stores the cart and then reads the other session. So
    /// the logout or this method notices the conflict.
    ///
    /// `cartID` is the cart's id that is stored with the other session; `binding` can have a newer id of this cart.
    ///
    /// - Returns: False if the other session no longer has the cart; this method then removes the cart from the session `id`.
    private func takeOver(
        _ cartID: CartID,
        of other: SessionID,
        _ binding: CartBinding,
        for id: SessionID,
        _ locks: InProcessCartLocks
    ) async throws -> Bool {
        try await withLockedCart(id, under: locks) { CartChange((), saving: $0.binding == nil ? binding : nil) }
        guard try await attachments.read(other).binding?.cartID != cartID else { return true }
        try await forget(binding.cartID, for: id, under: locks)
        return false
    }
}

public import IdentityKit

extension CartAdapter: SessionParticipant {
    /// Puts the session's identity on its cart again, if a refresh has changed the identity or the last attempt failed.
    ///
    /// A cart without an identity and without a failed attempt stays as it is. If the session no longer has an identity for carts, the
    /// buyer is removed from the cart.
    ///
    /// - Throws: `IdentityError` when the identity could not be put on the cart or removed. The next checkout tries again.
    public func sessionRefreshed(_ session: Session) async throws {
        try await withLockedCart(session.id) { locked -> CartChange<Void> in
            guard var binding = locked.binding, binding.identity != .guest || binding.problem != nil else {
                return CartChange((), saving: locked.binding)
            }
            // A server rejected these tokens in another operation on this session, right after a refresh. So they are not sent again.
            if try await self.sessions.hasRejectedTokens(session.id) { return CartChange((), saving: binding) }
            var context = binding.lastContext
            // The tokens have just been refreshed, so `.zero` avoids another refresh.
            let claim = try await self.sessions.cartClaim(for: session.id, validFor: .zero).claim
            if case .none = claim, binding.mayHoldBuyer {
                _ = try await self.detach(&binding, in: context)
                return CartChange((), saving: binding)
            }
            // The country of a contact must not replace the cart's country.
            if case .contact = claim { context = binding.keepingCountry(in: context) }
            // Not `buyerIdentity(_:in:)`, which adds the client's country: a refresh must not change the cart's country.
            let identity = CartBuyerIdentity(claim, country: context.country)
            guard try self.isDue(identity, on: binding) else { return CartChange((), saving: binding) }
            let attached = try await self.attach(identity, to: &binding, of: locked, in: context)
            guard let problem = attached.problem else { return CartChange((), saving: binding) }
            return CartChange(throwing: problem, saving: binding)
        }
    }

    /// Removes the buyer from the cart of a session that has ended, except with ``CartPolicy/Logout/drop``.
    ///
    /// `SessionManager` does not call this method for sessions that a sweep removes.
    ///
    /// - Throws: `IdentityError` when the removal failed and the buyer may still be on the cart. The logout reports this error.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        guard policy.logout != .drop, let binding = try StoredCart(attachments[self.attachments.name]).binding
        else { return }
        // A guest's cart needs no request if no buyer can be on it.
        guard binding.mayHoldBuyer || !session.isGuest else { return }
        try await identityErrors {
            // For a guest's session, no lock is taken: a merge ends that session while it holds the session's lock, so a wait here would be
            // a deadlock. For a buyer's session, the removal waits for the operations of this process on that session.
            guard !session.isGuest else { return try await self.detachUnlessGone(from: binding) }
            try await self.locks.with(.session(session.id)) { _ in try await self.detachUnlessGone(from: binding) }
        }
    }
}

public import IdentityKit
internal import ShopifyGraphQL

/// What became of session and cart in a logout.
public struct CartLogout: Sendable {
    /// The logout.
    public let logout: LogoutResult
    /// The guest's session that has the cart now; nil where there is none to keep, or it could not be kept.
    public let guest: SessionID?
    /// Why the cart could not be kept for the guest, or not all of its lines.
    public let problem: IdentityError?
}

extension CartAdapter {
    /// Signs the buyer out and leaves what is in the cart to whoever sits there, as a guest's.
    ///
    /// With ``CartPolicy/Logout/clone`` a new cart gets lines, attributes, note and discount codes, nothing about the buyer and no
    /// gift card; the old one is detached and forgotten. With ``CartPolicy/Logout/detach`` the same cart goes on once the answer
    /// shows that the buyer is off it; a copy does where a call that puts the buyer on it may still arrive. With ``CartPolicy/Logout/drop`` nobody gets a cart. Where keeping fails the logout goes on.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - mode: What to do; the policy's unless given.
    ///   - options: What to ask of the provider.
    ///   - context: The visitor's IP, country and language.
    /// - Throws: `IdentityError` where `SessionManager.logout` does.
    public func logout(
        _ id: SessionID,
        mode: CartPolicy.Logout? = nil,
        options: LogoutOptions = LogoutOptions(),
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> CartLogout {
        try await identityErrors {
            var guest: SessionID?
            var problem: IdentityError?
            do {
                // Nothing of an overdue session goes on; the manager's logout removes it all the same.
                _ = try await self.sessions.session(id)
                switch mode ?? self.policy.logout {
                case .clone:
                    (guest, problem) = try await self.copy(id, context)
                    // With this policy the session's end asks nothing of Shopify; who asked for a copy wants the old cart free.
                    if self.policy.logout == .drop { _ = try await self.detachIfAny(id, context) }
                case .detach: (guest, problem) = try await self.handOver(id, context)
                case .drop: try await self.forget(for: id, under: CartLocks())
                }
            } catch {
                // A visitor who has left in the middle is logged out all the same.
                problem = error is CartVanished ? .cartIsGone : .wrapping(error)
            }
            let result = try await self.sessions.logout(id, options: options)
            return CartLogout(logout: result, guest: guest, problem: problem)
        }
    }

    /// One buyer leaves and another comes on the same browser: the first is signed out, and the second gets what is in the cart.
    ///
    /// No row ever names both, and the second buyer gets a cart with nothing of the first.
    ///
    /// - Parameters:
    ///   - old: The session that ends.
    ///   - new: The session of the buyer who has just signed in.
    ///   - mode: How the cart leaves the first buyer; the policy's unless given.
    ///   - context: The buyer's IP, country and language.
    /// - Throws: `IdentityError`; the first session has ended then, unless the store failed.
    public func switchBuyer(
        from old: SessionID,
        to new: SessionID,
        mode: CartPolicy.Logout? = nil,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> (cart: SessionCart?, logout: CartLogout) {
        let logout = try await logout(old, mode: mode, in: context)
        guard let guest = logout.guest else { return (nil, logout) }
        return (try await signedIn(new, from: guest, merge: .keepGuest, in: context).cart, logout)
    }

    /// A new cart with what is not personal in the session's, for a new guest.
    ///
    /// - Returns: The guest, and why not all lines are in its cart.
    private func copy(
        _ id: SessionID,
        _ context: StorefrontContext
    ) async throws -> (guest: SessionID?, problem: IdentityError?) {
        let row = try await row(of: id)
        guard var binding = row.binding else { return (nil, nil) }
        let cart = try await current(&binding, in: context).cart
        let lines = try await allLines(of: cart, in: context).filter { !$0.merchandiseID.isEmpty }
        guard !lines.isEmpty || cart.note?.isEmpty == false || !cart.attributes.isEmpty else {
            return (nil, nil)
        }
        let guest = try await sessions.beginGuest().id
        do {
            let begun = try await changing(guest, .creating) { _, operation in
                try await self.beginAll(lines.map(CartLineInput.init), operation, context)
            }
            try await takeOver(cart, to: guest, in: context)
            guard case .failure(let problem) = begun else { return (guest, nil) }
            return (guest, problem)
        } catch {
            try await sessions.endGuest(guest)
            throw error
        }
    }

    /// Note, attributes and discount codes of a cart for a guest's.
    private func takeOver(_ cart: Cart, to guest: SessionID, in context: StorefrontContext) async throws {
        if let note = cart.note, !note.isEmpty { _ = try await setNote(note, for: guest, in: context) }
        if !cart.attributes.isEmpty { _ = try await setAttributes(cart.attributes, for: guest, in: context) }
        let codes = cart.discountCodes.map(\.code)
        if !codes.isEmpty { _ = try await changeDiscountCodes(adding: codes, for: guest, in: context) }
    }

    private func detachIfAny(
        _ id: SessionID,
        _ context: StorefrontContext,
        under locks: CartLocks = CartLocks()
    ) async throws {
        try await changing(id, under: locks) { binding, _ -> CartChange<Void> in
            guard var binding else { return CartChange((), nil) }
            _ = try await self.withdraw(&binding, in: context)
            return CartChange((), binding)
        }
    }

    /// The session's cart for a new guest, when the buyer is off it; a copy where the buyer may be put on it again.
    private func handOver(
        _ id: SessionID,
        _ context: StorefrontContext
    ) async throws -> (guest: SessionID?, problem: IdentityError?) {
        // Another session of the buyer would put the buyer back on a cart that it shares.
        let own = try await row(of: id).binding?.cartID
        if try await others(id).contains(where: { $0.cart.cartID == own }) { return try await copy(id, context) }
        let handed: SessionID?? = try await holding(id, under: CartLocks()) { locks in
            try await self.detachIfAny(id, context, under: locks)
            let row = try await self.row(of: id)
            guard var free = row.binding else { return .some(nil) }
            // What another process, or a call without an answer, has sent may arrive after the cart has changed hands.
            guard free.identity == .guest, free.unanswered == nil else { return nil }
            let guest = try await self.sessions.beginGuest().id
            // The session lets go first. From now on no process can announce that it puts the buyer on the cart.
            guard try await self.save(nil, for: id, over: row.revision) else {
                try await self.sessions.endGuest(guest)
                return nil
            }
            free.buyerIP = context.buyerIP
            guard try await self.save(free.payload, for: guest, over: nil) else { return .some(nil) }
            return guest
        }
        if let handed { return (handed, nil) }
        return try await copy(id, context)
    }
}

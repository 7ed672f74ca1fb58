internal import FoundationEssentials
public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter: SignInCarts {
    /// Merges a guest's cart into a session that has just begun, and puts the buyer's identity on the cart.
    ///
    /// Call this method once after a login, with the guest's session from the app's cookie (`SessionManager.beginGuest`). If the method
    /// throws, do not let the login fail; call the method again later. A repeated call adds no line twice. After a partial merge, a
    /// repeated call adds only the missing lines.
    ///
    /// With a nil `merge`, ``CartPolicy/merge`` decides. Without an IP in `context`, the adapter uses the IP of the last operation on the
    /// guest's cart or, if nothing is merged, on the session's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when the session `id` does not exist or has expired. If the
    ///   session `guest` does not exist, has expired or is not a guest's, or if the session `id` is a guest's, nothing is merged, and this
    ///   is no error. If the store cannot read `guest`, the store's error is thrown and the guest's cart is kept: repeat the call.
    public func mergeGuestCart(
        of guest: SessionID,
        into id: SessionID,
        merge: CartPolicy.Merge? = nil,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> CartMergeResult {
        try await mergeGuestCart(of: guest, into: id, merge, keepsOwnCart: false, in: context)
    }

    private func mergeGuestCart(
        of guest: SessionID,
        into id: SessionID,
        _ merge: CartPolicy.Merge?,
        keepsOwnCart: Bool,
        in context: StorefrontContext
    ) async throws -> CartMergeResult {
        try await identityErrors {
            guard guest != id, try await self.isGuest(guest), try await !self.sessions.session(id).isGuest else {
                return CartMergeResult(outcome: .nothingToMerge, cart: try await self.attachIfAny(to: id, in: context))
            }
            return try await self.locks.with(.session(guest), .session(id)) { locks in
                try await self.merge(id, guest, merge ?? self.policy.merge, keepsOwnCart, context, locks)
            }
        }
    }

    /// Merges a guest's cart into a session that has just begun, like ``mergeGuestCart(of:into:merge:in:)`` with ``CartPolicy/merge``.
    ///
    /// There is one difference: with the policy `keepGuest`, this method does not replace a cart that the session already has, but adds the
    /// guest's lines to it. The session can have a cart after a sign-in that moved a cart to it, or after a failed merge and a call of
    /// `add`.
    ///
    /// - Returns: False if the merge must be repeated later. A partial merge returns true.
    /// - Throws: `IdentityError` in the same cases as ``mergeGuestCart(of:into:merge:in:)``.
    public func mergeCart(ofGuest guest: SessionID, into session: SessionID) async throws -> Bool {
        let result = try await mergeGuestCart(
            of: guest,
            into: session,
            nil,
            keepsOwnCart: true,
            in: StorefrontContext()
        )
        // A partial merge counts as complete, because Shopify would probably reject the remaining lines again at each call.
        return result.guest == nil || result.outcome == .partial
    }

    private func isGuest(_ id: SessionID) async throws -> Bool {
        do {
            return try await sessions.session(id).isGuest
        } catch {
            // Only `sessionUnknown` shows that the guest's session does not exist. After another error the guest may have a cart, so the
            // error is thrown.
            guard IdentityError.code(of: error) == .sessionUnknown else { throw error }
            return false
        }
    }

    /// Merges the guest's cart into the buyer's session; the caller holds the locks of both sessions.
    private func merge(
        _ id: SessionID,
        _ guest: SessionID,
        _ merge: CartPolicy.Merge,
        _ keepsOwnCart: Bool,
        _ context: StorefrontContext,
        _ locks: InProcessCartLocks
    ) async throws -> CartMergeResult {
        var reservation = try await self.reserve(guest, for: id, under: locks)
        if reservation == .noCart {
            // With the policy `recreate`, the guest's attachment may have the lines of a cart that Shopify no longer has. This empty
            // operation creates the cart again.
            try await self.withLockedCart(guest, under: locks) { _ in CartChange((), saving: nil) }
            reservation = try await self.reserve(guest, for: id, under: locks)
        }
        var result = CartMergeResult(outcome: .nothingToMerge, guest: reservation == .inUse ? guest : nil)
        do {
            if reservation == .made {
                result = try await self.withLockedCart(guest, under: locks) { locked in
                    guard var source = locked.binding, source.isReserved(for: id) else {
                        let left = locked.binding == nil ? nil : guest
                        return CartChange(CartMergeResult(outcome: .nothingToMerge, guest: left), saving: nil)
                    }
                    source.reservation = nil
                    let context = source.lastContext.overridden(by: context)
                    let merged = try await self.mergeCart(&source, of: locked, to: id, merge, keepsOwnCart, context)
                    return CartChange(merged, saving: merged.outcome == .partial ? source : nil)
                }
            }
        } catch let error as IdentityError where error.code == .sessionUnknown {
            // The guest's or the buyer's session has ended. If another process has completed this merge, it has ended the guest's session,
            // and this is no error. If the buyer's session has ended, `attachIfAny` throws.
        }
        switch result.outcome {
        case .partial:
            result.guest = guest
            report(.partlyMerged, id)
        case .nothingToMerge: result.cart = try await self.attachIfAny(to: id, under: locks, in: context)
        case .adopted, .merged, .discarded:
            if result.outcome == .merged { self.report(.merged, id) }
            // The cart is removed from the guest's session before the session ends. Otherwise `sessionEnded` could remove the buyer from
            // the cart.
            try await self.forget(for: guest, under: locks)
            try await self.sessions.endGuest(guest)
        }
        return result
    }

    private enum Reservation {
        /// `made`: the guest's cart is reserved for this session. `inUse`: another session has reserved the guest's cart, or another
        /// process is creating it.
        case made, noCart, inUse
    }

    /// Reserves a guest's cart for a session; of several sessions that try this at once, also in several processes, at most one succeeds.
    ///
    /// A reservation of another session ends when ``lateCallLimit`` has passed since the reservation (``stillCounts(since:)``), and since
    /// the last request with data of that session's buyer. If that session already has the cart, belongs to another buyer and waits for no
    /// response, the guest's session loses the cart at once, and the result is `noCart`.
    private func reserve(
        _ guest: SessionID,
        for id: SessionID,
        under locks: InProcessCartLocks
    ) async throws -> Reservation {
        try await withLockedCart(guest, .attachmentOnly, under: locks) { locked in
            guard var binding = locked.binding else {
                let isCreated = locked.pending.map { $0.lines.isEmpty && $0.since.map(self.stillCounts) == true }
                return CartChange(isCreated == true ? .inUse : .noCart, saving: nil)
            }
            if let (session, since) = binding.reservation, session != id {
                let stored = try await self.attachments.read(session)
                let own = stored.binding.flatMap { $0.cartID == binding.cartID ? $0 : nil }
                let isSameBuyer = try await self.others(id).contains { $0.session == session }
                if let own, own.unanswered == nil, !isSameBuyer {
                    // The other session already has the cart. Either its merge was interrupted before it removed the cart from the guest's
                    // session, or another process is about to remove the cart there.
                    guard try await locked.write(nil) else { throw CartConflict() }
                    return CartChange(.noCart, saving: nil)
                }
                let times = [binding.unanswered?.since, own?.unanswered?.since].compactMap(\.self)
                if self.stillCounts(since: since) || times.contains(where: self.lateCallMayArrive) {
                    return CartChange(.inUse, saving: nil)
                }
                // The other session's merge was interrupted. Another buyer may have added gift cards to the cart, so the gift cards are
                // removed.
                if binding.unanswered?.isIdentity == true, !isSameBuyer {
                    let context = binding.lastContext
                    var cart = try await self.current(&binding, in: context)
                    try await self.removeGiftCards(&cart, &binding, in: context)
                }
                // If the other session already has the cart, the cart is removed from that session. Otherwise that session could put its
                // buyer on the cart again.
                let locked = LockedCart(session, stored, self.attachments, under: locked.locks)
                if own != nil, try await !locked.write(nil) { throw CartConflict() }
            }
            binding.reservation = (id, self.client.environment.clock.now)
            return CartChange(.made, saving: binding)
        }
    }

    private func attachIfAny(
        to id: SessionID,
        under locks: InProcessCartLocks? = nil,
        in context: StorefrontContext
    ) async throws -> SessionCart? {
        _ = try await sessions.session(id)
        guard let binding = try await attachments.read(id).binding else { return nil }
        return try await attach(to: id, under: locks, in: binding.lastContext.overridden(by: context))
    }

    private func mergeCart(
        _ source: inout CartBinding,
        of locked: LockedCart,
        to id: SessionID,
        _ merge: CartPolicy.Merge,
        _ keepsOwnCart: Bool,
        _ context: StorefrontContext
    ) async throws -> CartMergeResult {
        let locks = locked.locks
        // If Shopify no longer has the guest's cart, `current` throws `CartGone`. With the policy `recreate`, `CartOperation.run` then
        // creates the cart again, without a reservation. This call merges nothing then; the app's next call of `mergeGuestCart` merges the
        // new cart.
        var found = source
        let guestCart = try await current(&found, in: context).cart
        // Both sessions have the same cart if an earlier merge was interrupted before it removed the cart from the guest's session.
        let own = try await attachments.read(id).binding
        let isSameCart = own?.cartID == source.cartID
        // An interrupted merge into another session may have put that session's buyer on the guest's cart, so the buyer is removed first.
        if source.mayHoldBuyer, !isSameCart { _ = try await detach(&source, in: context) }
        let replaces = merge == .keepGuest && !keepsOwnCart
        var adopts = isSameCart || replaces
        if !adopts { adopts = merge == .keepGuest ? own == nil : try await !hasOrTakesOverCart(id, under: locks) }
        if adopts {
            if !isSameCart {
                source.replacedGiftCards = []
                if replaces, var own {
                    do {
                        source.replacedGiftCards = try await current(&own, in: context).cart.giftCardEndings
                    } catch is CartGone {}
                }
            }
            let cart = try await adopt(source, of: locked, for: id, replaces: replaces, context, locks)
            if let cart {
                let lost = cart.cart.lostGiftCards(of: source.replacedGiftCards)
                return CartMergeResult(outcome: .adopted, cart: cart, lostGiftCards: lost)
            }
        }
        if merge == .preferCustomer {
            let cart = try await attach(to: id, under: locks, in: context)
            let lost = cart.cart.lostGiftCards(of: guestCart.giftCardEndings)
            return CartMergeResult(outcome: .discarded, cart: cart, lostGiftCards: lost)
        }
        return try await mergeLines(&source, of: locked, into: id, context)
    }

    /// Makes `source`, the cart of another session, the cart of session `id`, and puts the identity of the buyer of `id` on the cart.
    ///
    /// `guest` is the guest's cart that is merged; it is nil when ``moveCart(of:to:)`` calls this method. The result is nil if the session
    /// has another cart and `replaces` is false. After ``CartGone`` or ``CartConflict``, the session keeps its old cart.
    func adopt(
        _ source: CartBinding,
        of guest: LockedCart? = nil,
        for id: SessionID,
        replaces: Bool,
        _ context: StorefrontContext,
        _ locks: InProcessCartLocks
    ) async throws -> SessionCart? {
        try await withLockedCart(id, under: locks) { locked -> CartChange<Result<SessionCart?, any Error>> in
            _ = try await self.sessions.session(id)
            var old = locked.binding
            if !replaces, let old, old.cartID != source.cartID { return CartChange(.success(nil), saving: nil) }
            if old?.cartID == source.cartID { old = nil } else { try await self.detachReplaced(old, in: context) }
            let claim = try await self.claim(for: id)
            // Records in the guest's attachment that this buyer may be on the cart, in case the merge is interrupted. The write fails if
            // another process has changed the attachment, for example to reserve the cart for another session.
            if let guest, var reserved = guest.binding {
                reserved.replacedGiftCards = source.replacedGiftCards
                do { try await guest.recordIntent(&reserved, sendsIdentity: true) } catch let conflict as CartConflict {
                    return CartChange(.failure(conflict), saving: nil)
                }
            }
            do {
                var binding = source
                binding.replacedGiftCards = []
                binding.buyerIP = context.buyerIP ?? source.buyerIP
                binding.guest = guest?.session ?? source.guest
                var result: CartIdentityResult
                if case .none = claim.claim {
                    result = try await self.current(&binding, in: context)
                    result.problem = claim.problem
                    binding.problem = claim.problem?.code
                } else {
                    let identity = self.buyerIdentity(claim.claim, in: source.keepingCountry(in: context))
                    result = try await self.attach(identity, to: &binding, of: locked, in: context)
                }
                return CartChange(.success(result.sessionCart(binding)), saving: binding)
            } catch let gone as CartGone where locked.binding?.cartID != source.cartID {
                // Shopify no longer has the cart, but `attach` may have stored it with this session. So the session gets its old cart back.
                old?.reset()
                guard try await locked.write(old?.payload) else { throw CartConflict() }
                return CartChange(.failure(gone), saving: nil)
            }
        }
        .get()
    }
}

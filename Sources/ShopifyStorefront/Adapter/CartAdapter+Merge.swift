internal import FoundationEssentials
public import IdentityKit
internal import ShopifyGraphQL

/// What became of a guest's cart at a login.
public struct CartMerge: Sendable {
    /// How it ended.
    public enum Outcome: Sendable, Equatable {
        /// The guest had no cart; the buyer's, if any, is as it was.
        case nothingToMerge
        /// The guest's cart is the buyer's now.
        case adopted
        /// The guest's lines are in the buyer's cart, and the guest's cart is gone.
        case merged
        /// The buyer's cart counts, and the guest's is gone.
        case discarded
        /// Not all lines are in the buyer's cart: both carts are kept, and the guest's session with its.
        case partial
    }

    /// How it ended.
    public var outcome: Outcome
    /// The buyer's cart; nil where there is none.
    public var cart: SessionCart?
    /// Lines that Shopify did not take into the buyer's cart, with what it said.
    public var refusedLines: [(line: CartLineInput, errors: [CartUserError])] = []
    /// Lines of which the buyer's cart has fewer than both carts had together, for want of stock.
    public var shortLines: [CartLineInput] = []
    /// What both carts had and only one can have, and where the buyer's counts: `note`, or `attribute.` and its key.
    public var conflicts: [String] = []
    /// The last characters of gift cards on the guest's cart: their codes are not known, so they have to be entered again.
    public var lostGiftCards: [String] = []
    /// The guest's session, where it still has a cart.
    public var guest: SessionID?
}

extension CartAdapter {
    /// Brings a guest's cart along into a session that has just begun, and puts the buyer's identity on the cart.
    ///
    /// Call it once after a login, with the guest's session from the app's cookie (`SessionManager.beginGuest`). A login must not
    /// fail because of a cart: whatever is thrown here can be tried again, and adds nothing twice.
    ///
    /// - Parameters:
    ///   - id: The buyer's session.
    ///   - guest: The guest's session.
    ///   - merge: Which cart counts; the policy's unless given.
    ///   - context: The buyer's IP, country and language.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when `id` is no session. A guest's session that is
    ///   none, or is not a guest's, brings nothing.
    public func signedIn(
        _ id: SessionID,
        from guest: SessionID,
        merge: CartPolicy.Merge? = nil,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> CartMerge {
        try await identityErrors {
            guard guest != id, let session = try? await self.sessions.session(guest), session.isGuest,
                try await !self.sessions.session(id).isGuest
            else {
                return CartMerge(outcome: .nothingToMerge, cart: try await self.attachIfAny(to: id, in: context))
            }
            return try await self.holding(guest, under: CartLocks()) { locks in
                try await self.holding(id, under: locks) { try await self.join(id, guest, merge, context, $0) }
            }
        }
    }

    /// The merge itself, while nobody else here works on either session.
    private func join(
        _ id: SessionID,
        _ guest: SessionID,
        _ merge: CartPolicy.Merge?,
        _ context: StorefrontContext,
        _ locks: CartLocks
    ) async throws -> CartMerge {
        guard try await self.take(guest, for: id) else {
            return CartMerge(
                outcome: .nothingToMerge,
                cart: try await self.attachIfAny(to: id, under: locks, in: context)
            )
        }
        var result = try await self.changing(guest, under: locks) { source, operation -> CartChange<CartMerge> in
            guard var source, source.taker?.session.utf8.elementsEqual(id.rawValue.utf8) == true else {
                return CartChange(CartMerge(outcome: .nothingToMerge), nil)
            }
            source.taker = nil
            let merged = try await self.bring(source, to: id, merge ?? self.policy.merge, context, operation.locks)
            return CartChange(merged, merged.outcome == .partial ? source : nil)
        }
        switch result.outcome {
        case .partial: result.guest = guest
        case .nothingToMerge: result.cart = try await self.attachIfAny(to: id, under: locks, in: context)
        case .adopted, .merged, .discarded:
            if result.outcome == .merged { self.tell(.merged, id) }
            // The cart is another session's now, or nobody's: the guest's end must not ask anything of it.
            try await self.forget(for: guest, under: locks)
            if result.outcome == .merged { await self.endMerge(of: id, under: locks) }
            try await self.sessions.endGuest(guest)
        }
        return result
    }

    /// Forgets what the session's cart held before a merge: only now, for until the guest's cart was forgotten it could be repeated.
    private func endMerge(of id: SessionID, under locks: CartLocks) async {
        // What stays is of no harm: it counts for that guest's cart alone.
        _ = try? await changing(id, under: locks) { binding, _ -> CartChange<Void> in
            var binding = binding
            binding?.mergeBase = nil
            binding?.mergeSource = nil
            return CartChange((), binding)
        }
    }

    /// Reserves a guest's cart for a session: of several that come at once, in whichever process, one gets it.
    ///
    /// - Returns: Whether it is this session's to take; one that was reserved for a session that is gone, or for so long that its
    ///   process must have died, is.
    private func take(_ guest: SessionID, for id: SessionID) async throws -> Bool {
        for _ in 0..<4 {
            let row = try await row(of: guest)
            guard var binding = row.binding else { return false }
            if let taker = binding.taker, !taker.session.utf8.elementsEqual(id.rawValue.utf8), isFresh(taker.since) {
                return false
            }
            binding.taker = (id.rawValue, client.environment.clock.now)
            if try await save(binding.payload, for: guest, over: row.revision) { return true }
        }
        throw IdentityError(
            .retryLater,
            .cartBusy,
            "Another process kept changing the guest's cart.",
            hint: "Try again."
        )
    }

    /// The carts that are bound to other living sessions of the session's buyer, newest session first, as far as the store lists them.
    ///
    /// Shopify has no list of a customer's carts; these are the ones that this app knows.
    ///
    /// - Throws: `IdentityError` of the store.
    public func otherCarts(ofBuyerOf id: SessionID) async throws -> [BoundCart] {
        try await identityErrors { try await self.others(id).map(\.cart) }
    }

    func others(_ id: SessionID) async throws -> [(cart: BoundCart, binding: CartBinding)] {
        let own = try await sessions.session(id)
        guard !own.isGuest else { return [] }
        let filter = SessionFilter(tenant: own.tenant, buyer: (own.buyer.issuer, own.buyer.subject))
        var found: [(BoundCart, CartBinding)] = []
        for session in try await sessions.sessions(matching: filter).reversed() where session.id != id {
            // Two providers may have named a buyer alike.
            guard session.provider.utf8.elementsEqual(own.provider.utf8),
                let binding = try await row(of: session.id).binding, !binding.isForeign
            else { continue }
            found.append((BoundCart(session: session.id, cartID: binding.cartID, identity: binding.state), binding))
        }
        return found
    }

    private func attachIfAny(
        to id: SessionID,
        under locks: CartLocks = CartLocks(),
        in context: StorefrontContext
    ) async throws -> SessionCart? {
        _ = try await sessions.session(id)
        guard try await row(of: id).binding != nil else { return nil }
        return try await attach(to: id, under: locks, in: context)
    }

    private func bring(
        _ source: CartBinding,
        to id: SessionID,
        _ merge: CartPolicy.Merge,
        _ context: StorefrontContext,
        _ locks: CartLocks
    ) async throws -> CartMerge {
        // A guest's cart that is gone ends here, where it is the guest's row that is given up.
        var found = source
        _ = try await current(&found, in: context)
        // The same cart on both sides is a merge that was cut short behind its end.
        let isOurs = try await row(of: id).binding?.cartID == source.cartID
        guard merge != .keepGuest, !isOurs, try await hasCart(id, under: locks) else {
            return try await changing(id, under: locks) { old, operation in
                _ = try await self.sessions.session(id)
                if let old, old.cartID != source.cartID { try await self.release(old, in: context) }
                var binding = source
                binding.buyerIP = context.buyerIP ?? source.buyerIP
                let claim = try await self.claim(for: id)
                var attachment: Attachment
                if case .none = claim.claim {
                    attachment = try await self.current(&binding, in: context)
                    attachment.problem = claim.problem
                    binding.problem = claim.problem?.code
                } else {
                    let proposal = BuyerProposal(claim.claim, in: context)
                    attachment = try await self.attach(proposal, to: &binding, of: operation, in: context)
                }
                return CartChange(
                    CartMerge(outcome: .adopted, cart: attachment.sessionCart(binding)),
                    binding
                )
            }
        }
        if merge == .preferCustomer {
            return CartMerge(outcome: .discarded, cart: try await attach(to: id, under: locks, in: context))
        }
        return try await pour(source, into: id, context, locks)
    }

    /// Whether the session has a cart, its own or that of another session of its buyer, which then is its too.
    private func hasCart(_ id: SessionID, under locks: CartLocks) async throws -> Bool {
        try await changing(id, under: locks) { own, _ in
            if own != nil { return CartChange(true, own) }
            for other in try await self.others(id) {
                var binding = other.binding
                binding.problem = nil
                do {
                    _ = try await self.current(&binding, in: binding.lastContext)
                } catch is CartVanished {
                    continue
                }
                return CartChange(true, binding)
            }
            return CartChange(false, nil)
        }
    }
}

/// A cart that is bound to a session.
public struct BoundCart: Sendable {
    /// The session.
    public let session: SessionID
    /// The cart.
    public let cartID: CartID
    /// Whose cart it is, as it was last brought about.
    public let identity: CartIdentityState
}

public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Creates a cart with these lines and the buyer's identity, and makes this cart the session's cart.
    ///
    /// If Shopify rejects parts of the identity, the new cart has only the other parts. If Shopify rejects the whole identity, or the
    /// identity is unavailable, the new cart is a guest's cart. If the session already has a cart, the adapter removes the buyer from that
    /// cart after it has created the new cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when Shopify rejects the lines. The code
    ///   `IdentityError.Code.linesPartlyAdded` means that the call had more than 250 lines and a later request failed; the session then has
    ///   the new cart. If the buyer could not be removed from the old cart, the error of this removal is thrown, for example with code
    ///   `IdentityError.Code.detachIncomplete`, and the session keeps the old cart.
    public func create(
        _ lines: [CartLineInput] = [],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withLockedCart(id, .replacing) { locked in
            // The new cart is created first, so that the session keeps its old cart if the creation fails.
            let change = try await self.createCart(withAll: lines, locked, context)
            do { try await self.detachReplaced(locked.binding, in: context) } catch {
                // The session keeps its old cart. No session stores the new cart, so no logout would remove the buyer from it.
                if let new = change.binding { try? await self.detachUnsaved(new) }
                throw error
            }
            return change
        }
    }

    /// Reads the session's cart from Shopify; nil if the session has no cart.
    ///
    /// If Shopify no longer has the cart, ``CartPolicy/onEvent`` reports it, and the result is nil. With ``CartPolicy/Gone/recreate``, the
    /// result is a new cart with the last known lines of the old cart; it is nil if no lines are known or Shopify rejects all of them.
    ///
    /// - Throws: `IdentityError`.
    public func read(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart? {
        try await withLockedCart(id) { locked -> CartChange<SessionCart?> in
            guard var binding = locked.binding else { return CartChange(nil, saving: nil) }
            let old = binding.cartID
            let cart = try await self.current(&binding, in: context).sessionCart(binding)
            if binding.cartID != old { self.report(.moved, id) }
            return CartChange(cart, saving: binding)
        }
    }

    /// Gives the session a cart that this server did not create.
    ///
    /// If `isTrusted` is false, the adapter puts no identity on the cart. This protects the buyer: an attacker could put the id of the
    /// attacker's cart into the buyer's browser. The attacker could then read from this cart what the buyer buys and who the buyer is. Pass
    /// `isTrusted: true` only if the buyer's browser cannot change the id, for example because the id was in a signed cookie. A trusted
    /// cart starts as a guest's cart. The next ``attach(to:in:)`` or ``checkout(for:in:options:)`` puts the buyer's identity on the cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartGone` when Shopify has no cart with this id.
    public func adopt(
        _ cartID: CartID,
        for id: SessionID,
        isTrusted: Bool = false,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withLockedCart(id) { locked in
            let old = locked.binding
            var binding = CartBinding(cartID: cartID)
            binding.isUntrusted = true
            if let old, old.cartID == cartID { binding = old }
            if isTrusted, binding.isUntrusted { (binding.isUntrusted, binding.problem) = (false, nil) }
            let result: CartIdentityResult
            do { result = try await self.current(&binding, in: context) } catch let gone as CartGone {
                // If `CartGone` were thrown, `CartOperation` would remove the session's old cart.
                throw IdentityError.cartIsGone(gone.metadata)
            }
            if old?.cartID != cartID { try await self.detachReplaced(old, in: context) }
            return CartChange(result.sessionCart(binding), saving: binding)
        }
    }

    /// Removes the cart from the session without a call to Shopify, for example after the buyer has placed the order.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when the session does not exist or has expired.
    public func forget(for id: SessionID) async throws {
        try await forget(for: id, under: nil)
    }

    func forget(_ cartID: CartID? = nil, for id: SessionID, under locks: InProcessCartLocks?) async throws {
        try await withLockedCart(id, .attachmentOnly, under: locks) { locked in
            if let cartID, locked.binding?.cartID != cartID { return CartChange((), saving: nil) }
            // An attachment that has only the start time of a cart's creation is kept. Otherwise the process that is creating the cart
            // would detect a conflict and create another cart.
            let hasCart = locked.binding != nil || locked.pending?.lines.isEmpty == false
            if hasCart, try await !locked.write(nil) { throw CartConflict() }
            return CartChange((), saving: nil)
        }
    }

    /// Returns the stored state of the identity on the session's cart, without a call to Shopify; nil if the session has no cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when the session does not exist or has expired.
    public func identityState(for id: SessionID) async throws -> CartIdentityState? {
        try await identityErrors {
            _ = try await self.sessions.session(id)
            return try await self.attachments.read(id).binding?.state
        }
    }

    static var noCart: IdentityError {
        IdentityError(
            .rejected,
            .cartMissing,
            "The session has no cart.",
            hint:
                "After an attach, detach or remove call, do nothing. Otherwise create a cart with add(_:for:in:)."
        )
    }

    /// Reads the session's cart from Shopify, and updates the stored cart (`binding`); throws ``CartGone`` if Shopify no longer has it.
    ///
    /// With `needsContents`, this method throws if a GraphQL error hides the note, the lines or another part of the cart, but not if an
    /// error hides the buyer. Pass true to compare or copy the contents, because hidden contents look like missing contents.
    func current(
        _ binding: inout CartBinding,
        readsCheckoutURL: Bool = false,
        needsContents: Bool = false,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let query = CartQuery(cartID: binding.cartID, readsCheckoutURL: readsCheckoutURL).selecting(selection)
        let result = try await client.execute(query, in: context)
        guard let response = result.data else { throw CartGone(result.metadata) }
        let showsContents = selection.showsContents(despite: result.errors)
        guard !needsContents || showsContents else {
            throw client.failure(of: result, CartQuery.document)
        }
        record(response.cart, showsContents: showsContents, in: &binding, context)
        return CartIdentityResult(
            cart: response.cart,
            checkoutURL: response.checkoutURL,
            customer: selection.customerVisibility(despite: result.errors),
            metadata: result.metadata
        )
    }

    /// Updates the session's stored cart (`binding`) and ``lineCache`` after a response with a cart.
    func record(
        _ cart: Cart,
        showsContents: Bool,
        in binding: inout CartBinding,
        _ context: StorefrontContext
    ) {
        if cart.id != binding.cartID {
            binding.cartID = cart.id
            // The stored fingerprint is an HMAC keyed by the old cart id, so it cannot be compared any more.
            binding.fingerprint = nil
            // The problem that is stored here makes the next refresh or checkout put the buyer on the cart again.
            if binding.mayHoldBuyer, cart.buyerIdentity.customerID == nil, !cart.hasContact {
                binding.problem = .identityMissing
            }
        }
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
        lineCache.record(cart, showsLines: showsContents && !cart.hasMoreLines, at: client.environment.clock.now)
        guard policy.gone == .recreate, showsContents else { return }
        binding.lines = cart.lines.map(CartLineInput.init)
    }
}

public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Creates a cart with the session's identity in the same call, and makes it the session's cart.
    ///
    /// Where Shopify refuses the identity, the cart is created with what it accepts of it, at last as a guest's. A cart that
    /// the session had before is detached first.
    ///
    /// - Parameters:
    ///   - lines: The lines to begin with; none for an empty cart.
    ///   - id: The session.
    ///   - context: The buyer's IP, country and language.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when the lines are refused, and with code
    ///   `IdentityError.Code.linesPartlyAdded` when the cart is there with some of more than 250 lines.
    public func create(
        _ lines: [CartLineInput] = [],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id, .replacing) { old, operation in
            try await self.release(old, in: context)
            return try await self.beginAll(lines, operation, context)
        }
        .get()
    }

    /// Adds lines to the session's cart; creates it where there is none, or none any more.
    ///
    /// They are never added twice: where the answer is lost, or names neither cart nor error, the cart is read, and the lines count as
    /// added when it has them on top of what it had. More than 250 lines go in parts. Where the lines went in and the identity could not be
    /// put on the cart again, that is no error: ``SessionCart/problem`` tells why.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.outcomeUnknown` when reading does not tell whether the lines
    ///   were added: read the cart before adding them again. With code `IdentityError.Code.linesPartlyAdded` and a
    ///   ``CartPartialAddition`` as its cause when an earlier part was added and a later one was not.
    public func add(
        _ lines: [CartLineInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id, .creating) { binding, operation -> CartChange<Result<SessionCart, IdentityError>> in
            guard var binding else { return try await self.beginAll(lines, operation, context) }
            do {
                let attachment = try await self.add(lines, to: &binding, of: operation, in: context)
                return CartChange(.success(attachment.sessionCart(binding)), binding, onConflict: .keep)
            } catch let error as IdentityError where error.code == .linesPartlyAdded {
                return CartChange(.failure(error), binding, onConflict: .keep)
            }
        }
        .get()
    }

    /// The session's cart as it is now; nil when it has none.
    ///
    /// Nil too when Shopify no longer has it; the policy's ``CartPolicy/onEvent`` tells of that.
    ///
    /// - Throws: `IdentityError`.
    public func read(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart? {
        try await changing(id) { binding, _ -> CartChange<SessionCart?> in
            guard var binding else { return CartChange(nil, nil) }
            let cart = try await self.current(&binding, in: context).sessionCart(binding)
            return CartChange(cart, binding)
        }
    }

    /// Puts the session's identity on its cart, for example after a login that gave a guest's cart an owner.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartMissing` when there is no cart. A refused identity is
    ///   not thrown but told by ``SessionCart/identity`` and ``SessionCart/problem``.
    public func attach(
        to id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await attach(to: id, under: CartLocks(), in: context)
    }

    func attach(to id: SessionID, under locks: CartLocks, in context: StorefrontContext) async throws -> SessionCart {
        try await changing(id, under: locks) { binding, operation in
            guard var binding else { throw Self.noCart }
            let claim = try await self.sessions.cartClaim(for: id).claim
            let attachment: Attachment
            if case .none = claim {
                attachment = try await self.withdraw(&binding, in: context)
            } else {
                let proposal = BuyerProposal(claim, in: context)
                attachment = try await self.attach(proposal, to: &binding, of: operation, in: context)
            }
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// Takes the buyer off the session's cart, and looks whether the customer is gone.
    ///
    /// Token, e-mail, phone and company are sent as explicit nulls, and all delivery addresses are removed. The cart stays the session's,
    /// as a guest's.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.detachIncomplete` when the cart still is the buyer's.
    public func detach(
        from id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id) { binding, _ in
            guard var binding else { throw Self.noCart }
            let attachment = try await self.withdraw(&binding, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// Makes a cart the session's that this server did not create.
    ///
    /// Who plants a cart's id with a victim sees what the victim puts into it and, once an identity is attached, whose it is. So a
    /// cart that comes in this way never gets an identity, unless you vouch for its id: that it was kept where the buyer's
    /// browser cannot change it, such as in a signed cookie. It comes in as a guest's; ``attach(to:in:)`` and
    /// ``checkout(for:in:options:)`` then make it the buyer's.
    ///
    /// - Parameters:
    ///   - cartID: The cart.
    ///   - id: The session.
    ///   - isVouchedFor: Whether no browser can have chosen the id; no unless given.
    ///   - context: The buyer's IP, country and language.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartGone` when there is no such cart.
    public func adopt(
        _ cartID: CartID,
        for id: SessionID,
        isVouchedFor: Bool = false,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id) { old, _ in
            var binding = CartBinding(cartID: cartID)
            binding.isForeign = !isVouchedFor
            if let old, old.cartID == cartID { binding = old }
            let query = CartQuery(cartID: binding.cartID).selecting(self.selection)
            guard let cart = try await self.client.execute(query, in: context).data?.cart else {
                throw IdentityError.cartIsGone
            }
            if old?.cartID != cartID { try await self.release(old, in: context) }
            self.see(cart, &binding)
            binding.buyerIP = context.buyerIP ?? binding.buyerIP
            return CartChange(Attachment(cart: cart, seesCustomer: false).sessionCart(binding), binding)
        }
    }

    /// Lets the session's cart go without asking Shopify, for example when its order is complete.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when there is no such session, or its time is over.
    public func forget(for id: SessionID) async throws {
        try await identityErrors { _ = try await self.sessions.session(id) }
        try await forget(for: id, under: CartLocks())
    }

    func forget(for id: SessionID, under locks: CartLocks) async throws {
        try await identityErrors {
            try await self.holding(id, under: locks) { _ in
                for _ in 0..<3 {
                    let row = try await self.row(of: id)
                    guard row.binding != nil || row.placeholder?.lines.isEmpty == false else { return }
                    if try await self.save(nil, for: id, over: row.revision) { return }
                }
                throw IdentityError(.retryLater, .cartBusy, "Another process kept changing the session's cart.")
            }
        }
    }

    /// Whose cart it is, as it was last brought about, without asking Shopify; nil when the session has no cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.sessionUnknown` when there is no such session, or its time is over.
    public func identityState(for id: SessionID) async throws -> CartIdentityState? {
        try await identityErrors {
            _ = try await self.sessions.session(id)
            return try await self.row(of: id).binding?.state
        }
    }

    static var noCart: IdentityError {
        IdentityError(.rejected, .cartMissing, "The session has no cart.", hint: "Add a line first.")
    }

    /// The cart and its checkout URL, read.
    func current(
        _ binding: inout CartBinding,
        readsCheckoutURL: Bool = false,
        in context: StorefrontContext
    ) async throws -> Attachment {
        let query = CartQuery(cartID: binding.cartID, readsCheckoutURL: readsCheckoutURL).selecting(selection)
        let result = try await client.execute(query, in: context)
        guard let answer = result.data else { throw CartVanished() }
        see(answer.cart, &binding)
        return Attachment(
            cart: answer.cart,
            checkoutURL: answer.checkoutURL,
            seesCustomer: selection.seesCustomer(despite: result.errors)
        )
    }

    /// Takes the buyer off a cart that another one replaces.
    func release(_ binding: CartBinding?, in context: StorefrontContext) async throws {
        guard var binding, binding.mayHoldBuyer else { return }
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
        try await free(binding)
    }
}

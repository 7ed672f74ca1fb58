public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Writes the note of the session's cart; an empty one takes it off.
    ///
    /// - Throws: `IdentityError`.
    public func setNote(
        _ note: String,
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartNoteUpdate(cartID: binding.cartID, note: note)
        }
    }

    /// Sets all attributes of the session's cart.
    ///
    /// - Throws: `IdentityError`.
    public func setAttributes(
        _ attributes: [CartAttribute],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartAttributesUpdate(cartID: binding.cartID, attributes: attributes)
        }
    }

    /// Adds discount codes to those that are on the session's cart, and takes some off.
    ///
    /// Shopify only sets the whole list. The cart is read first, and nobody comes between: tasks wait for each other, and of several
    /// processes the one that comes second reads again. Codes are the same when their bytes are.
    ///
    /// - Throws: `IdentityError`. A code that does not apply is a warning.
    public func changeDiscountCodes(
        adding added: [String] = [],
        removing removed: [String] = [],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id, .claiming) { binding, operation in
            guard var binding else { throw Self.noCart }
            let present = try await self.current(&binding, in: context).cart.discountCodes.map(\.code)
            var codes = present.filter { code in !removed.contains { $0.utf8.elementsEqual(code.utf8) } }
            for code in added where !codes.contains(where: { $0.utf8.elementsEqual(code.utf8) }) { codes.append(code) }
            let update = CartDiscountCodesUpdate(cartID: binding.cartID, discountCodes: codes)
            let reply = try await self.send(update, in: context)
            let attachment = try await self.accept(reply, &binding, of: operation, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// Puts gift cards on the session's cart, beside those that are there.
    ///
    /// - Throws: `IdentityError`.
    public func addGiftCards(
        _ codes: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, onConflict: .keep, in: context) { binding in
            CartGiftCardCodesAdd(cartID: binding.cartID, giftCardCodes: codes)
        }
    }

    /// Takes gift cards off the session's cart, by ``CartGiftCard/id``.
    ///
    /// - Throws: `IdentityError`.
    public func removeGiftCards(
        _ ids: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartGiftCardCodesRemove(cartID: binding.cartID, appliedGiftCardIDs: ids)
        }
    }

    /// The ways of delivery that the session's cart offers; none before it has an address.
    ///
    /// - Throws: `IdentityError`.
    public func deliveryGroups(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> [CartDeliveryGroup] {
        try await changing(id) { binding, _ in
            guard let binding else { throw Self.noCart }
            let query = CartDeliveryQuery(cartID: binding.cartID)
            guard let cart = try await self.client.execute(query, in: context).data else { throw CartVanished() }
            return CartChange(cart.deliveryGroups.nodes, binding)
        }
    }

    /// Chooses ways of delivery for the session's cart.
    ///
    /// - Throws: `IdentityError`.
    public func chooseDelivery(
        _ choices: [CartSelectedDeliveryOptionInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartSelectedDeliveryOptionsUpdate(cartID: binding.cartID, selectedDeliveryOptions: choices)
        }
    }

    /// Puts delivery addresses on the session's cart that the buyer has typed; a logout takes them off again.
    ///
    /// - Throws: `IdentityError`.
    public func addDeliveryAddresses(
        _ addresses: [CartSelectableAddressInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id) { binding, operation -> CartChange<Result<SessionCart, IdentityError>> in
            guard var binding else { throw Self.noCart }
            let earlier = binding.unanswered
            try await self.announce(&binding, operation, sendsIdentity: false)
            let add = CartDeliveryAddressesAdd(
                cartID: binding.cartID,
                addresses: addresses
            )
            let reply = try await self.send(add, in: context)
            binding.unanswered = self.outstanding(earlier)
            do {
                let attachment = try await self.accept(reply, &binding, of: operation, in: context)
                return CartChange(.success(attachment.sessionCart(binding)), binding, onConflict: .keep)
            } catch let error as IdentityError {
                // It was answered, so the row need not say any more that the address may still arrive.
                return CartChange(.failure(error), binding, onConflict: .keep)
            }
        }
        .get()
    }

    /// Changes delivery addresses of the session's cart, or which one is selected.
    ///
    /// - Throws: `IdentityError`.
    public func updateDeliveryAddresses(
        _ changes: [CartSelectableAddressUpdateInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartDeliveryAddressesUpdate(cartID: binding.cartID, addresses: changes)
        }
    }

    /// Takes delivery addresses off the session's cart.
    ///
    /// - Throws: `IdentityError`.
    public func removeDeliveryAddresses(
        _ ids: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartDeliveryAddressesRemove(cartID: binding.cartID, addressIDs: ids)
        }
    }

    /// Sets the company location that the signed-in buyer buys for, nil for none.
    ///
    /// Nothing else about the buyer changes.
    ///
    /// - Throws: `IdentityError` with code `IdentityError.Code.cartUserErrors` when the buyer may not buy for it, or is not on the
    ///   cart; the cart stays as it was.
    public func setCompanyLocation(
        _ locationID: String?,
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id) { binding, operation in
            guard var binding else { throw Self.noCart }
            let update = CartBuyerIdentityUpdate(
                cartID: binding.cartID,
                buyerIdentity: CartBuyerIdentityInput(companyLocationID: .setOrNull(locationID))
            )
            let reply = try await self.send(update, in: context)
            let attachment = try await self.accept(reply, &binding, of: operation, in: context)
            binding.companyLocationID = locationID
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    // MARK: How all of them go

    /// Carries out a mutation that sets a state, and keeps the identity on the cart.
    func operate<Operation: CartReading>(
        on id: SessionID,
        onConflict: CartChange<SessionCart>.OnConflict = .again,
        in context: StorefrontContext,
        _ mutation: @escaping @Sendable (CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await changing(id) { binding, operation in
            guard var binding else { throw Self.noCart }
            let reply = try await self.send(mutation(binding), in: context)
            let attachment = try await self.accept(reply, &binding, of: operation, in: context)
            return CartChange(attachment.sessionCart(binding), binding, onConflict: onConflict)
        }
    }

    /// Takes an answer over: refusals are thrown, a silent answer is read again, a cart that has another id gets its identity again,
    /// and one that prices for another country than the call's is told.
    func accept(
        _ reply: CartReply,
        _ binding: inout CartBinding,
        of operation: CartOperation,
        in context: StorefrontContext
    ) async throws -> Attachment {
        let id = operation.session
        switch reply.verdict {
        case .gone: throw CartVanished()
        case .tokenRefused(let errors), .refused(let errors):
            // What was refused may have come with another id all the same.
            if let cart = reply.payload.cart, cart.id != binding.cartID { tell(.moved, id) }
            throw IdentityError.refusal(of: errors)
        case .done, .silent: break
        }
        let old = binding.cartID
        var attachment = try await settle(reply, &binding, in: context)
        if binding.cartID != old {
            tell(.moved, id)
            guard binding.mayHoldBuyer else { return attachment }
            let (claim, problem) = try await claim(for: id)
            if case .none = claim {
                attachment.problem = problem
                return attachment
            }
            binding.addressIDs = []
            do {
                let proposal = BuyerProposal(claim, in: context)
                return try await attach(proposal, to: &binding, of: operation, in: context).after(attachment)
            } catch is CartVanished { throw CartVanished() } catch {
                // The change itself was made: that the identity could not follow must not hide that.
                let problem = error is CartRowLost ? .rowLost : IdentityError.wrapping(error)
                guard problem.kind != .cancelled else { throw problem }
                binding.problem = problem.code
                attachment.problem = problem
                tell(.degraded(problem.code), id)
                return attachment
            }
        }
        if let country = context.country, country != attachment.cart.buyerIdentity.countryCode,
            country != binding.country || attachment.cart.buyerIdentity.countryCode != nil
        {
            return try await move(to: country, attachment, &binding, in: context)
        }
        return attachment
    }

    /// Makes the cart price for the country of the call; only that is sent.
    private func move(
        to country: String,
        _ attachment: Attachment,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> Attachment {
        let update = CartBuyerIdentityUpdate(
            cartID: binding.cartID,
            buyerIdentity: CartBuyerIdentityInput(countryCode: .set(country))
        )
        var result = attachment
        do {
            let reply = try await send(update, in: context)
            if case .gone = reply.verdict { throw CartVanished() }
            guard reply.payload.userErrors.isEmpty else {
                result.omitted.append("country")
                return result
            }
            let moved = try await settle(reply, &binding, in: context)
            binding.country = country
            return moved.after(attachment)
        } catch let error as IdentityError where error.kind != .cancelled {
            // The change itself was made; that it is priced for another country must not hide that.
            result.omitted.append("country")
            return result
        }
    }
}

extension IdentityError {
    fileprivate static var rowLost: IdentityError {
        IdentityError(
            .retryLater,
            .cartBusy,
            "Another process changed the session's cart meanwhile.",
            hint: "Try again."
        )
    }
}

extension Attachment {
    /// The later of two answers, with the warnings of both, and what went wrong in either.
    func after(_ earlier: Attachment) -> Attachment {
        var later = self
        later.warnings = earlier.warnings + warnings
        later.problem = problem ?? earlier.problem
        return later
    }
}

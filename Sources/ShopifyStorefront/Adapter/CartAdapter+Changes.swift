public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Sets the note of the session's cart.
    ///
    /// An empty note removes it.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
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
    @discardableResult
    public func setAttributes(
        _ attributes: [CartAttribute],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartAttributesUpdate(cartID: binding.cartID, attributes: attributes)
        }
    }

    /// Adds discount codes to the session's cart and removes others.
    ///
    /// Shopify can only set the whole list, so the cart is read first. Other changes do not interfere: tasks wait for each other, and a
    /// process that finds a changed row reads again. Codes are compared without regard to case, as Shopify does.
    ///
    /// - Throws: `IdentityError`. A code that does not apply is reported as a warning.
    public func changeDiscountCodes(
        adding added: [String] = [],
        removing removed: [String] = [],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withLockedRow(id, .exclusive) { row in
            guard var binding = row.binding else { throw Self.noCart }
            let present = try await self.current(&binding, in: context).cart.discountCodes.map(\.code)
            let codes = present.filter { !removed.hasCode($0) }.mergingCodes(added)
            let update = CartDiscountCodesUpdate(cartID: binding.cartID, discountCodes: codes)
            let reply = try await self.send(update, in: context)
            let attachment = try await self.accept(reply, &binding, of: row, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    // MARK: Mutations

    /// Executes a mutation that sets a state, and keeps the identity on the cart.
    func operate<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        _ mutation: @escaping @Sendable (CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withLockedRow(id) { row in
            guard var binding = row.binding else { throw Self.noCart }
            let reply = try await self.send(mutation(binding), in: context)
            let attachment = try await self.accept(reply, &binding, of: row, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// Evaluates a response.
    ///
    /// Rejections are thrown, and a response without a cart leads to a read. A cart with a new id gets its identity
    /// again. If the cart's prices are for another country than the call's, the country is set.
    func accept(
        _ reply: CartMutationResponse,
        _ binding: inout CartBinding,
        of row: LockedCartRow,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let id = row.session
        switch reply.verdict {
        case .gone: throw CartVanished()
        case .tokenRefused(let errors), .refused(let errors):
            // A rejected change can still return a new id.
            if let cart = reply.payload.cart, cart.id != binding.cartID { tell(.moved, id) }
            throw IdentityError.refusal(of: errors)
        case .done, .silent: break
        }
        let old = binding.cartID
        var attachment = try await resolve(reply, &binding, in: context)
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
                let request = BuyerIdentityRequest(claim, in: context)
                return try await attach(request, to: &binding, of: row, in: context).after(attachment)
            } catch is CartVanished { throw CartVanished() } catch {
                // The change itself succeeded, so a failure of the identity is not thrown.
                let problem = error is CartRowConflict ? Self.busy : IdentityError.wrapping(error)
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
            return try await setCountry(country, attachment, &binding, in: context)
        }
        return attachment
    }

    /// Sets the country of the call, which determines the prices.
    ///
    /// No other value is sent.
    private func setCountry(
        _ country: String,
        _ attachment: CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
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
            let moved = try await resolve(reply, &binding, in: context)
            binding.country = country
            return moved.after(attachment)
        } catch let error as IdentityError where error.kind != .cancelled {
            // The change itself succeeded, so a failure of the country is not thrown.
            result.omitted.append("country")
            return result
        }
    }
}

extension CartAdapter {
    /// Sends data that must not be on the next buyer's cart, and whose ids are unknown to the session if the response is lost.
    ///
    /// The row is written before and after. It is also written when Shopify rejects the data, because they cannot arrive later then.
    func operateAnnounced<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        _ mutation: @escaping @Sendable (CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withLockedRow(id) { row -> CartChange<Result<SessionCart, IdentityError>> in
            guard var binding = row.binding else { throw Self.noCart }
            let earlier = binding.unanswered
            try await row.announce(&binding, sendsIdentity: false)
            let reply = try await self.send(mutation(binding), in: context)
            binding.unanswered = self.outstanding(earlier)
            do {
                let attachment = try await self.accept(reply, &binding, of: row, in: context)
                return CartChange(.success(attachment.sessionCart(binding)), binding, onConflict: .keep)
            } catch let error as IdentityError {
                return CartChange(.failure(error), binding, onConflict: .keep)
            }
        }
        .get()
    }
}

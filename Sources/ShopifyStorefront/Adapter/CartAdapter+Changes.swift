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
        try await mutate(on: id, in: context) { binding in
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
        try await mutate(on: id, in: context) { binding in
            CartAttributesUpdate(cartID: binding.cartID, attributes: attributes)
        }
    }

    /// Adds discount codes to the session's cart and removes others.
    ///
    /// Shopify's mutation replaces the whole list of codes, so the cart is read first. Changes that are made at the same time are not lost:
    /// tasks of one process wait for each other, and after a change by another process the cart is read again. Codes are compared without
    /// regard to case, as Shopify does.
    ///
    /// - Throws: `IdentityError`. A code that does not apply is reported as a warning.
    public func changeDiscountCodes(
        adding added: [String] = [],
        removing removed: [String] = [],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withLockedCart(id, .exclusive) { locked in
            guard var binding = locked.binding else { throw Self.noCart }
            let present = try await self.current(&binding, in: context).cart.discountCodes.map(\.code)
            let codes = present.filter { !removed.hasCode($0) }.mergingCodes(added)
            let update = CartDiscountCodesUpdate(cartID: binding.cartID, discountCodes: codes)
            let response = try await self.send(update, in: context)
            let result = try await self.accept(response, &binding, of: locked, in: context)
            return CartChange(result.sessionCart(binding), saving: binding)
        }
    }

    // MARK: Mutations

    /// Executes a mutation that can be repeated without harm, and keeps the buyer's identity on the cart.
    func mutate<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        _ mutation: @escaping @Sendable (CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withLockedCart(id) { locked in
            guard var binding = locked.binding else { throw Self.noCart }
            let response = try await self.send(mutation(binding), in: context)
            let result = try await self.accept(response, &binding, of: locked, in: context)
            return CartChange(result.sessionCart(binding), saving: binding)
        }
    }

    /// Checks the response to a mutation of the cart, and updates the binding.
    ///
    /// Shopify's user errors are thrown. If the response contains no cart, the cart is read. If the cart has a new id, the buyer's identity
    /// is attached again. If the cart's country differs from the country of the call, the country of the call is set.
    func accept(
        _ response: CartMutationResponse,
        _ binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let id = locked.session
        switch response.outcome {
        case .gone: throw CartGone()
        case .tokenRefused(let errors), .refused(let errors):
            // A response that rejects a change can still contain the cart under a new id.
            if let cart = response.payload.cart, cart.id != binding.cartID { tell(.moved, id) }
            throw IdentityError.refusal(of: errors)
        case .done, .silent: break
        }
        let old = binding.cartID
        var result = try await resolve(response, &binding, in: context)
        if binding.cartID != old {
            tell(.moved, id)
            guard binding.mayHoldBuyer else { return result }
            let (claim, problem) = try await claim(for: id)
            if case .none = claim {
                result.problem = problem
                return result
            }
            binding.addressIDs = []
            do {
                let identity = CartBuyerIdentity(claim, in: context)
                return try await attach(identity, to: &binding, of: locked, in: context).after(result)
            } catch is CartGone { throw CartGone() } catch {
                // The caller's own change has succeeded, so a failure to attach the identity is reported in the result and not thrown.
                let problem = error is CartConflict ? Self.busy : IdentityError.wrapping(error)
                guard problem.kind != .cancelled else { throw problem }
                binding.problem = problem.code
                result.problem = problem
                tell(.degraded(problem.code), id)
                return result
            }
        }
        if let country = context.country, country != result.cart.buyerIdentity.countryCode,
            country != binding.country || result.cart.buyerIdentity.countryCode != nil
        {
            return try await setCountry(country, after: result, &binding, in: context)
        }
        return result
    }
}

extension CartAdapter {
    /// Sends personal data or gift cards, which the next buyer of this cart must not get.
    ///
    /// The session's attachment records before the request that the data may be on the cart. So a logout removes them even if the response
    /// was lost. The attachment is written again after the response, also after a rejection, because rejected data cannot arrive later.
    func mutateWithIntent<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        _ mutation: @escaping @Sendable (CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withLockedCart(id) { locked -> CartChange<Result<SessionCart, IdentityError>> in
            guard var binding = locked.binding else { throw Self.noCart }
            let earlier = binding.unanswered
            try await locked.recordIntent(&binding, sendsIdentity: false)
            let response = try await self.send(mutation(binding), in: context)
            binding.unanswered = self.outstanding(earlier)
            do {
                let result = try await self.accept(response, &binding, of: locked, in: context)
                return CartChange(.success(result.sessionCart(binding)), saving: binding, onConflict: .keep)
            } catch let error as IdentityError {
                return CartChange(.failure(error), saving: binding, onConflict: .keep)
            }
        }
        .get()
    }
}

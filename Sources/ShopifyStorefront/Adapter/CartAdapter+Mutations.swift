internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Executes a mutation of the session's cart that can be repeated without harm.
    ///
    /// If another process changed the stored cart meanwhile, the mutation is sent again.
    /// If Shopify returns the cart under a new id, the buyer's identity is put on it again.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - context: The buyer's IP, country and language.
    ///   - isMade: Returns whether a cart contains the change. After a response with GraphQL errors and without a cart, the cart is read
    ///     and passed to this closure. If the closure is nil, such a response is an error.
    ///   - mutation: Creates the mutation, and may change the session's stored cart (``CartBinding``).
    /// - Returns: The changed cart.
    /// - Throws: `IdentityError`, also for user errors.
    func mutate<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        isMade: (@Sendable (CartIdentityResult) -> Bool)? = nil,
        _ mutation: @escaping @Sendable (inout CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withCart(id) { binding, locked in
            let operation = mutation(&binding)
            return try await self.perform(operation, &binding, of: locked, in: context, isMade: isMade)
                .sessionCart(binding)
        }
    }

    /// Executes a mutation that adds delivery addresses or gift cards to the session's cart.
    ///
    /// Before the request, the adapter stores with the session that data of the buyer may get on the cart. If the response is lost, a
    /// logout does not give this cart to another buyer while the request may still reach Shopify. After a response, also a rejection, the
    /// adapter removes this record.
    func mutateWithIntent<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        _ mutation: @escaping @Sendable (CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withLockedCart(id) { locked in
            guard var binding = locked.binding else { throw Self.noCart }
            let earlier = binding.unanswered
            try await locked.recordIntent(&binding, sendsIdentity: false)
            let response = try await self.send(mutation(binding), in: context)
            // Restores the record of an earlier request without a response, because that request may still reach Shopify.
            binding.unanswered = earlier
            do {
                let result = try await self.accept(response, &binding, of: locked, in: context)
                return CartChange(result.sessionCart(binding), saving: binding, onConflict: .keep)
            } catch let error as IdentityError {
                return CartChange(throwing: error, saving: binding, onConflict: .keep)
            }
        }
    }

    /// Removes lines or addresses from the cart by their ids; ids that the cart no longer has count as removed.
    func remove<Removal: CartReading>(
        _ ids: [String],
        for id: SessionID,
        in context: StorefrontContext,
        _ removal: @Sendable (CartID, [String]) -> Removal,
        present: @Sendable (Cart) async throws -> [String]
    ) async throws -> SessionCart where Removal.Output == CartPayload {
        try await withCart(id) { binding, locked in
            // Stores that the buyer has removed the provider's address. Otherwise the next checkout would put the address back on the cart.
            binding.removeAddresses(ids)
            var response = try await self.send(removal(binding.cartID, ids), in: context)
            if case .refused(let errors) = response.outcome {
                let current = try await self.current(&binding, in: context)
                let left = ids.filter(Set(try await present(current.cart)).contains)
                guard !left.isEmpty else { return current.sessionCart(binding) }
                guard left.count < ids.count else { throw IdentityError.refusal(of: errors, response.metadata) }
                // Shopify rejects the whole mutation if the cart no longer has one of the ids. So a second mutation removes the ids that
                // the cart still has.
                response = try await self.send(removal(binding.cartID, left), in: context)
            }
            return try await self.accept(response, &binding, of: locked, in: context).sessionCart(binding)
        }
    }

    /// Sends a mutation, and returns the cart after it; see ``accept(_:_:of:in:isMade:)``.
    func perform<Operation: CartReading>(
        _ operation: Operation,
        _ binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext,
        isMade: (@Sendable (CartIdentityResult) -> Bool)? = nil
    ) async throws -> CartIdentityResult where Operation.Output == CartPayload {
        try await accept(send(operation, in: context), &binding, of: locked, in: context, isMade: isMade)
    }

    /// Returns the cart after a mutation, and updates the session's stored cart (`binding`).
    ///
    /// If the response contains no cart, the cart is read. If the cart's country differs from the country of `context` or of the client,
    /// the country is set. If Shopify returns the cart under a new id, the buyer's identity is put on it again.
    ///
    /// - Throws: Shopify's user errors; ``CartGone``; the GraphQL errors of a response without a cart, if `isMade` is nil or does not find
    ///   the change in the cart that is read.
    func accept(
        _ response: CartMutationResponse,
        _ binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext,
        isMade: (@Sendable (CartIdentityResult) -> Bool)? = nil
    ) async throws -> CartIdentityResult {
        let id = locked.session
        try response.throwIfRefused()
        let old = binding.cartID
        var result = try await resolve(response, &binding, in: context, isMade: isMade)
        if binding.cartID == old { result = try await setCountry(after: result, &binding, in: context) }
        if binding.cartID != old {
            report(.moved, id)
            // While `create` replaces the session's cart, `mayStore` is false: the attachment still names the old cart. An attach now would
            // store the new cart before the buyer is removed from the old cart. The next checkout puts the buyer on the new cart instead.
            guard binding.mayHoldBuyer, locked.mayStore(old) else { return result }
            let (claim, problem) = try await claim(for: id)
            if case .none = claim {
                result.problem = problem
                return result
            }
            binding.addressIDs = []
            do {
                let context = binding.keepingCountry(in: client.context.overridden(by: context))
                let identity = buyerIdentity(claim, in: context)
                return try await attach(identity, to: &binding, of: locked, in: context).after(result)
            } catch let gone as CartGone { throw gone } catch {
                // The mutation has succeeded, so a failure to attach the identity is reported in the result and not thrown.
                let problem = error is CartConflict ? Self.busyAttaching : IdentityError.wrapping(error)
                guard problem.kind != .cancelled else { throw problem }
                degrade(&result, &binding, problem, of: id)
                return result
            }
        }
        return result
    }

    /// Sends a mutation of a cart.
    ///
    /// If the response does not show whether the cart still exists, the cart is read.
    func send<Operation: CartReading>(
        _ operation: Operation,
        in context: StorefrontContext
    ) async throws -> CartMutationResponse where Operation.Output == CartPayload {
        let result = try await client.execute(operation.selecting(selection), in: context)
        var response = try CartMutationResponse(
            result,
            selection: selection,
            failure: client.failure(of: result, Operation.document)
        )
        guard response.isCartInDoubt,
            let id = operation.variables.json["cartId"]?.string.flatMap(CartID.init(rawValue:))
        else { return response }
        // If the cart cannot be read, the response stays as it is, and the caller gets its user errors.
        guard let read = try? await client.execute(CartQuery(cartID: id).selecting(selection), in: context),
            read.data == nil
        else { return response }
        (response.outcome, response.metadata) = (.gone, read.metadata)
        return response
    }

    /// Returns the cart of a response, and updates the session's stored cart (`binding`).
    ///
    /// If the response contains no cart, the cart is read. Shopify can return the cart under a new id.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - binding: The session's stored cart.
    ///   - context: The buyer's IP, country and language.
    ///   - isMade: Returns whether the cart contains the change. After a response with GraphQL errors and without a cart, the cart is read
    ///     and passed to this closure. If the closure is nil, such a response is an error.
    /// - Returns: The cart.
    /// - Throws: The GraphQL errors of a response without a cart, if `isMade` does not find the change; otherwise the error of reading the
    ///   cart. ``CartGone`` when Shopify no longer has the cart.
    func resolve(
        _ response: CartMutationResponse,
        _ binding: inout CartBinding,
        in context: StorefrontContext,
        isMade: ((CartIdentityResult) -> Bool)? = nil
    ) async throws -> CartIdentityResult {
        if let cart = response.payload.cart {
            record(cart, showsContents: response.showsContents, in: &binding, context)
            return CartIdentityResult(
                cart: cart,
                checkoutURL: response.payload.checkoutURL,
                warnings: response.payload.warnings,
                customer: response.customer,
                metadata: response.metadata
            )
        }
        var result: CartIdentityResult
        if case .failed(let error) = response.outcome {
            guard let isMade else { throw error }
            do {
                result = try await current(&binding, readsCheckoutURL: true, needsContents: true, in: context)
            } catch let failure as IdentityError {
                throw failure.kind == .cancelled ? failure : error
            }
            guard isMade(result) else { throw error }
        } else {
            result = try await current(&binding, readsCheckoutURL: true, in: context)
        }
        result.warnings = response.payload.warnings
        return result
    }
}

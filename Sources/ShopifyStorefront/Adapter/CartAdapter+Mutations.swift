internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Executes a mutation on the session's cart; the mutation must do no harm when it is sent twice.
    ///
    /// The mutation is sent again if another process changes the session's stored cart at the same time. For `isMade`, see
    /// ``resolve(_:_:in:isMade:)``.
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
    /// Before the request, ``LockedCart/recordIntent(_:sendsIdentity:)`` records that the cart may get data of the buyer. If `send`
    /// returns a response, even a rejection, this method removes the record. If `send` throws, the record stays.
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
            // An earlier request without a response may still reach Shopify, so its record stays.
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
            // If `ids` has the provider's address, its removal is recorded, so that the next checkout does not put it back on the cart.
            binding.removeAddresses(ids)
            var response = try await self.send(removal(binding.cartID, ids), in: context)
            if case .refused(let errors) = response.outcome {
                let current = try await self.current(&binding, in: context)
                let left = ids.filter(Set(try await present(current.cart)).contains)
                guard !left.isEmpty else { return current.sessionCart(binding) }
                guard left.count < ids.count else { throw IdentityError.refusal(of: errors, response.metadata) }
                // Shopify rejects a mutation if the cart lacks one of its ids. So the second mutation has only ids that the cart has.
                response = try await self.send(removal(binding.cartID, left), in: context)
            }
            return try await self.accept(response, &binding, of: locked, in: context).sessionCart(binding)
        }
    }

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
    /// If Shopify returns the cart under a new id, this method tries to put the buyer's identity back on the cart. Otherwise it sets the
    /// country of `context`, or else of the client.
    ///
    /// - Throws: ``CartGone``; the user errors; the errors of ``resolve(_:_:in:isMade:)``; a cancellation; the error of an ended session.
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
            // If the attachment names another cart, `create` is replacing that cart with this cart. `attach` would store this cart before
            // the buyer is removed from the replaced cart. So `attach` is not called, and the next checkout puts the buyer on this cart.
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
                // The mutation has succeeded. So only `CartGone` and a cancellation are thrown; the result reports all other errors.
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
    /// If the response has user errors that do not show whether the cart still exists (``CartMutationResponse/isCartInDoubt``), this method
    /// reads the cart. If Shopify then returns no cart, the outcome is `gone`.
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
        // If Shopify still has the cart, or if this read fails, the caller gets the user errors of the response.
        guard let read = try? await client.execute(CartQuery(cartID: id).selecting(selection), in: context),
            read.data == nil
        else { return response }
        (response.outcome, response.metadata) = (.gone, read.metadata)
        return response
    }

    /// Returns the cart of a response, and updates the session's stored cart (`binding`); reads the cart if the response has no cart.
    ///
    /// After a response with GraphQL errors and without a cart, `isMade` decides whether the cart that was read contains the change. The
    /// GraphQL errors are thrown if the cart does not contain the change, if `isMade` is nil, or if the read fails. ``CartGone`` and a
    /// cancellation of the read are thrown unchanged.
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

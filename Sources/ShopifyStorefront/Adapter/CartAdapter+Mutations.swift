internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Executes a mutation that can be repeated without harm.
    ///
    /// If the cart gets a new id, the buyer's identity is put on it again.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - context: The buyer's IP, country and language.
    ///   - isMade: Returns whether a cart shows that the change was made. After a response with GraphQL errors and without a cart, the cart
    ///     is read and passed to this closure. With nil, such a response is an error.
    ///   - mutation: Creates the mutation, and may change the binding.
    /// - Returns: The changed cart.
    /// - Throws: `IdentityError`, also for user errors.
    func mutate<Operation: CartReading>(
        on id: SessionID,
        in context: StorefrontContext,
        isMade: (@Sendable (CartIdentityResult) -> Bool)? = nil,
        _ mutation: @escaping @Sendable (inout CartBinding) -> Operation
    ) async throws -> SessionCart where Operation.Output == CartPayload {
        try await withCart(id) { binding, locked in
            let response = try await self.send(mutation(&binding), in: context)
            return try await self.accept(response, &binding, of: locked, in: context, isMade: isMade)
                .sessionCart(binding)
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
            // The binding records it, so that a checkout does not put back an address that the buyer has removed.
            binding.removeAddresses(ids)
            var response = try await self.send(removal(binding.cartID, ids), in: context)
            if case .refused(let errors) = response.outcome {
                let current = try await self.current(&binding, in: context)
                let left = ids.filter(Set(try await present(current.cart)).contains)
                guard !left.isEmpty else { return current.sessionCart(binding) }
                guard left.count < ids.count else { throw IdentityError.refusal(of: errors, response.metadata) }
                // Shopify rejects the whole mutation for one id that the cart no longer has. A second mutation removes the ids that the
                // cart has.
                response = try await self.send(removal(binding.cartID, left), in: context)
            }
            return try await self.accept(response, &binding, of: locked, in: context).sessionCart(binding)
        }
    }

    /// Checks the response to a mutation of the cart, and updates the binding.
    ///
    /// Shopify's user errors are thrown. If the response contains no cart, the cart is read. GraphQL errors of a response without a cart
    /// are thrown, unless `isMade` finds the change in the cart that is read. If its country differs from that of `context` or of the
    /// client, that country is set. If the cart has a new id, also after the update of the country, the buyer's identity is attached again.
    func accept(
        _ response: CartMutationResponse,
        _ binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext,
        isMade: (@Sendable (CartIdentityResult) -> Bool)? = nil
    ) async throws -> CartIdentityResult {
        let id = locked.session
        switch response.outcome {
        case .gone: throw CartGone(response.metadata)
        case .tokenRefused(let errors), .refused(let errors): throw IdentityError.refusal(of: errors, response.metadata)
        case .done, .empty, .failed: break
        }
        let old = binding.cartID
        var result = try await resolve(response, &binding, in: context, isMade: isMade)
        if binding.cartID == old { result = try await setCountry(after: result, &binding, in: context) }
        if binding.cartID != old {
            report(.moved, id)
            // `mayStore` is false if the attachment names another cart, which the cart of this operation is about to replace. The next
            // checkout then puts the buyer on the new cart. An attach now would save the new cart before the buyer is removed from the
            // cart that the attachment names.
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
                binding.problem = problem.code
                result.problem = problem
                report(.degraded(problem.code), id)
                return result
            }
        }
        return result
    }
}

extension CartAdapter {
    /// Executes a mutation that adds addresses or gift cards, which another buyer of this cart must not get.
    ///
    /// Before the request, the session's attachment records that the data may be on the cart. So the adapter knows of them even if the
    /// response is lost. After the response, also a rejection, the attachment is written without this record, because an answered request
    /// cannot arrive later.
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
            // An earlier request with the buyer's identity may have had no response, so its record stays.
            binding.unanswered = earlier
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

internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Creates a cart; more than 250 lines are sent in several requests.
    ///
    /// If only some lines were added, or the caller was cancelled after the creation, the returned change stores the cart and throws the
    /// error.
    func createCart(
        withAll lines: [CartLineInput],
        _ locked: LockedCart,
        _ context: StorefrontContext
    ) async throws -> CartChange<SessionCart> {
        let first = Array(lines.prefix(Self.linesPerCall))
        var (result, binding) = try await createCart(first, locked.session, context)
        do {
            if lines.count > first.count {
                let added = try await add(lines, from: 1, to: &binding, of: locked, in: context)
                // If the first request omitted the country, a later request may have set it. Then the country no longer counts as omitted.
                let omitted = result.omitted.filter { $0 != "country" || binding.country == nil }
                result = added.after(result)
                result.omitted = omitted + added.omitted.filter { !omitted.contains($0) }
            }
            return CartChange(result.sessionCart(binding), saving: binding, onConflict: .detachAndRepeat)
        } catch let error as IdentityError where error.code == .linesPartlyAdded || error.kind == .cancelled {
            return CartChange(throwing: error, saving: binding, onConflict: .detachAndRepeat)
        } catch let gone as CartGone {
            // Shopify no longer has the new cart. If `CartGone` were thrown, `CartOperation` would remove the session's old cart.
            try? await detachUnsaved(binding)
            throw IdentityError.cartIsGone(gone.metadata)
        }
    }

    /// Creates a cart with the parts of the session's identity that Shopify accepts.
    func createCart(
        _ lines: [CartLineInput],
        _ id: SessionID,
        _ context: StorefrontContext,
        companyLocationID: String? = nil,
        sendsAddress: Bool = true
    ) async throws -> (result: CartIdentityResult, binding: CartBinding) {
        var (claim, problem) = try await claim(for: id)
        var negotiation = IdentityNegotiation(buyerIdentity(claim, in: context), companyLocationID: companyLocationID)
        let response: CartMutationResponse
        creation: while true {
            let outcome = try await negotiate(&negotiation, for: id, endsWithCart: true) { identity in
                let address = sendsAddress ? identity.address : nil
                let create = CartCreate(
                    lines: lines,
                    buyerIdentity: identity.input(over: nil),
                    addresses: address.map { [CartSelectableAddressInput($0)] } ?? []
                )
                return try await send(create, in: context)
            }
            switch outcome {
            case .answered(let last):
                response = last
                break creation
            case .rejected(let error, let response):
                if let errors = response?.payload.userErrors {
                    guard negotiation.identity.token != nil, !errors.allSatisfy({ $0.field.contains("lines") }) else {
                        throw IdentityError.refusal(of: errors, response?.metadata)
                    }
                }
                problem = error
                negotiation.identity = buyerIdentity(.none, in: context)
            }
        }
        let cart = try response.payload.cart ?? response.payload.checked(response.metadata)
        let (identity, whole, errors) = (negotiation.identity, negotiation.whole, response.payload.userErrors)
        var binding = CartBinding(cartID: cart.id)
        try record(identity, of: whole, in: &binding)
        record(cart, showsContents: response.showsContents, in: &binding, context)
        binding.addressIDs = cart.deliveryAddressIDs
        var result = CartIdentityResult(
            cart: cart,
            warnings: response.payload.warnings,
            customer: response.customer,
            metadata: response.metadata
        )
        if case .tokenRefused = response.outcome {
            problem = Self.identityRejected(errors, response.metadata)
        } else if !errors.isEmpty {
            problem = IdentityError.refusal(of: errors, response.metadata)
        } else if problem == nil, identity.token != nil, result.lacksCustomer {
            problem = Self.identityMissing(response.metadata)
        }
        if let problem {
            degrade(&result, &binding, problem, of: id)
        } else {
            result.omitted = identity.omissions(from: whole)
        }
        return (result, binding)
    }

    /// Creates a cart without the lines that Shopify rejects.
    ///
    /// After each rejection, the rejected lines are removed from `lines`, and `create` is called again. `refusal` is the last rejection.
    func omittingRefused<Value: Sendable>(
        _ lines: inout [CartLineInput],
        _ create: ([CartLineInput]) async throws -> Value
    ) async throws -> (result: Value, refusal: IdentityError?) {
        var refusal: IdentityError?
        while true {
            do {
                return (try await create(lines), refusal)
            } catch let error as IdentityError
                where error.code == .cartUserErrors && error.kind == .rejected && !lines.isEmpty
            {
                let rejected = error.rejectedLines(of: min(lines.count, Self.linesPerCall))
                lines.removeSubranges(RangeSet(rejected, within: lines))
                refusal = error
            }
        }
    }

    /// Returns the session's cart claim (the identity that its provider gives for carts), or `.none` and the error if the claim is
    /// unavailable.
    ///
    /// If the session does not exist or the caller was cancelled, the error is thrown.
    func claim(
        for id: SessionID,
        validFor margin: Duration = .seconds(60)
    ) async throws -> (claim: CartClaim, problem: IdentityError?) {
        do {
            return (try await sessions.cartClaim(for: id, validFor: margin).claim, nil)
        } catch {
            let error = IdentityError.wrapping(error)
            guard error.kind != .cancelled, error.code != .sessionUnknown else { throw error }
            return (.none, error)
        }
    }
}

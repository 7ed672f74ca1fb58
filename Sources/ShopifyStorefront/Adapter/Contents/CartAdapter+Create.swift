internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Creates a cart with the parts of the session's identity that Shopify accepts.
    func createCart(
        _ lines: [CartLineInput],
        _ id: SessionID,
        _ context: StorefrontContext,
        companyLocationID: String? = nil,
        sendsAddress: Bool = true
    ) async throws -> CartChange<SessionCart> {
        var (claim, problem) = try await claim(for: id)
        var negotiation = IdentityNegotiation(buyerIdentity(claim, in: context), companyLocationID: companyLocationID)
        while true {
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
            case .answered(let response):
                let cart = try response.payload.cart ?? response.payload.checked(response.metadata)
                let errors = response.payload.userErrors
                if !errors.isEmpty { problem = IdentityError.refusal(of: errors, response.metadata) }
                if case .tokenRefused = response.outcome {
                    problem = Self.identityRejected(errors, response.metadata)
                }
                return try bind(cart, response, negotiation, problem, id, context)
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
    }

    /// Returns the session's cart claim (the identity that its provider gives for carts), or `.none` and an error if the claim is
    /// unavailable.
    ///
    /// The caller continues without an identity and reports the error as a problem.
    ///
    /// - Throws: An error if the session does not exist or the caller was cancelled.
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

    private func bind(
        _ cart: Cart,
        _ response: CartMutationResponse,
        _ negotiation: IdentityNegotiation,
        _ problem: IdentityError?,
        _ id: SessionID,
        _ context: StorefrontContext
    ) throws -> CartChange<SessionCart> {
        var problem = problem
        let (identity, whole) = (negotiation.identity, negotiation.whole)
        var binding = CartBinding(cartID: cart.id)
        try record(identity, of: whole, in: &binding, context)
        record(cart, showsContents: response.showsContents, in: &binding, context)
        binding.addressIDs = cart.deliveryAddressIDs
        var result = CartIdentityResult(
            cart: cart,
            warnings: response.payload.warnings,
            customer: response.customer,
            metadata: response.metadata
        )
        if problem == nil, identity.token != nil, result.lacksCustomer {
            problem = Self.identityMissing(response.metadata)
        }
        binding.problem = problem?.code
        if let problem { report(.degraded(problem.code), id) }
        result.omitted = problem == nil ? identity.omissions(from: whole) : []
        result.problem = problem
        return CartChange(result.sessionCart(binding), saving: binding, onConflict: .detachAndRepeat)
    }
}

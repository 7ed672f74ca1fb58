internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Creates a cart with the parts of the session's identity that Shopify accepts.
    func createCart(
        _ lines: [CartLineInput],
        _ id: SessionID,
        _ context: StorefrontContext
    ) async throws -> CartChange<SessionCart> {
        var (claim, problem) = try await claim(for: id)
        var whole = CartBuyerIdentity(claim, in: context)
        var identity = whole
        do { try await exchange(&identity) } catch let error as IdentityError where error.kind != .cancelled {
            problem = error
            identity = .guest(in: context)
        }
        var refreshed: TokenSet?
        while true {
            let response: CartMutationResponse
            do {
                response = try await send(mutation(lines, identity), in: context)
            } catch let error as IdentityError where error.code == .graphQLErrors {
                guard let less = identity.reducedAfterRejectedDocument() else { throw error }
                identity = less
                continue
            }
            let errors = response.payload.userErrors
            if let cart = response.payload.cart {
                if !errors.isEmpty { problem = Self.refused(Self.code(of: response), errors) }
                return try bind(cart, response, identity, of: whole, problem, id, context)
            }
            switch response.outcome {
            case .tokenRefused:
                if let refreshed {
                    sessions.noteRefusal(of: refreshed, of: id)
                } else if identity.token != nil,
                    let (next, tokens) = try await refreshedIdentity(for: id, replacing: whole.token, in: context)
                {
                    refreshed = tokens
                    whole = next
                    identity = next
                    do { try await exchange(&identity) } catch let error as IdentityError
                        where error.kind != .cancelled
                    {
                        problem = error
                        identity = .guest(in: context)
                    }
                    continue
                }
                guard identity.token != nil else { throw IdentityError.refusal(of: errors) }
                problem = Self.refused(.identityRejected, errors)
                identity = .guest(in: context)
            case .refused:
                guard let less = identity.reduced(by: errors) else {
                    guard identity.token != nil, !errors.allSatisfy({ $0.field.contains("lines") }) else {
                        throw IdentityError.refusal(of: errors)
                    }
                    problem = Self.refused(.cartUserErrors, errors)
                    identity = .guest(in: context)
                    continue
                }
                identity = less
            case .done, .gone, .empty:
                throw IdentityError(
                    .retryLater,
                    .unexpectedResponse,
                    "Shopify's response to cartCreate contains neither a cart nor an error.",
                    hint: "Try again."
                )
            }
        }
    }

    /// Returns the session's cart claim, or `.none` and the error if the claim is unavailable.
    ///
    /// The caller then continues without an identity.
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

    private func mutation(_ lines: [CartLineInput], _ identity: CartBuyerIdentity) -> CartCreate {
        CartCreate(
            lines: lines,
            buyerIdentity: identity.input(over: nil),
            addresses: identity.address.map { [CartSelectableAddressInput($0)] } ?? []
        )
    }

    private func bind(
        _ cart: Cart,
        _ response: CartMutationResponse,
        _ identity: CartBuyerIdentity,
        of whole: CartBuyerIdentity,
        _ problem: IdentityError?,
        _ id: SessionID,
        _ context: StorefrontContext
    ) throws -> CartChange<SessionCart> {
        var problem = problem
        var binding = CartBinding(cartID: cart.id)
        try record(identity, of: whole, in: &binding, context)
        record(cart, in: &binding)
        binding.addressIDs = cart.deliveryAddressIDs
        if problem == nil, identity.token != nil, response.seesCustomer, cart.buyerIdentity.customerID == nil {
            problem = Self.identityMissing
        }
        binding.problem = problem?.code
        if let problem { report(.degraded(problem.code), id) }
        let result = CartIdentityResult(
            cart: cart,
            warnings: response.payload.warnings,
            omitted: problem == nil ? identity.omissions(from: whole) : [],
            problem: problem,
            seesCustomer: response.seesCustomer
        )
        return CartChange(result.sessionCart(binding), saving: binding, onConflict: .detachAndRepeat)
    }

    private static func code(of response: CartMutationResponse) -> IdentityError.Code {
        if case .tokenRefused = response.outcome { .identityRejected } else { .cartUserErrors }
    }
}

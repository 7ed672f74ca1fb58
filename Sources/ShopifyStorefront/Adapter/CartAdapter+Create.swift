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
        var whole = BuyerIdentityRequest(claim, in: context)
        var request = whole
        do { try await exchange(&request) } catch let error as IdentityError where error.kind != .cancelled {
            problem = error
            request = .guest(in: context)
        }
        var refreshed: TokenSet?
        while true {
            let reply: CartMutationResponse
            do {
                reply = try await send(mutation(lines, request), in: context)
            } catch let error as IdentityError where error.code == .graphQLErrors {
                guard let less = request.reduced(by: []) else { throw error }
                request = less
                continue
            }
            let errors = reply.payload.userErrors
            if let cart = reply.payload.cart {
                if !errors.isEmpty { problem = Self.refused(Self.code(of: reply), errors) }
                return try bind(cart, reply, request, of: whole, problem, id, context)
            }
            switch reply.verdict {
            case .tokenRefused:
                if let refreshed {
                    sessions.noteRefusal(of: refreshed, of: id)
                } else if request.token != nil,
                    let (next, tokens) = try await refreshedRequest(for: id, replacing: whole.token, in: context)
                {
                    refreshed = tokens
                    whole = next
                    request = next
                    do { try await exchange(&request) } catch let error as IdentityError
                        where error.kind != .cancelled
                    {
                        problem = error
                        request = .guest(in: context)
                    }
                    continue
                }
                guard request.token != nil else { throw IdentityError.refusal(of: errors) }
                problem = Self.refused(.identityRejected, errors)
                request = .guest(in: context)
            case .refused:
                guard let less = request.reduced(by: errors) else {
                    guard request.token != nil, !errors.allSatisfy({ $0.field.contains("lines") }) else {
                        throw IdentityError.refusal(of: errors)
                    }
                    problem = Self.refused(.cartUserErrors, errors)
                    request = .guest(in: context)
                    continue
                }
                request = less
            case .done, .gone, .silent:
                throw IdentityError(
                    .retryLater,
                    .unexpectedResponse,
                    "Shopify returned neither a cart nor an error.",
                    hint: "Try again."
                )
            }
        }
    }

    /// The session's claim, for a cart that is created even without an identity.
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

    private func mutation(_ lines: [CartLineInput], _ request: BuyerIdentityRequest) -> CartCreate {
        CartCreate(
            lines: lines,
            buyerIdentity: request.input(over: nil),
            addresses: request.address.map { [CartSelectableAddressInput($0)] } ?? []
        )
    }

    private func bind(
        _ cart: Cart,
        _ reply: CartMutationResponse,
        _ request: BuyerIdentityRequest,
        of whole: BuyerIdentityRequest,
        _ problem: IdentityError?,
        _ id: SessionID,
        _ context: StorefrontContext
    ) throws -> CartChange<SessionCart> {
        var problem = problem
        var binding = CartBinding(cartID: cart.id)
        try record(request, of: whole, in: &binding, context)
        record(cart, in: &binding)
        binding.addressIDs = cart.deliveryAddressIDs
        if problem == nil, request.token != nil, reply.seesCustomer, cart.buyerIdentity.customerID == nil {
            problem = Self.identityMissing
        }
        binding.problem = problem?.code
        if let problem { tell(.degraded(problem.code), id) }
        let attachment = CartIdentityResult(
            cart: cart,
            warnings: reply.payload.warnings,
            omitted: problem == nil ? request.omissions(from: whole) : [],
            problem: problem,
            seesCustomer: reply.seesCustomer
        )
        return CartChange(attachment.sessionCart(binding), binding, onConflict: .discardAndRepeat)
    }

    private static func code(of reply: CartMutationResponse) -> IdentityError.Code {
        if case .tokenRefused = reply.verdict { .identityRejected } else { .cartUserErrors }
    }
}

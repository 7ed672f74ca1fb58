internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Creates a cart with as much of the session's identity as Shopify accepts.
    func begin(
        _ lines: [CartLineInput],
        _ id: SessionID,
        _ context: StorefrontContext
    ) async throws -> CartChange<SessionCart> {
        var (claim, problem) = try await claim(for: id)
        var whole = BuyerProposal(claim, in: context)
        var proposal = whole
        do { try await exchange(&proposal) } catch let error as IdentityError where error.kind != .cancelled {
            problem = error
            proposal = .guest(in: context)
        }
        var mayRenew = true
        while true {
            let reply: CartReply
            do {
                reply = try await send(operation(lines, proposal), in: context)
            } catch let error as IdentityError where error.code == .graphQLErrors {
                guard let less = proposal.reduced(by: []) else { throw error }
                proposal = less
                continue
            }
            let errors = reply.payload.userErrors
            if let cart = reply.payload.cart {
                if !errors.isEmpty { problem = Self.refused(Self.code(of: reply), errors) }
                return try bind(cart, reply, proposal, of: whole, problem, id, context)
            }
            switch reply.verdict {
            case .tokenRefused:
                if mayRenew, proposal.token != nil, let renewed = try await renewedProposal(for: id, in: context) {
                    mayRenew = false
                    whole = renewed
                    proposal = renewed
                    do { try await exchange(&proposal) } catch let error as IdentityError
                        where error.kind != .cancelled
                    {
                        problem = error
                        proposal = .guest(in: context)
                    }
                    continue
                }
                guard proposal.token != nil else { throw IdentityError.refusal(of: errors) }
                problem = Self.refused(.identityRejected, errors)
                proposal = .guest(in: context)
            case .refused:
                guard let less = proposal.reduced(by: errors) else {
                    guard proposal.token != nil, !errors.allSatisfy({ $0.field.contains("lines") }) else {
                        throw IdentityError.refusal(of: errors)
                    }
                    problem = Self.refused(.cartUserErrors, errors)
                    proposal = .guest(in: context)
                    continue
                }
                proposal = less
            case .done, .gone, .silent:
                throw IdentityError(
                    .retryLater,
                    .unexpectedResponse,
                    "Shopify answered neither with a cart nor with an error.",
                    hint: "Try again."
                )
            }
        }
    }

    /// The session's claim for a cart that must come into being whatever happens to the identity.
    ///
    /// - Throws: When there is no such session, or the caller left.
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

    private func operation(_ lines: [CartLineInput], _ proposal: BuyerProposal) -> CartCreate {
        CartCreate(
            lines: lines,
            buyerIdentity: proposal.input(over: nil),
            addresses: proposal.address.map { [CartSelectableAddressInput($0)] } ?? []
        )
    }

    private func bind(
        _ cart: Cart,
        _ reply: CartReply,
        _ proposal: BuyerProposal,
        of whole: BuyerProposal,
        _ problem: IdentityError?,
        _ id: SessionID,
        _ context: StorefrontContext
    ) throws -> CartChange<SessionCart> {
        var problem = problem
        var binding = CartBinding(cartID: cart.id)
        try note(proposal, of: whole, on: &binding, in: context)
        see(cart, &binding)
        binding.addressIDs = cart.deliveryAddressIDs
        if problem == nil, proposal.token != nil, reply.seesCustomer, cart.buyerIdentity.customerID == nil {
            problem = Self.identityMissing
        }
        binding.problem = problem?.code
        if let problem { tell(.degraded(problem.code), id) }
        let attachment = Attachment(
            cart: cart,
            warnings: reply.payload.warnings,
            omitted: problem == nil ? proposal.omissions(from: whole) : [],
            problem: problem,
            seesCustomer: reply.seesCustomer
        )
        return CartChange(attachment.sessionCart(binding), binding, onConflict: .discardAndAgain)
    }

    private static func code(of reply: CartReply) -> IdentityError.Code {
        if case .tokenRefused = reply.verdict { .identityRejected } else { .cartUserErrors }
    }
}

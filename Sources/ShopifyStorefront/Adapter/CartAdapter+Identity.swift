internal import IdentityKit
internal import ShopifyGraphQL

/// What attaching came to.
struct Attachment: Sendable {
    var cart: Cart
    var checkoutURL: CheckoutURL?
    var warnings: [CartWarning] = []
    var omitted: [String] = []
    var problem: IdentityError?
    /// Whether this very answer showed that the token was taken.
    var isConfirmed = false
    /// Whether a missing customer means that there is none, and not that we may not see it.
    var seesCustomer: Bool

    var lacksCustomer: Bool { seesCustomer && cart.buyerIdentity.customerID == nil }

    /// Takes over what a later answer shows.
    mutating func follow(_ later: Attachment) {
        cart = later.cart
        checkoutURL = later.checkoutURL
        warnings += later.warnings
        seesCustomer = later.seesCustomer
    }

    func sessionCart(_ binding: CartBinding) -> SessionCart {
        SessionCart(
            cart: cart,
            identity: binding.state,
            warnings: warnings,
            omitted: omitted,
            problem: problem
        )
    }
}

extension CartAdapter {
    /// Whether the cart knows something else of the buyer than the proposal says.
    func isDue(_ proposal: BuyerProposal, on binding: CartBinding) throws -> Bool {
        if binding.isForeign { return false }
        if binding.problem != nil || proposal.country.map({ $0 != binding.country }) ?? false { return true }
        guard let fingerprint = try proposal.fingerprint(for: binding.cartID) else { return binding.identity != .guest }
        return fingerprint != binding.fingerprint
    }

    /// Puts a proposal on a cart; what Shopify does not accept is given up until the rest is accepted.
    ///
    /// A refused token is renewed once. Where nothing helps the cart stays as it was, and the binding says why. The row is written
    /// before anything is sent.
    func attach(
        _ wanted: BuyerProposal,
        to binding: inout CartBinding,
        of operation: CartOperation,
        in context: StorefrontContext
    ) async throws -> Attachment {
        if binding.isForeign {
            var attachment = try await current(&binding, readsCheckoutURL: true, in: context)
            binding.problem = .cartNotIssued
            attachment.problem = Self.notIssued
            return attachment
        }
        let earlier = binding.unanswered
        try await announce(&binding, operation, sendsIdentity: true)
        let attachment = try await put(wanted, on: &binding, of: operation.session, in: context)
        binding.unanswered = outstanding(earlier)
        return attachment
    }

    private func put(
        _ wanted: BuyerProposal,
        on binding: inout CartBinding,
        of id: SessionID,
        in context: StorefrontContext
    ) async throws -> Attachment {
        // Addresses have a mutation of their own, so that a bad one costs nothing else.
        var whole = wanted.withoutAddress()
        whole.companyLocationID = binding.companyLocationID
        var proposal = whole
        do { try await exchange(&proposal) } catch let error as IdentityError where error.kind != .cancelled {
            return try await degrade(error, &binding, id, in: context)
        }
        var mayRenew = true
        while true {
            let update = CartBuyerIdentityUpdate(
                cartID: binding.cartID,
                buyerIdentity: proposal.input(over: binding)
            )
            let reply: CartReply
            do {
                reply = try await send(update, in: context)
            } catch let error as IdentityError where error.code == .graphQLErrors {
                // A country that the enum does not know fails the whole document, not one field.
                guard let less = proposal.reduced(by: []) else { throw error }
                proposal = less
                continue
            }
            switch reply.verdict {
            case .gone: throw CartVanished()
            case .done, .silent:
                var attachment = try await settle(reply, &binding, in: context)
                try note(proposal, of: whole, on: &binding, in: context)
                if proposal.token != nil, attachment.lacksCustomer {
                    attachment.problem = Self.identityMissing
                    binding.problem = .identityMissing
                    tell(.degraded(.identityMissing), id)
                    return attachment
                }
                attachment.omitted = proposal.omissions(from: whole)
                attachment.isConfirmed = proposal.token != nil
                try await place(wanted.address, &attachment, &binding, in: context)
                return attachment
            case .tokenRefused(let errors):
                if mayRenew, proposal.token != nil, let renewed = try await renewedProposal(for: id, in: context) {
                    mayRenew = false
                    whole = renewed
                    whole.companyLocationID = binding.companyLocationID
                    proposal = whole
                    do { try await exchange(&proposal) } catch let error as IdentityError
                        where error.kind != .cancelled
                    { return try await degrade(error, &binding, id, in: context) }
                    continue
                }
                return try await degrade(
                    Self.refused(.identityRejected, errors),
                    &binding,
                    id,
                    after: reply,
                    in: context
                )
            case .refused(let errors):
                if let less = proposal.reduced(by: errors) {
                    proposal = less
                    continue
                }
                return try await degrade(IdentityError.refusal(of: errors), &binding, id, after: reply, in: context)
            }
        }
    }

    /// A claim after a forced renewal; nil when the tokens cannot be renewed, so that the refusal stands.
    func renewedProposal(for id: SessionID, in context: StorefrontContext) async throws -> BuyerProposal? {
        do {
            _ = try await sessions.renewTokens(for: id)
            return BuyerProposal(try await sessions.cartClaim(for: id).claim, in: context)
        } catch {
            let error = IdentityError.wrapping(error)
            guard error.kind != .cancelled, error.code != .sessionUnknown else { throw error }
            return nil
        }
    }

    func send<Operation: CartReading>(
        _ operation: Operation,
        in context: StorefrontContext
    ) async throws -> CartReply where Operation.Output == CartPayload {
        let result = try await client.execute(operation.selecting(selection), in: context)
        return try CartReply(result, selection: selection)
    }

    /// The cart of an answer, read again where the answer says nothing; its id is the one that counts from now on.
    func settle(
        _ reply: CartReply,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> Attachment {
        if let cart = reply.payload.cart {
            see(cart, &binding)
            return Attachment(
                cart: cart,
                checkoutURL: reply.payload.checkoutURL,
                warnings: reply.payload.warnings,
                seesCustomer: reply.seesCustomer
            )
        }
        var attachment = try await current(&binding, readsCheckoutURL: true, in: context)
        attachment.warnings = reply.payload.warnings
        return attachment
    }

    /// Writes down what is on the cart now.
    func note(
        _ proposal: BuyerProposal,
        of whole: BuyerProposal,
        on binding: inout CartBinding,
        in context: StorefrontContext
    ) throws {
        binding.identity = proposal.identity
        binding.fingerprint = try whole.fingerprint(for: binding.cartID)
        // A time that is over by our clock, of a token that Shopify has just taken, is told by one of two clocks that differ.
        let now = client.environment.clock.now
        binding.expiresAt = proposal.token?.expiresAt.flatMap { $0 > now ? $0 : nil }
        binding.problem = nil
        binding.country = whole.country ?? binding.country
        binding.hasEmail = proposal.email != nil
        binding.hasPhone = proposal.phone != nil
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
    }

    /// Puts the buyer's address on the cart, unless the buyer has put one there: what was typed counts more.
    ///
    /// Fields that Shopify refuses are given up one by one, at last the address.
    private func place(
        _ address: PostalAddress?,
        _ attachment: inout Attachment,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws {
        let present = attachment.cart.deliveryAddressIDs
        guard var address, present.allSatisfy(binding.addressIDs.contains) else { return }
        while true {
            let replace = CartDeliveryAddressesReplace(
                cartID: binding.cartID,
                addresses: [CartSelectableAddressInput(address)]
            )
            do {
                let reply = try await send(replace, in: context)
                if case .gone = reply.verdict { throw CartVanished() }
                guard reply.payload.userErrors.isEmpty else {
                    let fields = reply.payload.userErrors.compactMap(\.field.last)
                    guard let less = fields.lazy.compactMap({ address.without($0) }).first else {
                        attachment.omitted.append("address")
                        return
                    }
                    attachment.omitted += fields.prefix(1).map { "address.\($0)" }
                    address = less
                    continue
                }
                attachment.follow(try await settle(reply, &binding, in: context))
                binding.addressIDs = attachment.cart.deliveryAddressIDs
                if binding.identity == .guest { binding.identity = .contact }
                return
            } catch let error as IdentityError where error.code == .graphQLErrors {
                attachment.omitted.append("address")
                return
            }
        }
    }

    /// Leaves the cart as it is, and says why the identity is not on it.
    private func degrade(
        _ problem: IdentityError,
        _ binding: inout CartBinding,
        _ id: SessionID,
        after reply: CartReply? = nil,
        in context: StorefrontContext
    ) async throws -> Attachment {
        var attachment: Attachment
        if let reply {
            attachment = try await settle(reply, &binding, in: context)
        } else {
            attachment = try await current(&binding, readsCheckoutURL: true, in: context)
        }
        binding.problem = problem.code
        attachment.problem = problem
        tell(.degraded(problem.code), id)
        return attachment
    }

    /// Takes over the id of an answer, which counts from now on, and what else is remembered of a cart.
    func see(_ cart: Cart, _ binding: inout CartBinding) {
        binding.cartID = cart.id
        known.see(cart)
        guard policy.vanished == .recreate else { return }
        binding.lines = cart.hasMoreLines ? nil : cart.lines.map(CartLineInput.init)
    }

    /// The token that the cart takes in the place of the claim's, where the policy says so.
    func exchange(_ proposal: inout BuyerProposal) async throws {
        guard let exchange = policy.exchange, let token = proposal.token else { return }
        proposal.send(try await exchange.storefrontToken(for: token))
    }
}

extension CartAdapter {
    static func refused(_ code: IdentityError.Code, _ errors: [CartUserError]) -> IdentityError {
        let refusal = IdentityError.refusal(of: errors)
        guard code == .identityRejected else { return refusal }
        return IdentityError(
            .rejected,
            .identityRejected,
            "Shopify refused the buyer's customer access token for the cart.",
            hint: "Check that the token is this shop's and has the scope customer-account-api:full.",
            providerAnswer: refusal.providerAnswer,
            cause: refusal.cause
        )
    }

    static var notIssued: IdentityError {
        IdentityError(
            .rejected,
            .cartNotIssued,
            "The cart's id came from the buyer's side, so nobody's identity is put on it.",
            hint: "Let the buyer have a cart that this server made, or vouch for the id when it is adopted."
        )
    }

    static var identityMissing: IdentityError {
        IdentityError(
            .rejected,
            .identityMissing,
            "Shopify accepted the customer access token, and the cart has no customer all the same.",
            hint: "Check that the token is this shop's."
        )
    }
}

internal import IdentityKit
internal import ShopifyGraphQL

/// What attaching came to.
struct Attachment: Sendable {
    var cart: Cart
    var checkoutURL: CheckoutURL?
    var warnings: [CartWarning] = []
    var omitted: [String] = []
    var problem: IdentityError?
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
        if binding.problem != nil || proposal.country.map({ $0 != binding.country }) ?? false { return true }
        guard let fingerprint = try proposal.fingerprint(for: binding.cartID) else { return binding.identity != .guest }
        return fingerprint != binding.fingerprint
    }

    /// Puts a proposal on a cart; what Shopify does not accept is given up until the rest is accepted.
    ///
    /// A refused token is renewed once. Where nothing helps the cart stays as it was, and the binding says why.
    func attach(
        _ wanted: BuyerProposal,
        to binding: inout CartBinding,
        of id: SessionID,
        in context: StorefrontContext
    ) async throws -> Attachment {
        // Addresses have a mutation of their own, so that a bad one costs nothing else.
        var whole = wanted.withoutAddress()
        var proposal = whole
        var mayRenew = true
        while true {
            let update = CartBuyerIdentityUpdate(
                cartID: binding.cartID,
                buyerIdentity: proposal.input(over: binding),
                selection: selection
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
                    return attachment
                }
                attachment.omitted = proposal.omissions(from: whole)
                try await place(wanted.address, &attachment, &binding, in: context)
                return attachment
            case .tokenRefused(let errors):
                if mayRenew, proposal.token != nil, let renewed = try await renewedProposal(for: id, in: context) {
                    mayRenew = false
                    whole = renewed
                    proposal = renewed
                    continue
                }
                return try await degrade(.identityRejected, errors, reply, &binding, in: context)
            case .refused(let errors):
                if let less = proposal.reduced(by: errors) {
                    proposal = less
                    continue
                }
                return try await degrade(.cartUserErrors, errors, reply, &binding, in: context)
            }
        }
    }

    /// Takes everything personal off a cart that we put there, and looks whether it is gone.
    func withdraw(_ binding: inout CartBinding, in context: StorefrontContext) async throws -> Attachment {
        let update = CartBuyerIdentityUpdate(
            cartID: binding.cartID,
            buyerIdentity: .detached,
            selection: selection
        )
        let reply = try await send(update, in: context)
        switch reply.verdict {
        case .gone: throw CartVanished()
        case .tokenRefused(let errors), .refused(let errors): throw IdentityError.refusal(of: errors)
        case .done, .silent: break
        }
        var attachment = try await settle(reply, &binding, in: context)
        let ours = binding.addressIDs.filter { attachment.cart.deliveryAddressIDs.contains($0) }
        if !ours.isEmpty {
            let remove = CartDeliveryAddressesRemove(cartID: binding.cartID, addressIDs: ours, selection: selection)
            let removal = try await send(remove, in: context)
            if !removal.payload.userErrors.isEmpty { throw IdentityError.refusal(of: removal.payload.userErrors) }
            attachment.follow(try await settle(removal, &binding, in: context))
        }
        guard attachment.cart.buyerIdentity.customerID == nil else {
            throw IdentityError(
                .retryLater,
                .detachIncomplete,
                "The cart still belongs to the buyer after detaching.",
                hint: "Forget the cart's id, and detach again before anybody else gets it."
            )
        }
        binding.reset()
        return attachment
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

    func send<Operation: GraphQLOperation>(
        _ operation: Operation,
        in context: StorefrontContext
    ) async throws -> CartReply where Operation.Output == CartPayload {
        let result = try await client.execute(operation, in: context)
        return try CartReply(result, selection: selection)
    }

    /// The cart of an answer, read again where the answer says nothing; its id is the one that counts from now on.
    func settle(
        _ reply: CartReply,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> Attachment {
        if let cart = reply.payload.cart {
            binding.cartID = cart.id
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
        binding.expiresAt = proposal.token?.expiresAt
        binding.problem = nil
        binding.country = whole.country ?? binding.country
        binding.hasEmail = proposal.email != nil
        binding.hasPhone = proposal.phone != nil
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
    }

    /// Puts the buyer's address on the cart, unless the buyer has put one there: what was typed counts more.
    private func place(
        _ address: PostalAddress?,
        _ attachment: inout Attachment,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws {
        let present = attachment.cart.deliveryAddressIDs
        guard let address, present.allSatisfy(binding.addressIDs.contains) else { return }
        let replace = CartDeliveryAddressesReplace(
            cartID: binding.cartID,
            addresses: [CartDeliveryAddressInput(address)],
            selection: selection
        )
        do {
            let reply = try await send(replace, in: context)
            if case .gone = reply.verdict { throw CartVanished() }
            guard reply.payload.userErrors.isEmpty else {
                attachment.omitted.append("address")
                return
            }
            attachment.follow(try await settle(reply, &binding, in: context))
            binding.addressIDs = attachment.cart.deliveryAddressIDs
            if binding.identity == .guest { binding.identity = .contact }
        } catch let error as IdentityError where error.code == .graphQLErrors {
            attachment.omitted.append("address")
        }
    }

    private func degrade(
        _ code: IdentityError.Code,
        _ errors: [CartUserError],
        _ reply: CartReply,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> Attachment {
        var attachment = try await settle(reply, &binding, in: context)
        binding.problem = code
        attachment.problem = Self.refused(code, errors)
        return attachment
    }
}

extension CartBinding {
    /// Nothing of the buyer is on the cart any more.
    mutating func reset() {
        identity = .guest
        fingerprint = nil
        expiresAt = nil
        problem = nil
        hasEmail = false
        hasPhone = false
        addressIDs = []
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

    static var identityMissing: IdentityError {
        IdentityError(
            .rejected,
            .identityMissing,
            "Shopify accepted the customer access token, and the cart has no customer all the same.",
            hint: "Check that the token is this shop's."
        )
    }
}

public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Puts the identity of a session's buyer on the session's cart.
    ///
    /// If the session has no identity for carts, the buyer is removed from the cart. After a sign-in, call
    /// ``mergeGuestCart(of:into:merge:in:)`` instead, which also takes over the guest's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartMissing` when the session has no cart. Two cases are no errors, but
    ///   ``SessionCart/identity`` and ``SessionCart/problem`` report them: Shopify rejects the identity, or the cart is not trusted
    ///   (``adopt(_:for:isTrusted:in:)``), so it gets no identity.
    public func attach(
        to id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await attach(to: id, under: nil, in: client.context.overridden(by: context))
    }

    func attach(
        to id: SessionID,
        under locks: InProcessCartLocks?,
        in context: StorefrontContext
    ) async throws -> SessionCart {
        try await withCart(id, under: locks) { binding, locked in
            let claim = try await self.sessions.cartClaim(for: id).claim
            if case .none = claim {
                let result = try await self.detachIfNeeded(&binding, in: context)
                binding.problem = nil
                return result.sessionCart(binding)
            }
            let identity = self.buyerIdentity(claim, in: binding.keepingCountry(in: context))
            return try await self.attach(identity, to: &binding, of: locked, in: context).sessionCart(binding)
        }
    }

    /// Puts an identity on a cart, without the parts that Shopify rejects; an untrusted cart gets no identity.
    ///
    /// If Shopify rejects the whole identity, the earlier identity stays on the cart, and `binding.problem` has the reason.
    func attach(
        _ wanted: CartBuyerIdentity,
        to binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        if binding.isUntrusted {
            var result = try await current(&binding, readsCheckoutURL: true, in: context)
            binding.problem = .cartNotIssued
            result.problem = Self.notIssued
            return result
        }
        let earlier = binding.unanswered
        let result = try await put(wanted, on: &binding, of: locked, in: context)
        // If Shopify rejected this identity, the cart may have the identity of an earlier request without a response. So the record of that
        // request stays.
        binding.unanswered = binding.problem == nil ? outstanding(earlier) : earlier
        return result
    }

    private func put(
        _ wanted: CartBuyerIdentity,
        on binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let id = locked.session
        // The address is sent in a separate mutation, because for an invalid address Shopify would reject the other parts too.
        var sent = wanted
        sent.address = nil
        var negotiation = IdentityNegotiation(sent, companyLocationID: binding.companyLocationID)
        switch try await negotiate(
            &negotiation,
            for: id,
            {
                try await locked.recordIntent(&binding, sendsIdentity: true)
                let input = $0.input(over: binding)
                let update = CartBuyerIdentityUpdate(cartID: binding.cartID, buyerIdentity: input)
                return try await send(update, in: context)
            }
        ) {
        case .rejected(let problem, let response):
            var result =
                if let response {
                    try await resolve(response, &binding, in: context)
                } else {
                    try await current(&binding, readsCheckoutURL: true, in: context)
                }
            degrade(&result, &binding, problem, of: id)
            return result
        case .answered(let response):
            if case .gone = response.outcome { throw CartGone(response.metadata) }
            let identity = negotiation.identity
            var result = try await resolve(response, &binding, in: context)
            guard identity.token != nil || result.cart.buyerIdentity.customerID == nil else {
                throw Self.customerRemains(result.metadata)
            }
            try record(identity, of: negotiation.whole, in: &binding)
            if identity.token != nil, result.lacksCustomer {
                degrade(&result, &binding, Self.identityMissing(result.metadata), of: id)
                return result
            }
            result.omitted = identity.omissions(from: negotiation.whole)
            result.isConfirmed = identity.token != nil
            try await setAddress(wanted.address, &result, &binding, of: locked, in: context)
            return result
        }
    }

    /// Stores in `binding` the identity that Shopify accepted, and the fingerprint of the whole identity, including rejected parts.
    func record(
        _ identity: CartBuyerIdentity,
        of whole: CartBuyerIdentity,
        in binding: inout CartBinding
    ) throws {
        binding.identity = identity.kind
        let fingerprint = try whole.fingerprint(for: binding.cartID)
        if let old = binding.fingerprint, old != fingerprint { binding.isAddressRemoved = false }
        binding.fingerprint = fingerprint
        // Shopify has just accepted the token. So an expiry in the past means that the clocks differ, and is not stored.
        let now = client.environment.clock.now
        binding.expiresAt = identity.token?.expiresAt.flatMap { $0 > now ? $0 : nil }
        binding.problem = nil
        binding.refusedCountry = identity.country == nil ? whole.country : nil
        // If `cartCreate` returned the cart and refused the country, `createCart` stored the country as accepted, so it is removed here.
        if binding.country == binding.refusedCountry { binding.country = nil }
        binding.country = identity.country ?? binding.country
        if binding.country == binding.countryRefusedAlone { binding.countryRefusedAlone = nil }
        if identity.token != nil { binding.companyLocationID = identity.companyLocationID }
        binding.hasEmail = identity.email != nil
        binding.hasPhone = identity.phone != nil
    }

    /// Puts the provider's address on the cart; does nothing if the buyer has entered another address or has removed the provider's
    /// address.
    ///
    /// Fields that Shopify rejects are omitted one by one. If no rejected field can be omitted, the whole address is omitted.
    private func setAddress(
        _ address: PostalAddress?,
        _ result: inout CartIdentityResult,
        _ binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext
    ) async throws {
        let present = result.cart.deliveryAddressIDs
        guard var address, !binding.isAddressRemoved, present.allSatisfy(binding.addressIDs.contains) else { return }
        while true {
            let replace = CartDeliveryAddressesReplace(
                cartID: binding.cartID,
                addresses: [CartSelectableAddressInput(address)]
            )
            do {
                try await locked.recordIntent(&binding, sendsIdentity: true)
                let response = try await send(replace, in: context)
                if case .gone = response.outcome { throw CartGone(response.metadata) }
                guard response.payload.userErrors.isEmpty else {
                    let fields = response.payload.userErrors.compactMap(\.field.last)
                    guard let field = fields.first(where: { address.without($0) != nil }),
                        let less = address.without(field)
                    else {
                        result.omitAddress()
                        return
                    }
                    result.omitted.append("address.\(field)")
                    address = less
                    continue
                }
                let later = try await resolve(response, &binding, in: context) { later in
                    later.cart.deliveryAddressIDs.contains { !present.contains($0) }
                }
                result.update(from: later)
                binding.addressIDs = result.cart.deliveryAddressIDs
                if binding.identity == .guest { binding.identity = .contact }
                return
            } catch let error as IdentityError where error.code == .graphQLErrors {
                result.omitAddress()
                return
            }
        }
    }

    /// Records and reports why the session's identity could not be put on the cart.
    func degrade(
        _ result: inout CartIdentityResult,
        _ binding: inout CartBinding,
        _ problem: IdentityError,
        of id: SessionID
    ) {
        binding.problem = problem.code
        result.problem = problem
        report(.degraded(problem.code), id)
    }
}

public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Puts the session's identity on its cart, for example after a login whose guest had a cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartMissing` when there is no cart. A rejected identity is not an error:
    ///   ``SessionCart/identity`` and ``SessionCart/problem`` report it.
    public func attach(
        to id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await attach(to: id, under: nil, in: context)
    }

    func attach(to id: SessionID, under locks: CartLocks?, in context: StorefrontContext) async throws -> SessionCart {
        try await withLockedRow(id, under: locks) { row in
            guard var binding = row.binding else { throw Self.noCart }
            let claim = try await self.sessions.cartClaim(for: id).claim
            let attachment: CartIdentityResult
            if case .none = claim {
                attachment = try await self.detach(&binding, in: context)
            } else {
                let request = BuyerIdentityRequest(claim, in: context)
                attachment = try await self.attach(request, to: &binding, of: row, in: context)
            }
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// Whether the identity on the cart differs from the requested one.
    func isDue(_ request: BuyerIdentityRequest, on binding: CartBinding) throws -> Bool {
        if binding.isUntrusted { return false }
        if binding.problem != nil || request.country.map({ $0 != binding.country }) ?? false { return true }
        guard let fingerprint = try request.fingerprint(for: binding.cartID) else { return binding.identity != .guest }
        return fingerprint != binding.fingerprint
    }

    /// Puts an identity on a cart.
    ///
    /// Parts that Shopify rejects are omitted, until it accepts the rest. A rejected token is refreshed once. If that
    /// fails, the cart is not changed, and the binding records the reason. The row is written before the first request.
    func attach(
        _ wanted: BuyerIdentityRequest,
        to binding: inout CartBinding,
        of row: LockedCartRow,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        if binding.isUntrusted {
            var attachment = try await current(&binding, readsCheckoutURL: true, in: context)
            binding.problem = .cartNotIssued
            attachment.problem = Self.notIssued
            return attachment
        }
        let earlier = binding.unanswered
        try await row.announce(&binding, sendsIdentity: true)
        let attachment = try await put(wanted, on: &binding, of: row.session, in: context)
        binding.unanswered = outstanding(earlier)
        return attachment
    }

    private func put(
        _ wanted: BuyerIdentityRequest,
        on binding: inout CartBinding,
        of id: SessionID,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        // Addresses have a separate mutation, so that an invalid address does not reject the rest.
        var whole = wanted.withoutAddress()
        whole.companyLocationID = binding.companyLocationID
        var request = whole
        do { try await exchange(&request) } catch let error as IdentityError where error.kind != .cancelled {
            return try await degrade(error, &binding, id, in: context)
        }
        var refreshed: TokenSet?
        while true {
            let update = CartBuyerIdentityUpdate(
                cartID: binding.cartID,
                buyerIdentity: request.input(over: binding)
            )
            let reply: CartMutationResponse
            do {
                reply = try await send(update, in: context)
            } catch let error as IdentityError where error.code == .graphQLErrors {
                // A country that is not in the enum fails the whole document, not one field.
                guard let less = request.reduced(by: []) else { throw error }
                request = less
                continue
            }
            switch reply.verdict {
            case .gone: throw CartVanished()
            case .done, .silent:
                var attachment = try await resolve(reply, &binding, in: context)
                try record(request, of: whole, in: &binding, context)
                if request.token != nil, attachment.lacksCustomer {
                    attachment.problem = Self.identityMissing
                    binding.problem = .identityMissing
                    tell(.degraded(.identityMissing), id)
                    return attachment
                }
                attachment.omitted = request.omissions(from: whole)
                attachment.isConfirmed = request.token != nil
                try await setAddress(wanted.address, &attachment, &binding, in: context)
                return attachment
            case .tokenRefused(let errors):
                if let refreshed {
                    sessions.noteRefusal(of: refreshed, of: id)
                } else if request.token != nil,
                    let (next, tokens) = try await refreshedRequest(for: id, replacing: whole.token, in: context)
                {
                    refreshed = tokens
                    whole = next
                    whole.companyLocationID = binding.companyLocationID
                    request = whole
                    do { try await exchange(&request) } catch let error as IdentityError
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
                if let less = request.reduced(by: errors) {
                    request = less
                    continue
                }
                return try await degrade(IdentityError.refusal(of: errors), &binding, id, after: reply, in: context)
            }
        }
    }

    /// The identity after a forced refresh, with its tokens; nil when they could not be refreshed, so that the rejection stands.
    func refreshedRequest(
        for id: SessionID,
        replacing refused: CustomerAccessToken?,
        in context: StorefrontContext
    ) async throws -> (request: BuyerIdentityRequest, tokens: TokenSet)? {
        do {
            return try await sessions.withAccessToken(of: id) { access in
                let request = BuyerIdentityRequest(try await access.cartClaim(), in: context)
                // Shopify has refused this token, in a response to another request.
                if let refused, let token = request.token, token.token.isEqual(to: refused.token) {
                    throw Self.refusedToken
                }
                return (request, access.tokens)
            }
        } catch {
            let error = IdentityError.wrapping(error)
            guard error.kind != .cancelled, error.code != .sessionUnknown else { throw error }
            return nil
        }
    }

    private static var refusedToken: IdentityError {
        IdentityError(
            .retryLater,
            .accessTokenRefused,
            "The Storefront API refused the customer's access token.",
            hint: "Refresh the access token and try again.",
            reference: "Storefront API reference, cartBuyerIdentityUpdate"
        )
    }

    func send<Operation: CartReading>(
        _ operation: Operation,
        in context: StorefrontContext
    ) async throws -> CartMutationResponse where Operation.Output == CartPayload {
        let result = try await client.execute(operation.selecting(selection), in: context)
        return try CartMutationResponse(result, selection: selection)
    }

    /// The cart of a response.
    ///
    /// It is read again when the response has none. Its id is the cart's id from now on.
    func resolve(
        _ reply: CartMutationResponse,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        if let cart = reply.payload.cart {
            record(cart, in: &binding)
            return CartIdentityResult(
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

    /// Records the identity that is on the cart now.
    func record(
        _ request: BuyerIdentityRequest,
        of whole: BuyerIdentityRequest,
        in binding: inout CartBinding,
        _ context: StorefrontContext
    ) throws {
        binding.identity = request.identity
        binding.fingerprint = try whole.fingerprint(for: binding.cartID)
        // Shopify has just accepted the token. If it has expired by our clock, the clocks differ, and the time is not recorded.
        let now = client.environment.clock.now
        binding.expiresAt = request.token?.expiresAt.flatMap { $0 > now ? $0 : nil }
        binding.problem = nil
        binding.country = whole.country ?? binding.country
        if request.token != nil { binding.companyLocationID = request.companyLocationID }
        binding.hasEmail = request.email != nil
        binding.hasPhone = request.phone != nil
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
    }

    /// Puts the provider's address on the cart, unless the buyer has entered one.
    ///
    /// Fields that Shopify rejects are omitted one by one, and finally the whole address.
    private func setAddress(
        _ address: PostalAddress?,
        _ attachment: inout CartIdentityResult,
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
                attachment.follow(try await resolve(reply, &binding, in: context))
                binding.addressIDs = attachment.cart.deliveryAddressIDs
                if binding.identity == .guest { binding.identity = .contact }
                return
            } catch let error as IdentityError where error.code == .graphQLErrors {
                attachment.omitted.append("address")
                return
            }
        }
    }

    /// Does not change the cart, and records why the identity is not on it.
    private func degrade(
        _ problem: IdentityError,
        _ binding: inout CartBinding,
        _ id: SessionID,
        after reply: CartMutationResponse? = nil,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        var attachment: CartIdentityResult
        if let reply {
            attachment = try await resolve(reply, &binding, in: context)
        } else {
            attachment = try await current(&binding, readsCheckoutURL: true, in: context)
        }
        binding.problem = problem.code
        attachment.problem = problem
        tell(.degraded(problem.code), id)
        return attachment
    }

    /// Replaces the token by one that the cart accepts, if the policy has an exchange.
    func exchange(_ request: inout BuyerIdentityRequest) async throws {
        guard let exchange = policy.exchange, let token = request.token else { return }
        request.replaceToken(by: try await exchange.storefrontToken(for: token))
    }
}

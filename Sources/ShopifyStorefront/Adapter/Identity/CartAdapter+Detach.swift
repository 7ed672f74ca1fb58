public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Removes the buyer from the session's cart, and checks that the buyer was removed.
    ///
    /// The adapter sets the token, e-mail address, phone number and company location of the cart to null, and removes all delivery
    /// addresses. The session keeps the cart as a guest's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.detachIncomplete` when the buyer is still on the cart, or when a temporary
    ///   error hides whether the customer is on the cart. If the app's token may not read customers, the customer's removal is not checked.
    public func detach(
        from id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withCart(id) { binding, _ in
            try await self.detach(&binding, in: context).sessionCart(binding)
        }
    }

    /// Removes the buyer and all delivery addresses, because after a lost response the id of the buyer's address is unknown.
    ///
    /// If `permitsContact` is false, this method throws when Shopify keeps an e-mail address or a phone number on the cart. Pass true if no
    /// other buyer gets the cart, so that this data does not make a checkout or `create` fail.
    func detach(
        _ binding: inout CartBinding,
        permitsContact: Bool = false,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let update = CartBuyerIdentityUpdate(cartID: binding.cartID, buyerIdentity: .detached)
        let response = try await send(update, in: context)
        try response.throwIfRefused()
        var result = try await resolve(response, &binding, in: context) { $0.lacksCustomer && !$0.cart.hasContact }
        let addressIDs = result.cart.deliveryAddressIDs
        if !addressIDs.isEmpty {
            let remove = CartDeliveryAddressesRemove(cartID: binding.cartID, addressIDs: addressIDs)
            try await sendRemoval(remove, &result, &binding, in: context)
        }
        let hint =
            "If the session still exists and has this cart, call detach(from:in:). Do not give the cart to another buyer before "
            + "detach(from:in:) has succeeded."
        guard result.cart.buyerIdentity.customerID == nil, permitsContact || !result.cart.hasContact,
            result.cart.deliveryAddressIDs.isEmpty
        else {
            throw Self.incomplete(
                "The cart still has the customer, an e-mail address, a phone number or a delivery address after the requests to "
                    + "remove them.",
                hint: hint,
                result.metadata
            )
        }
        // `hidden` comes from a temporary error, so a later call can succeed. `denied` is no error here: if the app's token may not read
        // customers, every call would fail.
        guard result.customer != .hidden else {
            let message = "An error in Shopify's response hides whether the cart still has the customer."
            throw Self.incomplete(message, hint: hint, result.metadata)
        }
        binding.reset()
        binding.unanswered = outstanding(binding.unanswered)
        return result
    }

    /// Removes the buyer if the buyer may be on the cart, and any customer that Shopify's response shows.
    ///
    /// Otherwise the cart is only read, because ``detach(_:permitsContact:in:)`` would also remove addresses that the buyer entered. With
    /// `forCheckout`, contact data may stay on the cart, and the result has the checkout URL.
    func detachIfNeeded(
        _ binding: inout CartBinding,
        forCheckout: Bool = false,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        if !binding.mayHoldBuyer {
            let result = try await current(&binding, readsCheckoutURL: forCheckout, in: context)
            if result.cart.buyerIdentity.customerID == nil { return result }
        }
        return try await detach(&binding, permitsContact: forCheckout, in: context)
    }

    /// Removes the gift cards from a cart that another buyer is about to get, because they belong to the previous buyer.
    func removeGiftCards(
        _ result: inout CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws {
        let ids = result.cart.giftCards.map(\.id)
        guard !ids.isEmpty else { return }
        let remove = CartGiftCardCodesRemove(cartID: binding.cartID, appliedGiftCardIDs: ids)
        try await sendRemoval(remove, &result, &binding, in: context)
        guard result.cart.giftCards.isEmpty else {
            throw Self.incomplete(
                "The cart still has a gift card after the request to remove all gift cards.",
                hint: "Do not give this cart to another buyer. Create a new cart for the next buyer.",
                result.metadata
            )
        }
    }

    /// Ignores user errors, because Shopify rejects ids that were removed before; the caller must check that the cart lacks the data.
    private func sendRemoval<Removal: CartReading>(
        _ removal: Removal,
        _ result: inout CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws where Removal.Output == CartPayload {
        let response = try await send(removal, in: context)
        result.update(from: try await resolve(response, &binding, in: context) { _ in true })
    }

    func detachUnlessGone(from binding: CartBinding, permitsContact: Bool = false) async throws {
        var binding = binding
        do {
            _ = try await detach(&binding, permitsContact: permitsContact, in: binding.lastContext)
        } catch is CartGone {
            // The cart no longer exists, so no buyer is on it.
        }
    }

    /// Runs in a separate task, because a cancellation of the caller must not leave the buyer on a cart that no session stores.
    func detachUnsaved(_ binding: CartBinding) async throws {
        try await Task { [self] in try await detachUnlessGone(from: binding) }.value
    }

    /// Removes the buyer from the session's old cart before another cart replaces this cart; does nothing if no buyer can be on it.
    func detachReplaced(_ binding: CartBinding?, in context: StorefrontContext) async throws {
        guard var binding, binding.mayHoldBuyer else { return }
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
        try await detachUnlessGone(from: binding, permitsContact: true)
    }

    func outstanding(_ earlier: CartBinding.Unanswered?) -> CartBinding.Unanswered? {
        earlier.flatMap { lateCallMayArrive(since: $0.since) ? $0 : nil }
    }

    private static func incomplete(_ message: String, hint: String, _ metadata: GraphQLMetadata) -> IdentityError {
        IdentityError(
            .retryLater,
            .detachIncomplete,
            message,
            hint: hint,
            providerResponse: IdentityError.ProviderResponse(metadata)
        )
    }
}

extension CartBinding {
    mutating func reset() {
        identity = .guest
        fingerprint = nil
        expiresAt = nil
        problem = nil
        companyLocationID = nil
        hasEmail = false
        hasPhone = false
        addressIDs = []
        isAddressRemoved = false
    }
}

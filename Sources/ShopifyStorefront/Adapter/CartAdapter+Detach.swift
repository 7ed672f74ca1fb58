public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Removes the buyer from the session's cart, and checks that the customer was removed.
    ///
    /// Token, e-mail, phone and company are sent as explicit nulls, and all delivery addresses are removed. The session
    /// keeps the cart as a guest's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.detachIncomplete` when the buyer is still on the cart.
    public func detach(
        from id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withLockedRow(id) { row in
            guard var binding = row.binding else { throw Self.noCart }
            let attachment = try await self.detach(&binding, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// Removes the buyer from a cart, and checks that the customer was removed.
    ///
    /// All delivery addresses are removed, also those whose ids are not stored: the ids may have been lost with a response.
    func detach(_ binding: inout CartBinding, in context: StorefrontContext) async throws -> CartIdentityResult {
        let update = CartBuyerIdentityUpdate(cartID: binding.cartID, buyerIdentity: .detached)
        let reply = try await send(update, in: context)
        switch reply.verdict {
        case .gone: throw CartVanished()
        case .tokenRefused(let errors), .refused(let errors): throw IdentityError.refusal(of: errors)
        case .done, .silent: break
        }
        var attachment = try await resolve(reply, &binding, in: context)
        let addressIDs = attachment.cart.deliveryAddressIDs
        if !addressIDs.isEmpty {
            let remove = CartDeliveryAddressesRemove(cartID: binding.cartID, addressIDs: addressIDs)
            try await follow(remove, &attachment, &binding, in: context)
        }
        guard attachment.cart.buyerIdentity.customerID == nil, attachment.cart.deliveryAddressIDs.isEmpty else {
            throw Self.stillHolds("the customer or an address of the buyer")
        }
        binding.reset()
        binding.unanswered = outstanding(binding.unanswered)
        return attachment
    }

    /// Removes the gift cards from a cart that somebody else is about to get, because they belong to the buyer.
    func removeGiftCards(
        _ attachment: inout CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws {
        let ids = attachment.cart.giftCards.map(\.id)
        guard !ids.isEmpty else { return }
        let remove = CartGiftCardCodesRemove(cartID: binding.cartID, appliedGiftCardIDs: ids)
        try await follow(remove, &attachment, &binding, in: context)
        guard attachment.cart.giftCards.isEmpty else { throw Self.stillHolds("a gift card") }
    }

    /// Sends one more removal.
    private func follow<Removal: CartReading>(
        _ removal: Removal,
        _ attachment: inout CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws where Removal.Output == CartPayload {
        let reply = try await send(removal, in: context)
        if !reply.payload.userErrors.isEmpty { throw IdentityError.refusal(of: reply.payload.userErrors) }
        attachment.follow(try await resolve(reply, &binding, in: context))
    }

    /// Removes the buyer from a cart that no session has from now on.
    func removeBuyer(from binding: CartBinding) async throws {
        var binding = binding
        do {
            _ = try await detach(&binding, in: binding.lastContext)
        } catch is CartVanished {
            // The cart no longer exists, so no buyer is on it.
        }
    }

    /// Removes the buyer from a cart that is no longer used.
    ///
    /// It runs in a separate task, because a cancellation of the caller must not leave the buyer on the cart.
    func discard(_ binding: CartBinding) async throws {
        try await Task { [self] in try await removeBuyer(from: binding) }.value
    }

    /// Removes the buyer from a replaced cart.
    func release(_ binding: CartBinding?, in context: StorefrontContext) async throws {
        guard var binding, binding.mayHoldBuyer else { return }
        binding.buyerIP = context.buyerIP ?? binding.buyerIP
        try await removeBuyer(from: binding)
    }

    /// An earlier announcement whose data may still arrive, after a later one got its response.
    func outstanding(_ earlier: CartBinding.Unanswered?) -> CartBinding.Unanswered? {
        earlier.flatMap { lateCallMayArrive(since: $0.since) ? $0 : nil }
    }

    private static func stillHolds(_ what: String) -> IdentityError {
        IdentityError(
            .retryLater,
            .detachIncomplete,
            "The cart still has \(what) after detaching.",
            hint: "Do not give the cart to another buyer. Detach again first."
        )
    }
}

extension CartBinding {
    /// Removes the stored data of the buyer, who is no longer on the cart.
    mutating func reset() {
        identity = .guest
        fingerprint = nil
        expiresAt = nil
        problem = nil
        companyLocationID = nil
        hasEmail = false
        hasPhone = false
        addressIDs = []
    }
}

internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Takes everything personal off a cart, and looks whether it is gone.
    ///
    /// All delivery addresses go, also those of which no id is known here: their ids may have been lost with an answer.
    func withdraw(_ binding: inout CartBinding, in context: StorefrontContext) async throws -> Attachment {
        let update = CartBuyerIdentityUpdate(
            cartID: binding.cartID,
            buyerIdentity: .detached
        )
        let reply = try await send(update, in: context)
        switch reply.verdict {
        case .gone: throw CartVanished()
        case .tokenRefused(let errors), .refused(let errors): throw IdentityError.refusal(of: errors)
        case .done, .silent: break
        }
        var attachment = try await settle(reply, &binding, in: context)
        let addressIDs = attachment.cart.deliveryAddressIDs
        if !addressIDs.isEmpty {
            let remove = CartDeliveryAddressesRemove(
                cartID: binding.cartID,
                addressIDs: addressIDs
            )
            let removal = try await send(remove, in: context)
            if !removal.payload.userErrors.isEmpty { throw IdentityError.refusal(of: removal.payload.userErrors) }
            attachment.follow(try await settle(removal, &binding, in: context))
        }
        guard attachment.cart.buyerIdentity.customerID == nil, attachment.cart.deliveryAddressIDs.isEmpty else {
            throw IdentityError(
                .retryLater,
                .detachIncomplete,
                "The cart still has the customer or an address of the buyer after detaching.",
                hint: "Forget the cart's id, and detach again before anybody else gets it."
            )
        }
        binding.reset()
        binding.unanswered = outstanding(binding.unanswered)
        return attachment
    }

    /// Takes the buyer off a cart that belongs to nobody from now on.
    func free(_ binding: CartBinding) async throws {
        var binding = binding
        do {
            _ = try await withdraw(&binding, in: binding.lastContext)
        } catch is CartVanished {
            // What does not exist belongs to nobody.
        }
    }

    /// Takes the buyer off a cart that is given up, in a task of its own: a caller who leaves now must not leave the buyer on it.
    func discard(_ binding: CartBinding) async throws {
        try await Task { [self] in try await free(binding) }.value
    }
}

extension CartBinding {
    /// Nothing of the buyer is on the cart any more.
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

public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Sets the note of the session's cart; an empty text removes the note.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func setNote(
        _ note: String,
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutate(on: id, in: context, isMade: { ($0.cart.note ?? "").isIdentical(to: note) }) {
            binding in
            CartNoteUpdate(cartID: binding.cartID, note: note)
        }
    }

    /// Replaces all attributes of the session's cart.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func setAttributes(
        _ attributes: [CartAttribute],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutate(on: id, in: context, isMade: { Set($0.cart.attributes) == Set(attributes) }) { binding in
            CartAttributesUpdate(cartID: binding.cartID, attributes: attributes)
        }
    }

    /// Adds discount codes to the session's cart, and removes discount codes from it.
    ///
    /// Shopify's mutation replaces the whole list of codes, so the cart is read first. Calls of this method for the same cart wait for each
    /// other, also in different processes. So no call undoes the change of another call. Like Shopify, the adapter compares codes without
    /// regard to case.
    ///
    /// - Throws: `IdentityError`. A code that does not apply is reported as a warning.
    public func changeDiscountCodes(
        adding added: [String] = [],
        removing removed: [String] = [],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withCart(id, .exclusive) { binding, locked in
            let present = try await self.current(&binding, in: context).cart.discountCodes.map(\.code)
            let codes = present.filter { !removed.hasCode($0) }.mergingCodes(added)
            let update = CartDiscountCodesUpdate(cartID: binding.cartID, discountCodes: codes)
            return try await self.perform(update, &binding, of: locked, in: context) { result in
                let now = result.cart.discountCodes.map(\.code)
                return now.count == codes.count && codes.allSatisfy(now.hasCode)
            }
            .sessionCart(binding)
        }
    }

    /// Adds gift cards to the session's cart.
    ///
    /// At a logout, the adapter removes the gift cards before another buyer gets the cart. While the request of this call may still reach
    /// Shopify, no other buyer gets the cart: the adapter records the request with the session before it is sent. Codes that differ only in
    /// upper and lower case count as one card, as at Shopify.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func addGiftCards(
        _ codes: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutateWithIntent(on: id, in: context) { binding in
            CartGiftCardCodesAdd(cartID: binding.cartID, giftCardCodes: [].mergingCodes(codes))
        }
    }

    /// Removes gift cards from the session's cart, by ``CartGiftCard/id``.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func removeGiftCards(
        _ ids: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutate(on: id, in: context) { binding in
            CartGiftCardCodesRemove(cartID: binding.cartID, appliedGiftCardIDs: ids)
        }
    }
}

extension [String] {
    /// Compares discount and gift card codes without regard to case, as Shopify does.
    func hasCode(_ code: String) -> Bool {
        let folded = code.lowercased()
        return contains { $0.lowercased().isIdentical(to: folded) }
    }

    /// Returns these codes, and then each code of `others` that is not in the result yet.
    func mergingCodes(_ others: [String]) -> [String] {
        others.reduce(into: self) { codes, code in
            if !codes.hasCode(code) { codes.append(code) }
        }
    }
}

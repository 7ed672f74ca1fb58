public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Adds gift cards to the session's cart.
    ///
    /// Before the request, the adapter stores with the session that gift cards are sent. After a logout, no other buyer gets this cart
    /// while the request may still reach Shopify. The gift cards are removed before another buyer gets the cart. Codes that differ only in
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

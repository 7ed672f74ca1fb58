public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Adds gift cards to the session's cart.
    ///
    /// The session's attachment records that before they are sent. So no other buyer gets this cart after a logout while a gift card may still
    /// arrive, and gift cards are removed before another buyer gets it. Codes that differ only in case are one card, as at Shopify.
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

public import IdentityKit

/// The result of merging a guest's cart into the buyer's cart after a login.
public struct CartMergeResult: Sendable {
    /// The outcome of the merge.
    public var outcome: CartMergeOutcome
    /// The buyer's cart; nil if the buyer has no cart.
    public var cart: SessionCart?
    /// Lines that Shopify rejected for the buyer's cart, with Shopify's errors.
    public var refusedLines: [(line: CartLineInput, errors: [CartUserError])] = []
    /// Lines that Shopify did not reject, but of which the buyer's cart got too few items, for example because of low stock.
    public var shortLines: [CartLineInput] = []
    /// What a merge of lines did not copy, because the buyer's cart has another value: `note`, or `attribute.KEY` for an attribute.
    public var conflicts: [String] = []
    /// The last characters of the gift cards that the buyer no longer has, from the guest's cart or from the buyer's replaced cart.
    ///
    /// A gift card is not listed if the buyer's cart has a gift card with the same last characters. The adapter does not know the codes of
    /// the listed gift cards, so the buyer must enter the codes again.
    public var lostGiftCards: [String] = []
    /// The guest's session if a later call can merge its cart: the guest has a cart, or another process is creating a cart; otherwise nil.
    public var guest: SessionID?
}

/// The outcome of a merge.
public enum CartMergeOutcome: Sendable, Equatable {
    /// Nothing was merged.
    ///
    /// Possible reasons:
    /// - The guest has no cart, for example because another process has merged it.
    /// - Another session is merging the guest's cart.
    /// - Another process is creating the guest's cart.
    /// - The session to merge from does not exist or is not a guest's, or the session to merge into is a guest's.
    case nothingToMerge
    /// The guest's cart is now the buyer's cart.
    case adopted
    /// The buyer's cart has all lines of the guest, perhaps with fewer items (``CartMergeResult/shortLines``). The guest's session ended.
    case merged
    /// The buyer keeps their own cart. The guest's session has ended, and the guest's cart is not used any more.
    case discarded
    /// Some lines are missing in the buyer's cart. Both carts and the guest's session are kept.
    case partial
}

/// The cart of another session of the same buyer, from ``CartAdapter/otherCarts(ofBuyerOf:)``.
public struct BoundCart: Sendable {
    /// The session that has the cart.
    public let session: SessionID
    /// The id of the cart.
    public let cartID: CartID
    /// The identity on the cart after the last operation.
    public let identity: CartIdentityState
}

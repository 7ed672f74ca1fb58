public import IdentityKit

/// The result of merging a guest's cart into the buyer's cart after a login.
public struct CartMergeResult: Sendable {
    /// The outcome of the merge.
    public var outcome: CartMergeOutcome
    /// The buyer's cart; nil if the buyer has no cart.
    public var cart: SessionCart?
    /// Lines that Shopify rejected for the buyer's cart, with its errors.
    public var refusedLines: [(line: CartLineInput, errors: [CartUserError])] = []
    /// Lines that Shopify did not reject, but whose quantity in the buyer's cart is less than both carts had together.
    ///
    /// The usual reason is the stock.
    public var shortLines: [CartLineInput] = []
    /// The values that differ between the two carts: `note`, or `attribute.` and its key.
    ///
    /// The buyer's cart keeps its own values.
    public var conflicts: [String] = []
    /// The last characters of gift cards on the guest's cart.
    ///
    /// Their codes are unknown, so the buyer must enter them again.
    public var lostGiftCards: [String] = []
    /// The guest's session, if it still has a cart, or if another process is creating its cart; otherwise nil.
    ///
    /// If it is set, repeat the merge later.
    public var guest: SessionID?
}

/// The outcome of a merge.
public enum CartMergeOutcome: Sendable, Equatable {
    /// Nothing was merged: the guest has no cart, for example because another process has merged it, or another session is merging the
    /// cart, or another process is creating it.
    case nothingToMerge
    /// The guest's cart is now the buyer's cart.
    case adopted
    /// The guest's lines are in the buyer's cart, and the guest's session has ended.
    case merged
    /// The buyer keeps their own cart, and the guest's session has ended with its cart.
    case discarded
    /// Some lines are missing in the buyer's cart. Both carts are kept, and the guest's session too.
    case partial
}

/// A cart that is bound to a session.
public struct BoundCart: Sendable {
    /// The session to which the cart is bound.
    public let session: SessionID
    /// The id of the cart.
    public let cartID: CartID
    /// The identity on the cart after the last operation.
    public let identity: CartIdentityState
}

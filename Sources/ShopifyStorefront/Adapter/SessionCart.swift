public import IdentityKit

/// A session's cart after an operation.
public struct SessionCart: Sendable {
    /// The cart as Shopify returned it.
    public let cart: Cart
    /// The identity that the adapter has put on the cart, or the reason why it could not put the identity there.
    public let identity: CartIdentityState
    /// Shopify's warnings; an operation does not fail because of a warning.
    public let warnings: [CartWarning]
    /// The parts of the identity that this operation omitted, because Shopify rejected them or does not accept their form: `email`,
    /// `phone`, `country`, `companyLocation`, `address`, or a field of the address such as `address.zip`.
    public let omitted: [String]
    /// Why this operation could not put the session's identity on the cart; nil if there was no problem.
    public let problem: IdentityError?
}

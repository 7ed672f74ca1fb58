/// The identity that a session can give to a Storefront cart.
public enum CartClaim: Sendable {
    /// A customer access token that signs the buyer in at checkout.
    case customer(CustomerAccessToken)
    /// Contact fields and addresses that prefill a guest checkout.
    case contact(BuyerContact)
    /// No identity: the cart stays a guest cart.
    case none
}

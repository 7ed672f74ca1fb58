public import FoundationEssentials
public import IdentityKit

/// Who the buyer of a cart is.
public enum CartIdentity: String, Sendable {
    /// A guest without prefilled data.
    case guest
    /// A guest whose e-mail address, phone number or delivery address is prefilled at checkout.
    case contact
    /// A signed-in customer.
    case customer
}

/// The identity that the adapter has put on a cart, or the reason why it could not put the identity there.
public enum CartIdentityState: Sendable, Equatable {
    /// No identity: the buyer enters contact data at checkout.
    case guest
    /// An e-mail address, a phone number or a delivery address is prefilled. The checkout is a guest checkout.
    case contact
    /// A signed-in customer. The value is the time at which the token on the cart expires; nil when the time is unknown.
    case customer(until: Date?)
    /// The session's identity could not be put on the cart; the value is the error's code. The next checkout of a trusted cart tries again.
    case degraded(IdentityError.Code)
}

public import IdentityKit

extension IdentityError.Code {
    /// Shopify rejected a change of the customer.
    ///
    /// The error's `cause` is a ``CustomerUserErrors``.
    public static let customerUserErrors = Self(rawValue: "customer_user_errors")
}

public import IdentityKit

extension IdentityError.Code {
    /// Shopify rejected a change of the customer.
    ///
    /// The cause is ``CustomerUserErrors``.
    public static let customerUserErrors = Self(rawValue: "customer_user_errors")
}

public import IdentityKit

extension IdentityError.Code {
    /// Shopify refused a change of the customer; the cause is ``CustomerUserErrors``.
    public static let customerUserErrors = Self(rawValue: "customer_user_errors")
}

public import IdentityKit

extension IdentityError.Code {
    /// The Customer Account API refused the request as a whole: app, scope, shop or version.
    public static let customerAccountRefused = Self(rawValue: "customer_account_refused")
    /// Shopify refused a change of the customer; the cause is ``CustomerUserErrors``.
    public static let customerUserErrors = Self(rawValue: "customer_user_errors")
}

public import IdentityKit

extension IdentityError.Code {
    /// Legacy: e-mail address and password do not belong together, or there is no such customer.
    public static let passwordRefused = Self(rawValue: "password_refused")
    /// Legacy: Shopify refused a change of a legacy customer; the cause is ``LegacyCustomerUserErrors``.
    public static let legacyCustomerUserErrors = Self(rawValue: "legacy_customer_user_errors")
}

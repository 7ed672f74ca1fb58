public import IdentityKit

extension IdentityError.Code {
    /// Legacy: the e-mail address or the password is wrong.
    public static let passwordRefused = Self(rawValue: "password_refused")
    /// Legacy: Shopify rejected a change of a legacy customer, or a sign-in for another reason than ``passwordRefused``.
    ///
    /// The error's `cause` is a ``LegacyCustomerUserErrors``.
    public static let legacyCustomerUserErrors = Self(rawValue: "legacy_customer_user_errors")
}

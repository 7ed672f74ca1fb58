public import IdentityKit

extension IdentityError.Code {
    /// Shopify returned status 403 with an HTML body: the `User-Agent` is missing, or Shopify blocks this machine.
    public static let requestBlocked = Self(rawValue: "request_blocked")
    /// The shop is frozen, locked or closed.
    public static let shopUnavailable = Self(rawValue: "shop_unavailable")
}

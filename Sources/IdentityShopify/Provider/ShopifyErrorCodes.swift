public import IdentityKit

extension IdentityError.Code {
    /// Shopify returned status 403 without an OAuth error: it blocks this machine or its `User-Agent`, or, at the Customer Account API,
    /// the app or the shop.
    public static let requestBlocked = Self(rawValue: "request_blocked")
    /// The Customer Account API reported that the shop is frozen, locked or inactive.
    public static let shopUnavailable = Self(rawValue: "shop_unavailable")
}

public import IdentityKit

extension IdentityError.Code {
    /// The token endpoint returned status 403 without an OAuth error, or the Customer Account API returned status 403.
    ///
    /// Usually Shopify blocks this machine's address or its `User-Agent`. At the Customer Account API, Shopify may also block the app or
    /// the shop.
    public static let requestBlocked = Self(rawValue: "request_blocked")
    /// The Customer Account API reported that the shop is frozen, locked or inactive.
    public static let shopUnavailable = Self(rawValue: "shop_unavailable")
}

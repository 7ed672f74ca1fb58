public import IdentityKit

extension IdentityError.Code {
    /// The token endpoint returned status 403 without an OAuth error, or ``ShopifyProvider/buyerProfile(for:)`` got status 403.
    ///
    /// Usually Shopify blocks this machine's address or its `User-Agent`. At the Customer Account API, Shopify may also block the app or
    /// the shop.
    public static let requestBlocked = Self(rawValue: "request_blocked")
    /// The shop is frozen, locked or inactive, as the Customer Account API reported to ``ShopifyProvider/buyerProfile(for:)``.
    public static let shopUnavailable = Self(rawValue: "shop_unavailable")
}

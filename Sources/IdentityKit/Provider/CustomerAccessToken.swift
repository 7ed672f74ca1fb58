public import FoundationEssentials

/// A Shopify token that identifies the buyer of a cart: a token of the Customer Account API, or of a legacy customer.
///
/// The separate type prevents an app from putting another provider's token on a cart by mistake.
public struct CustomerAccessToken: Sendable {
    /// The token, unchanged and without a `Bearer` prefix.
    public let token: Secret
    /// When the token expires; nil if the expiry is not known.
    public let expiresAt: Date?
    /// The token's issuer; it identifies the shop.
    public let issuer: String
    /// Whether the token belongs to a legacy customer: the Storefront API accepts it, and the Customer Account API does not.
    public let isLegacy: Bool

    /// Creates the value from a token that Shopify issued; the initializer does not check who issued the token.
    public init(issuedByShopify token: Secret, expiresAt: Date?, issuer: String, isLegacy: Bool = false) {
        self.token = token
        self.expiresAt = expiresAt
        self.issuer = issuer
        self.isLegacy = isLegacy
    }
}

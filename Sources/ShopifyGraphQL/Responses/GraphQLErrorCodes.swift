public import IdentityKit

extension IdentityError.Code {
    /// Shopify returned GraphQL errors or an HTTP status for which no other code exists.
    ///
    /// For example, the document selects an unknown field, or a variable has a wrong type.
    public static let graphQLErrors = Self(rawValue: "graphql_errors")
    /// Shopify throttled the operation (`THROTTLED`, HTTP 429), for example because of too many requests or checkouts at once.
    public static let throttled = Self(rawValue: "throttled")
    /// Shopify rejected this or an earlier request as an attack (HTTP 430), for example because the buyer's IP is missing.
    public static let securityRejection = Self(rawValue: "security_rejection")
    /// The Storefront API rejected the request because of the app's token, its scopes, the shop or the API version.
    public static let storefrontRefused = Self(rawValue: "storefront_refused")
    /// Shopify rejected a change of the cart.
    ///
    /// For an operation of `ShopifyStorefront`, the error's `cause` is a `CartUserErrors`.
    public static let cartUserErrors = Self(rawValue: "cart_user_errors")
    /// Shopify rejected the buyer's customer access token for a cart, or returned no Storefront token for that token.
    public static let identityRejected = Self(rawValue: "identity_rejected")
    /// The Customer Account API rejected the request because of the app, the token's scopes, the shop or the API version.
    public static let customerAccountRefused = Self(rawValue: "customer_account_refused")
    /// Polling timed out; the error's `cause` is a ``PollTimeout``.
    public static let pollTimeout = Self(rawValue: "poll_timeout")
    /// The cache policy allows no request, and the client has no valid cached response.
    public static let cacheMiss = Self(rawValue: "cache_miss")
}

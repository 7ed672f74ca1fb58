public import IdentityKit

extension IdentityError.Code {
    /// The document or its variables are wrong by Shopify's reading.
    public static let graphQLErrors = Self(rawValue: "graphql_errors")
    /// Too many requests or checkouts at once (`THROTTLED`, HTTP 429).
    public static let throttled = Self(rawValue: "throttled")
    /// Shopify takes the caller for an attacker (HTTP 430), usually because the buyer's IP is missing.
    public static let securityRejection = Self(rawValue: "security_rejection")
}

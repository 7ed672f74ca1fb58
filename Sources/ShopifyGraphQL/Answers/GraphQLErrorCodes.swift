public import IdentityKit

extension IdentityError.Code {
    /// The document or its variables are wrong by Shopify's reading.
    public static let graphQLErrors = Self(rawValue: "graphql_errors")
    /// Too many requests or checkouts at once (`THROTTLED`, HTTP 429).
    public static let throttled = Self(rawValue: "throttled")
    /// Shopify takes the caller for an attacker (HTTP 430), usually because the buyer's IP is missing.
    public static let securityRejection = Self(rawValue: "security_rejection")
    /// A mutation was sent and no answer came: whether it was carried out nobody knows, and it must not be repeated blindly.
    public static let outcomeUnknown = Self(rawValue: "outcome_unknown")
    /// The Customer Account API refused the request as a whole: app, scope, shop or version.
    public static let customerAccountRefused = Self(rawValue: "customer_account_refused")
    /// What was polled for did not come in time; the cause is ``PollTimeout``.
    public static let pollTimeout = Self(rawValue: "poll_timeout")
    /// The cache alone was to answer, and has nothing.
    public static let cacheMiss = Self(rawValue: "cache_miss")
}

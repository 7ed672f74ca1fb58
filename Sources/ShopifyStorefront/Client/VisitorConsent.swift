public import IdentityKit
public import ShopifyGraphQL

/// A visitor's consent to data collection (`VisitorConsent` of the Storefront API).
///
/// Nil values are not sent: Shopify then decides whether the visitor consents.
public struct VisitorConsent: GraphQLWritable, Hashable {
    /// Consent to analytics.
    public var analytics: Bool?
    /// Consent to marketing.
    public var marketing: Bool?
    /// Consent to preferences.
    public var preferences: Bool?
    /// Consent to the sale of the visitor's data; some laws require this consent.
    public var saleOfData: Bool?

    /// Creates a consent.
    public init(
        analytics: Bool? = nil,
        marketing: Bool? = nil,
        preferences: Bool? = nil,
        saleOfData: Bool? = nil
    ) {
        self.analytics = analytics
        self.marketing = marketing
        self.preferences = preferences
        self.saleOfData = saleOfData
    }

    /// The consent as it is sent.
    public var graphQLValue: JSONValue {
        var input = GraphQLInputObject()
        input.set("analytics", .setIfPresent(analytics))
        input.set("marketing", .setIfPresent(marketing))
        input.set("preferences", .setIfPresent(preferences))
        input.set("saleOfData", .setIfPresent(saleOfData))
        return input.graphQLValue
    }
}

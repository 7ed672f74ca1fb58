public import IdentityKit
public import ShopifyGraphQL

/// What a visitor agreed to (`VisitorConsent`); what is nil is not told, and Shopify goes by the shop's settings.
public struct VisitorConsent: GraphQLWritable, Hashable {
    /// Measuring what visitors do.
    public var analytics: Bool?
    /// Advertising.
    public var marketing: Bool?
    /// Remembering choices.
    public var preferences: Bool?
    /// Selling the visitor's data, in places whose law asks.
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
    public var graphQLValue: JSONValue { .object(object) }

    var object: JSONObject {
        var input = GraphQLInputObject()
        input.set("analytics", .setIfPresent(analytics))
        input.set("marketing", .setIfPresent(marketing))
        input.set("preferences", .setIfPresent(preferences))
        input.set("saleOfData", .setIfPresent(saleOfData))
        return input.json
    }
}

public import ShopifyGraphQL

/// An amount of money as Shopify wrote it, not rounded.
public struct Money: Sendable, Equatable {
    /// The amount as decimal text, for example `12.5`.
    public let amount: String
    /// The currency, ISO 4217.
    public let currencyCode: String

    /// Creates an amount.
    public init(amount: String, currencyCode: String) {
        self.amount = amount
        self.currencyCode = currencyCode
    }
}

extension Money: GraphQLReadable {
    /// Reads amount and currency.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        amount = try node.field("amount")
        currencyCode = try node.field("currencyCode")
    }
}

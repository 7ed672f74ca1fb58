public import IdentityKit
public import ShopifyGraphQL

extension CartID: GraphQLReadable, GraphQLWritable {
    /// Reads a cart's id.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = CartID(rawValue: try node.text()) else { throw node.error("a cart id") }
        self = value
    }

    /// The whole id, for a request's body only.
    public var graphQLValue: JSONValue { .string(rawValue) }
}

extension CustomerAccessToken: GraphQLWritable {
    /// The token itself, for a request's body only.
    public var graphQLValue: JSONValue { .string(token.reveal()) }
}

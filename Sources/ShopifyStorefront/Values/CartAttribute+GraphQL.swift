public import IdentityKit
public import ShopifyGraphQL

extension CartAttribute: GraphQLWritable {
    /// The attribute as it is sent.
    public var graphQLValue: JSONValue { .object(["key": .string(key), "value": .string(value)]) }
}

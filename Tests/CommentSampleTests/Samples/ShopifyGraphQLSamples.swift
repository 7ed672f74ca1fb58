import ShopifyGraphQL

struct WeightUnit: GraphQLOpenEnum {
    let rawValue: String
    static let grams = WeightUnit(rawValue: "GRAMS")
}

struct NamedShop: GraphQLReadable {
    let name: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) { name = try node.field("name") }
}

// The guides have a type of the same name.
private enum OwnOperation {
    struct ShopName: GraphQLOperation {
        static let document = GraphQLDocument(name: "ShopName", kind: .query, text: "query ShopName { shop { name } }")
        var variables: GraphQLInputObject { GraphQLInputObject() }
        static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> NamedShop { try data.field("shop") }
    }
}

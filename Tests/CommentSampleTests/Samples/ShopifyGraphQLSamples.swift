import ShopifyGraphQL

struct WeightUnit: GraphQLOpenEnum {
    let rawValue: String
    static let grams = WeightUnit(rawValue: "GRAMS")
}

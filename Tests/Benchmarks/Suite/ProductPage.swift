internal import ShopifyGraphQL

// A page of products. The SDK's reader and Foundation's decoder read it into the same types.

struct BenchImage: GraphQLReadable, Decodable {
    let id: String
    let url: String
    let altText: String?
    let width: Int?
    let height: Int?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (id, url, altText, width, height) = try (
            node.field("id"),
            node.field("url"),
            node.field("altText"),
            node.field("width"),
            node.field("height")
        )
    }
}

struct BenchMoney: GraphQLReadable, Decodable {
    let amount: String
    let currencyCode: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (amount, currencyCode) = try (
            node.field("amount"),
            node.field("currencyCode")
        )
    }
}

struct BenchSelectedOption: GraphQLReadable, Decodable {
    let name: String
    let value: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (name, value) = try (
            node.field("name"),
            node.field("value")
        )
    }
}

struct BenchPageInfo: GraphQLReadable, Decodable {
    let hasNextPage: Bool
    let endCursor: String?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (hasNextPage, endCursor) = try (
            node.field("hasNextPage"),
            node.field("endCursor")
        )
    }
}

struct BenchVariant: GraphQLReadable, Decodable {
    let __typename: String
    let id: String
    let title: String
    let sku: String?
    let barcode: String?
    let availableForSale: Bool
    let quantityAvailable: Int?
    let requiresShipping: Bool
    let weight: Double?
    let weightUnit: String
    let price: BenchMoney
    let compareAtPrice: BenchMoney?
    let selectedOptions: [BenchSelectedOption]
    let image: BenchImage?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (
            __typename, id, title, sku, barcode, availableForSale, quantityAvailable, requiresShipping, weight,
            weightUnit, price, compareAtPrice, selectedOptions, image
        ) = try (
            node.field("__typename"),
            node.field("id"),
            node.field("title"),
            node.field("sku"),
            node.field("barcode"),
            node.field("availableForSale"),
            node.field("quantityAvailable"),
            node.field("requiresShipping"),
            node.field("weight"),
            node.field("weightUnit"),
            node.field("price"),
            node.field("compareAtPrice"),
            node.field("selectedOptions"),
            node.field("image")
        )
    }
}

struct BenchVariants: GraphQLReadable, Decodable {
    let pageInfo: BenchPageInfo
    let nodes: [BenchVariant]

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (pageInfo, nodes) = try (
            node.field("pageInfo"),
            node.field("nodes")
        )
    }
}

struct BenchImages: GraphQLReadable, Decodable {
    let nodes: [BenchImage]

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        nodes = try node.field("nodes")
    }
}

struct BenchPriceRange: GraphQLReadable, Decodable {
    let minVariantPrice: BenchMoney
    let maxVariantPrice: BenchMoney

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (minVariantPrice, maxVariantPrice) = try (
            node.field("minVariantPrice"),
            node.field("maxVariantPrice")
        )
    }
}

struct BenchOption: GraphQLReadable, Decodable {
    let id: String
    let name: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (id, name) = try (
            node.field("id"),
            node.field("name")
        )
    }
}

struct BenchProduct: GraphQLReadable, Decodable {
    let __typename: String
    let id: String
    let handle: String
    let title: String
    let description: String
    let descriptionHtml: String
    let vendor: String
    let productType: String
    let tags: [String]
    let availableForSale: Bool
    let createdAt: String
    let updatedAt: String
    let priceRange: BenchPriceRange
    let options: [BenchOption]
    let featuredImage: BenchImage?
    let images: BenchImages
    let variants: BenchVariants

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (
            __typename, id, handle, title, description, descriptionHtml, vendor, productType, tags, availableForSale,
            createdAt, updatedAt, priceRange, options, featuredImage, images, variants
        ) = try (
            node.field("__typename"),
            node.field("id"),
            node.field("handle"),
            node.field("title"),
            node.field("description"),
            node.field("descriptionHtml"),
            node.field("vendor"),
            node.field("productType"),
            node.field("tags"),
            node.field("availableForSale"),
            node.field("createdAt"),
            node.field("updatedAt"),
            node.field("priceRange"),
            node.field("options"),
            node.field("featuredImage"),
            node.field("images"),
            node.field("variants")
        )
    }
}

struct BenchProducts: GraphQLReadable, Decodable {
    let pageInfo: BenchPageInfo
    let nodes: [BenchProduct]

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        (pageInfo, nodes) = try (
            node.field("pageInfo"),
            node.field("nodes")
        )
    }
}

struct BenchProductPage: GraphQLReadable, Decodable {
    let products: BenchProducts

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        products = try node.field("products")
    }
}

internal import ShopifyGraphQL

// A page of products. The SDK's reader and Foundation's decoder read it into the same types.

struct BenchImage: GraphQLReadable, Decodable {
    let id: String
    let url: String
    let altText: String?
    let width: Int?
    let height: Int?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        id = try node.field("id")
        url = try node.field("url")
        altText = try node.field("altText")
        width = try node.field("width")
        height = try node.field("height")
    }
}

struct BenchMoney: GraphQLReadable, Decodable {
    let amount: String
    let currencyCode: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        amount = try node.field("amount")
        currencyCode = try node.field("currencyCode")
    }
}

struct BenchSelectedOption: GraphQLReadable, Decodable {
    let name: String
    let value: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        name = try node.field("name")
        value = try node.field("value")
    }
}

struct BenchPageInfo: GraphQLReadable, Decodable {
    let hasNextPage: Bool
    let endCursor: String?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        hasNextPage = try node.field("hasNextPage")
        endCursor = try node.field("endCursor")
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
        __typename = try node.field("__typename")
        id = try node.field("id")
        title = try node.field("title")
        sku = try node.field("sku")
        barcode = try node.field("barcode")
        availableForSale = try node.field("availableForSale")
        quantityAvailable = try node.field("quantityAvailable")
        requiresShipping = try node.field("requiresShipping")
        weight = try node.field("weight")
        weightUnit = try node.field("weightUnit")
        price = try node.field("price")
        compareAtPrice = try node.field("compareAtPrice")
        selectedOptions = try node.field("selectedOptions")
        image = try node.field("image")
    }
}

struct BenchVariants: GraphQLReadable, Decodable {
    let pageInfo: BenchPageInfo
    let nodes: [BenchVariant]

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        pageInfo = try node.field("pageInfo")
        nodes = try node.field("nodes")
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
        minVariantPrice = try node.field("minVariantPrice")
        maxVariantPrice = try node.field("maxVariantPrice")
    }
}

struct BenchOption: GraphQLReadable, Decodable {
    let id: String
    let name: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        id = try node.field("id")
        name = try node.field("name")
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
        __typename = try node.field("__typename")
        id = try node.field("id")
        handle = try node.field("handle")
        title = try node.field("title")
        description = try node.field("description")
        descriptionHtml = try node.field("descriptionHtml")
        vendor = try node.field("vendor")
        productType = try node.field("productType")
        tags = try node.field("tags")
        availableForSale = try node.field("availableForSale")
        createdAt = try node.field("createdAt")
        updatedAt = try node.field("updatedAt")
        priceRange = try node.field("priceRange")
        options = try node.field("options")
        featuredImage = try node.field("featuredImage")
        images = try node.field("images")
        variants = try node.field("variants")
    }
}

struct BenchProducts: GraphQLReadable, Decodable {
    let pageInfo: BenchPageInfo
    let nodes: [BenchProduct]

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        pageInfo = try node.field("pageInfo")
        nodes = try node.field("nodes")
    }
}

struct BenchProductPage: GraphQLReadable, Decodable {
    let products: BenchProducts

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        products = try node.field("products")
    }
}

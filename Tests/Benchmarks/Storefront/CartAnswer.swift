internal import ShopifyGraphQL

// A cart, read by our own reader and by Foundation's into the same types.

struct BenchCustomer: GraphQLReadable, Decodable {
    let id: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        id = try node.field("id")
    }
}

struct BenchBuyer: GraphQLReadable, Decodable {
    let email: String?
    let phone: String?
    let countryCode: String?
    let customer: BenchCustomer?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        email = try node.field("email")
        phone = try node.field("phone")
        countryCode = try node.field("countryCode")
        customer = try node.field("customer")
    }
}

struct BenchCost: GraphQLReadable, Decodable {
    let subtotalAmount: BenchMoney
    let totalAmount: BenchMoney
    let totalTaxAmount: BenchMoney?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        subtotalAmount = try node.field("subtotalAmount")
        totalAmount = try node.field("totalAmount")
        totalTaxAmount = try node.field("totalTaxAmount")
    }
}

struct BenchCode: GraphQLReadable, Decodable {
    let code: String
    let applicable: Bool

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        code = try node.field("code")
        applicable = try node.field("applicable")
    }
}

struct BenchAttribute: GraphQLReadable, Decodable {
    let key: String
    let value: String?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        key = try node.field("key")
        value = try node.field("value")
    }
}

struct BenchLineCost: GraphQLReadable, Decodable {
    let amountPerQuantity: BenchMoney
    let subtotalAmount: BenchMoney
    let totalAmount: BenchMoney

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        amountPerQuantity = try node.field("amountPerQuantity")
        subtotalAmount = try node.field("subtotalAmount")
        totalAmount = try node.field("totalAmount")
    }
}

struct BenchAllocation: GraphQLReadable, Decodable {
    let discountedAmount: BenchMoney

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        discountedAmount = try node.field("discountedAmount")
    }
}

struct BenchLineProduct: GraphQLReadable, Decodable {
    let id: String
    let handle: String
    let title: String
    let vendor: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        id = try node.field("id")
        handle = try node.field("handle")
        title = try node.field("title")
        vendor = try node.field("vendor")
    }
}

struct BenchMerchandise: GraphQLReadable, Decodable {
    let __typename: String
    let id: String
    let title: String
    let sku: String?
    let availableForSale: Bool
    let requiresShipping: Bool
    let price: BenchMoney
    let compareAtPrice: BenchMoney?
    let weight: Double?
    let weightUnit: String
    let selectedOptions: [BenchSelectedOption]
    let image: BenchImage?
    let product: BenchLineProduct

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        __typename = try node.field("__typename")
        id = try node.field("id")
        title = try node.field("title")
        sku = try node.field("sku")
        availableForSale = try node.field("availableForSale")
        requiresShipping = try node.field("requiresShipping")
        price = try node.field("price")
        compareAtPrice = try node.field("compareAtPrice")
        weight = try node.field("weight")
        weightUnit = try node.field("weightUnit")
        selectedOptions = try node.field("selectedOptions")
        image = try node.field("image")
        product = try node.field("product")
    }
}

struct BenchLine: GraphQLReadable, Decodable {
    let __typename: String
    let id: String
    let quantity: Int
    let attributes: [BenchAttribute]
    let cost: BenchLineCost
    let discountAllocations: [BenchAllocation]
    let merchandise: BenchMerchandise

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        __typename = try node.field("__typename")
        id = try node.field("id")
        quantity = try node.field("quantity")
        attributes = try node.field("attributes")
        cost = try node.field("cost")
        discountAllocations = try node.field("discountAllocations")
        merchandise = try node.field("merchandise")
    }
}

struct BenchLines: GraphQLReadable, Decodable {
    let pageInfo: BenchPageInfo
    let nodes: [BenchLine]

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        pageInfo = try node.field("pageInfo")
        nodes = try node.field("nodes")
    }
}

struct BenchCart: GraphQLReadable, Decodable {
    let id: String
    let checkoutUrl: String
    let createdAt: String
    let updatedAt: String
    let note: String?
    let totalQuantity: Int
    let buyerIdentity: BenchBuyer
    let cost: BenchCost
    let discountCodes: [BenchCode]
    let attributes: [BenchAttribute]
    let lines: BenchLines

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        id = try node.field("id")
        checkoutUrl = try node.field("checkoutUrl")
        createdAt = try node.field("createdAt")
        updatedAt = try node.field("updatedAt")
        note = try node.field("note")
        totalQuantity = try node.field("totalQuantity")
        buyerIdentity = try node.field("buyerIdentity")
        cost = try node.field("cost")
        discountCodes = try node.field("discountCodes")
        attributes = try node.field("attributes")
        lines = try node.field("lines")
    }
}

struct BenchCartPage: GraphQLReadable, Decodable {
    let cart: BenchCart?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        cart = try node.field("cart")
    }
}

/// The request of the row `cart-create` of the suite.
struct CartCreateRequest: Encodable {
    struct Document: Decodable {
        let query: String
    }

    struct Line: Encodable {
        let merchandiseId = "gid://shopify/ProductVariant/1"
        let attributes: [CartAttribute]
    }

    struct Buyer: Encodable {
        let countryCode = "US"
        let email = "buyer@example.com"
    }

    struct Input: Encodable {
        let buyerIdentity = Buyer()
        let lines = (1...7).map { Line(attributes: [CartAttribute(key: "number", value: "\($0)")]) }
    }

    struct Variables: Encodable {
        let input = Input()
        let country = "US"
    }

    let query: String
    let variables = Variables()
}

struct CartAttribute: Codable {
    let key: String
    let value: String?
}

/// The response to `cartCreate`.
struct CartCreateResponse: Decodable {
    struct Root: Decodable {
        let cartCreate: Payload
    }

    struct Payload: Decodable {
        let cart: Cart
        let userErrors: [Message]
        let warnings: [Message]
    }

    struct Message: Decodable {
        let code: String?
        let message: String
    }

    struct Money: Decodable {
        let amount: String
        let currencyCode: String
    }

    struct Cart: Decodable {
        let id: String
        let totalQuantity: Int
        let note: String?
        let attributes: [CartAttribute]
        let discountCodes: [DiscountCode]
        let appliedGiftCards: [GiftCard]
        let cost: Cost
        let buyerIdentity: Buyer
        let delivery: Delivery
        let lines: Lines
    }

    struct DiscountCode: Decodable {
        let code: String
        let applicable: Bool
    }

    struct GiftCard: Decodable {
        let id: String
        let lastCharacters: String
    }

    struct Cost: Decodable {
        let subtotalAmount: Money
        let totalAmount: Money
    }

    struct Customer: Decodable {
        let id: String
    }

    struct Buyer: Decodable {
        let email: String?
        let phone: String?
        let countryCode: String?
        let customer: Customer?
    }

    struct Address: Decodable {
        let id: String
    }

    struct Delivery: Decodable {
        let addresses: [Address]
    }

    struct Lines: Decodable {
        let nodes: [Line]
        let pageInfo: PageInfo
    }

    struct PageInfo: Decodable {
        let hasNextPage: Bool
        let endCursor: String?
    }

    struct Line: Decodable {
        let id: String
        let quantity: Int
        let attributes: [CartAttribute]
        let merchandise: Merchandise
        let cost: LineCost
    }

    struct LineCost: Decodable {
        let totalAmount: Money
    }

    struct Merchandise: Decodable {
        let id: String
        let title: String
        let product: Product
    }

    struct Product: Decodable {
        let title: String
    }

    let data: Root
}

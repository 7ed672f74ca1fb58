internal import ShopifyGraphQL

/// A cart as one answer showed it.
public struct Cart: Sendable, Equatable {
    /// The cart's id, a capability; it may differ from the one asked for.
    public let id: CartID
    /// The number of items, all lines together.
    public let totalQuantity: Int
    /// The price of all lines.
    public let subtotal: Money
    /// The price to pay as far as it is known; taxes and delivery may come later.
    public let total: Money
    /// The lines, the first 250 of them (50 with tokenless access).
    public let lines: [CartLine]
    /// Whether there are more lines than ``lines`` shows.
    public let hasMoreLines: Bool
    /// Where the next page of lines begins.
    let linesCursor: String?
    /// The note, nil where there is none.
    public let note: String?
    /// The attributes of the cart.
    public let attributes: [CartAttribute]
    /// The discount codes, also those that do not apply.
    public let discountCodes: [CartDiscountCode]
    /// The gift cards.
    public let giftCards: [CartGiftCard]
    /// Whose cart it is.
    public let buyerIdentity: BuyerIdentity
    /// The ids of the delivery addresses on the cart.
    public let deliveryAddressIDs: [String]

    /// Whose cart it is, as Shopify shows it.
    public struct BuyerIdentity: Sendable, Equatable {
        /// The e-mail address.
        public let email: String?
        /// The phone number.
        public let phone: String?
        /// The country that decides prices.
        public let countryCode: String?
        /// The signed-in customer's global id; nil too when the token may not read customers.
        public let customerID: String?
    }
}

/// A line of a cart.
public struct CartLine: Sendable, Equatable {
    /// The line's id.
    public let id: String
    /// How many.
    public let quantity: Int
    /// The variant's global id.
    public let merchandiseID: String
    /// The variant's title.
    public let variantTitle: String
    /// The product's title.
    public let productTitle: String
    /// The price of the line.
    public let total: Money
    /// The attributes of the line.
    public let attributes: [CartAttribute]
    /// The selling plan, for a subscription.
    public let sellingPlanID: String?
    /// The variant of the line that it belongs to.
    public let parentMerchandiseID: String?
}

/// A name and a text that travel with a cart or a line.
public struct CartAttribute: Sendable, Hashable {
    /// The name.
    public var key: String
    /// The text.
    public var value: String

    /// Creates an attribute.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// A discount code on a cart.
public struct CartDiscountCode: Sendable, Equatable {
    /// The code.
    public let code: String
    /// Whether it takes anything off now.
    public let isApplicable: Bool
}

/// A gift card on a cart; its code is never shown again.
public struct CartGiftCard: Sendable, Equatable {
    /// The id of its use on the cart, for taking it off.
    public let id: String
    /// The last characters of its code.
    public let lastCharacters: String
}

extension Cart: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Quantity and total; nothing about the buyer.
    public var description: String { "cart of \(totalQuantity) for \(total.amount) \(total.currencyCode)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror of quantity and total.
    public var customMirror: Mirror {
        Mirror(self, children: ["totalQuantity": totalQuantity, "total": total], displayStyle: .struct)
    }
}

extension Cart {
    init(_ node: AnswerNode) throws(GraphQLReadingError) {
        guard let id = CartID(rawValue: try node["id"].text()) else { throw node["id"].error("a cart id") }
        self.id = id
        totalQuantity = try node["totalQuantity"].integer()
        subtotal = try Money(node["cost"]["subtotalAmount"])
        total = try Money(node["cost"]["totalAmount"])
        var lines: [CartLine] = []
        for line in try node["lines"]["nodes"].list() { lines.append(try CartLine(line)) }
        self.lines = lines
        hasMoreLines = try node["lines"]["pageInfo"]["hasNextPage"].flag()
        linesCursor = try node["lines"]["pageInfo"]["endCursor"].optionalText()
        note = try node["note"].optionalText()
        attributes = try CartAttribute.list(node["attributes"])
        var codes: [CartDiscountCode] = []
        for code in try node["discountCodes"].optional?.list() ?? [] {
            codes.append(CartDiscountCode(code: try code["code"].text(), isApplicable: try code["applicable"].flag()))
        }
        discountCodes = codes
        var cards: [CartGiftCard] = []
        for card in try node["appliedGiftCards"].optional?.list() ?? [] {
            let last = try card["lastCharacters"].optionalText() ?? ""
            cards.append(CartGiftCard(id: try card["id"].text(), lastCharacters: last))
        }
        giftCards = cards
        buyerIdentity = try BuyerIdentity(node["buyerIdentity"])
        var addresses: [String] = []
        for address in try node["delivery"]["addresses"].list() { addresses.append(try address["id"].text()) }
        deliveryAddressIDs = addresses
    }
}

extension Cart.BuyerIdentity {
    init(_ node: AnswerNode) throws(GraphQLReadingError) {
        email = try node["email"].optionalText()
        phone = try node["phone"].optionalText()
        countryCode = try node["countryCode"].optionalText()
        customerID = try node["customer"].optional?["id"].text()
    }
}

extension CartLine {
    init(_ node: AnswerNode) throws(GraphQLReadingError) {
        id = try node["id"].text()
        quantity = try node["quantity"].integer()
        // A new kind of merchandise has none of these; the cart is readable all the same.
        merchandiseID = try node["merchandise"]["id"].optionalText() ?? ""
        variantTitle = try node["merchandise"]["title"].optionalText() ?? ""
        productTitle = try node["merchandise"]["product"]["title"].optionalText() ?? ""
        total = try Money(node["cost"]["totalAmount"])
        attributes = try CartAttribute.list(node["attributes"])
        sellingPlanID = try node["sellingPlanAllocation"].optional?["sellingPlan"]["id"].optionalText()
        parentMerchandiseID = try node["parentRelationship"].optional?["parent"]["merchandise"]["id"].optionalText()
    }
}

extension CartAttribute {
    fileprivate static func list(_ node: AnswerNode) throws(GraphQLReadingError) -> [CartAttribute] {
        var attributes: [CartAttribute] = []
        for attribute in try node.optional?.list() ?? [] {
            let value = try attribute["value"].optionalText() ?? ""
            attributes.append(CartAttribute(key: try attribute["key"].text(), value: value))
        }
        return attributes
    }
}

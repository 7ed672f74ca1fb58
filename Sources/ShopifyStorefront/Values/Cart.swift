public import IdentityKit
public import ShopifyGraphQL

/// A cart as a response of the Storefront API describes it.
public struct Cart: Sendable, Equatable {
    /// The cart's id, which is a secret; it can differ from the id in the request, because Shopify can return a cart under a new id.
    public let id: CartID
    /// The number of items in all lines.
    public let totalQuantity: Int
    /// The price of all lines, before taxes, delivery and discounts on the whole cart.
    public let subtotal: Money
    /// The price to pay as far as it is known; taxes and delivery may be added later.
    public let total: Money
    /// The first lines of the cart; an operation of ``CartAdapter`` reads at most 250 lines (50 with tokenless access).
    public let lines: [CartLine]
    /// Whether there are more lines than ``lines`` shows.
    public let hasMoreLines: Bool
    /// The end cursor of ``lines``, with which the next page of lines is read.
    let linesCursor: String?
    /// The note; nil if the cart has no note.
    public let note: String?
    /// The attributes of the cart.
    public let attributes: [CartAttribute]
    /// The discount codes, also those that do not apply.
    public let discountCodes: [CartDiscountCode]
    /// The gift cards.
    public let giftCards: [CartGiftCard]
    /// The identity on the cart.
    public let buyerIdentity: BuyerIdentity
    /// The ids of the delivery addresses on the cart.
    public let deliveryAddressIDs: [String]

    /// The identity on a cart, as Shopify shows it.
    public struct BuyerIdentity: Sendable, Equatable {
        /// The e-mail address.
        public let email: String?
        /// The phone number.
        public let phone: String?
        /// The country that decides prices.
        public let countryCode: String?
        /// The signed-in customer's global id; nil if the cart has no customer, or if the response hides it, for example because the app's
        /// token may not read customers.
        public let customerID: String?
    }
}

/// A line of a cart.
public struct CartLine: Sendable, Equatable {
    /// The line's id.
    public let id: String
    /// The quantity.
    public let quantity: Int
    /// The variant's global id; empty if the merchandise is not a product variant.
    public let merchandiseID: String
    /// The variant's title; empty if the merchandise is not a product variant.
    public let variantTitle: String
    /// The product's title; empty if the merchandise is not a product variant.
    public let productTitle: String
    /// The price of the line.
    public let total: Money
    /// The attributes of the line.
    public let attributes: [CartAttribute]
    /// The selling plan of a subscription, or nil; also nil if the app's token lacks the scope `unauthenticated_read_selling_plans`.
    public let sellingPlanID: String?
    /// The global id of the parent line's product variant; for a warranty, the variant that the warranty covers.
    ///
    /// Nil without a parent line, and if the parent line contains no product variant.
    public let parentMerchandiseID: String?
}

/// An attribute of a cart or a line: a name and a text.
public struct CartAttribute: Sendable, Hashable {
    /// The name of the attribute.
    public var key: String
    /// The value of the attribute.
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
    /// Whether the code currently gives a discount on this cart.
    public let isApplicable: Bool
}

/// A gift card on a cart; Shopify returns only the last characters of its code.
public struct CartGiftCard: Sendable, Equatable {
    /// The id of the gift card on this cart, with which it can be removed.
    public let id: String
    /// The last characters of the gift card's code.
    public let lastCharacters: String
}

extension Cart: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text with quantity and total; it contains nothing about the buyer.
    public var description: String { "cart: quantity \(totalQuantity), total \(total.amount) \(total.currencyCode)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// A mirror of quantity and total.
    public var customMirror: Mirror {
        Mirror(self, children: ["totalQuantity": totalQuantity, "total": total], displayStyle: .struct)
    }
}

extension Cart: GraphQLReadable {
    /// Reads the fragment `Cart`.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let (id, totalQuantity): (CartID, Int) = try (node.field("id"), node.field("totalQuantity"))
        let cost = try node.member("cost")
        let page: CartLinePage = try node.field("lines")
        let addresses: [Identified] = try node.member("delivery").field("addresses")
        // One call: if a value were read after a member was assigned, Swift would copy the whole struct at the end.
        self.init(
            id: id,
            totalQuantity: totalQuantity,
            subtotal: try cost.field("subtotalAmount"),
            total: try cost.field("totalAmount"),
            lines: page.nodes,
            hasMoreLines: page.pageInfo.hasNextPage,
            linesCursor: page.pageInfo.endCursor,
            note: try node.field("note"),
            attributes: try node.field("attributes", as: [CartAttribute]?.self) ?? [],
            discountCodes: try node.field("discountCodes", as: [CartDiscountCode]?.self) ?? [],
            giftCards: try node.field("appliedGiftCards", as: [CartGiftCard]?.self) ?? [],
            buyerIdentity: try node.field("buyerIdentity"),
            deliveryAddressIDs: addresses.map(\.id)
        )
    }
}

private struct Identified: GraphQLReadable {
    let id: String

    init(_ node: GraphQLNode) throws(GraphQLReadingError) { id = try node.field("id") }
}

extension Cart.BuyerIdentity: GraphQLReadable {
    /// Reads the buyer of the fragment `Cart`.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        self.init(
            email: try node.field("email"),
            phone: try node.field("phone"),
            countryCode: try node.field("countryCode"),
            customerID: try node.field("customer", as: Identified?.self)?.id
        )
    }
}

extension CartLine: GraphQLReadable {
    /// Reads the fragment `CartLine`.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let id: String = try node.field("id")
        // GraphQL's Int has 32 bits. With larger quantities, the sum of all quantities of a cart could overflow.
        let number = try node.member("quantity")
        let quantity = try number.integer()
        guard Int32(exactly: quantity) != nil else { throw number.error("a 32-bit integer") }
        let merchandise = try node.present("merchandise")
        let sellingPlan = try node.present("sellingPlanAllocation")?.present("sellingPlan")
        let parent = try node.present("parentRelationship")?.present("parent")
        self.init(
            id: id,
            quantity: quantity,
            // If the merchandise is not a `ProductVariant`, these fields are missing, and get empty texts so that the cart can be read.
            merchandiseID: try merchandise?.present("id")?.text() ?? "",
            variantTitle: try merchandise?.present("title")?.text() ?? "",
            productTitle: try merchandise?.present("product")?.present("title")?.text() ?? "",
            total: try node.member("cost").field("totalAmount"),
            attributes: try node.field("attributes", as: [CartAttribute]?.self) ?? [],
            sellingPlanID: try sellingPlan?.present("id")?.text(),
            parentMerchandiseID: try parent?.present("merchandise")?.present("id")?.text()
        )
    }
}

extension GraphQLNode {
    /// The node of a field; nil if the field is null or missing.
    fileprivate func present(_ name: String) throws(GraphQLReadingError) -> GraphQLNode? {
        let node = try member(name)
        return node.isNull ? nil : node
    }
}

extension CartAttribute: GraphQLReadable, GraphQLWritable {
    /// Reads key and value.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        key = try node.field("key")
        value = try node.field("value", as: String?.self) ?? ""
    }

    /// The attribute as it is sent.
    public var graphQLValue: JSONValue { .object(["key": .string(key), "value": .string(value)]) }
}

extension CartDiscountCode: GraphQLReadable {
    /// Reads code and applicability.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        code = try node.field("code")
        isApplicable = try node.field("applicable")
    }
}

extension CartGiftCard: GraphQLReadable {
    /// Reads the card's id and the last characters of its code.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        id = try node.field("id")
        lastCharacters = try node.field("lastCharacters", as: String?.self) ?? ""
    }
}

internal import IdentityKit
internal import ShopifyGraphQL

/// Reads further lines of a cart.
struct CartLinesQuery: GraphQLOperation {
    struct Output: GraphQLReadable {
        /// Nil when there is no such cart.
        let lines: [CartLine]?
        let cursor: String?

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            guard let cart = AnswerNode(node)["cart"].optional else {
                lines = nil
                cursor = nil
                return
            }
            var lines: [CartLine] = []
            for line in try cart["lines"]["nodes"].list() { lines.append(try CartLine(line)) }
            self.lines = lines
            let page = cart["lines"]["pageInfo"]
            cursor = try page["hasNextPage"].flag() ? try page["endCursor"].optionalText() : nil
        }
    }

    let cartID: CartID
    let count: Int
    let cursor: String

    static let document = GraphQLDocument(
        name: "CartLines",
        kind: .query,
        text: """
            query CartLines($cartId: ID!, $lineCount: Int!, $after: String!, $country: CountryCode, $language: LanguageCode)
            \(CartFields.context) {
              cart(id: $cartId) {
                lines(first: $lineCount, after: $after) {
                  nodes { \(CartFields.line) }
                  pageInfo { hasNextPage endCursor }
                }
              }
            }
            """,
        contextVariables: CartFields.contextVariables
    )

    var variables: GraphQLInputObject {
        var variables = GraphQLInputObject()
        variables.set("cartId", cartID.rawValue)
        variables.set("lineCount", count)
        variables.set("after", cursor)
        return variables
    }
}

/// Reads the ways of delivery that a cart offers.
struct CartDeliveryQuery: GraphQLOperation {
    struct Output: GraphQLReadable {
        /// Nil when there is no such cart.
        let groups: [CartDeliveryGroup]?

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            guard let cart = AnswerNode(node)["cart"].optional else {
                groups = nil
                return
            }
            var groups: [CartDeliveryGroup] = []
            for group in try cart["deliveryGroups"]["nodes"].list() {
                var options: [CartDeliveryOption] = []
                for option in try group["deliveryOptions"].list() {
                    options.append(
                        CartDeliveryOption(
                            handle: try option["handle"].text(),
                            title: try option["title"].optionalText(),
                            estimatedCost: try Money(option["estimatedCost"])
                        )
                    )
                }
                let selected = try group["selectedDeliveryOption"].optional?["handle"].optionalText()
                groups.append(
                    CartDeliveryGroup(id: try group["id"].text(), options: options, selectedHandle: selected)
                )
            }
            self.groups = groups
        }
    }

    let cartID: CartID

    static let document = GraphQLDocument(
        name: "CartDelivery",
        kind: .query,
        text: """
            query CartDelivery($cartId: ID!, $country: CountryCode, $language: LanguageCode) \(CartFields.context) {
              cart(id: $cartId) {
                deliveryGroups(first: 10) {
                  nodes {
                    id
                    deliveryOptions { handle title estimatedCost { amount currencyCode } }
                    selectedDeliveryOption { handle }
                  }
                }
              }
            }
            """,
        contextVariables: CartFields.contextVariables
    )

    var variables: GraphQLInputObject {
        var variables = GraphQLInputObject()
        variables.set("cartId", cartID.rawValue)
        return variables
    }
}

/// Lines of a cart that are delivered together, and the ways to do it.
public struct CartDeliveryGroup: Sendable, Equatable {
    /// The group's id.
    public let id: String
    /// The ways; empty until the cart has an address.
    public let options: [CartDeliveryOption]
    /// The handle of the one that is chosen.
    public let selectedHandle: String?
}

/// One way of delivery.
public struct CartDeliveryOption: Sendable, Equatable {
    /// What chooses it.
    public let handle: String
    /// Its name.
    public let title: String?
    /// What it will cost, as far as it is known.
    public let estimatedCost: Money
}

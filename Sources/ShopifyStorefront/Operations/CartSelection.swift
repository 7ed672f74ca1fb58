internal import ShopifyGraphQL

/// How much of a cart is asked for; what the app may not read is not asked for.
public struct CartSelection: Sendable, Equatable {
    /// How many lines, at most 250.
    public var lines: Int
    /// Whether to read the customer on the cart, which needs a token; without the scope Shopify answers `ACCESS_DENIED` beside
    /// the data, and that is tolerated.
    public var readsCustomer: Bool

    /// Everything: 250 lines and the customer.
    public static let full = CartSelection(lines: 250, readsCustomer: true)

    /// Creates a selection.
    public init(lines: Int, readsCustomer: Bool) {
        self.lines = min(max(1, lines), 250)
        self.readsCustomer = readsCustomer
    }

    /// What suits a client: tokenless access reads no customers and has a limit of complexity.
    init(_ authentication: StorefrontAuthentication) {
        self = authentication.readsCustomers ? .full : CartSelection(lines: 50, readsCustomer: false)
    }

    /// Whether a missing customer means that there is none, and not that the token may not see it.
    func seesCustomer(despite errors: [GraphQLError]) -> Bool {
        readsCustomer && !errors.contains { $0.code == .accessDenied && $0.path.contains("customer") }
    }

    var variables: GraphQLInputObject {
        var variables = GraphQLInputObject()
        variables.set("lineCount", lines)
        variables.set("readsCustomer", readsCustomer)
        return variables
    }
}

/// The part of a cart that every operation reads.
enum CartFields {
    /// The variables that the fragment and the directive of each operation need.
    static let parameters = "$country: CountryCode, $language: LanguageCode, $lineCount: Int!, $readsCustomer: Boolean!"
    static let contextVariables = ["country", "language"]
    static let context = "@inContext(country: $country, language: $language)"

    static let line = """
        id
        quantity
        attributes { key value }
        merchandise { ... on ProductVariant { id title product { title } } }
        sellingPlanAllocation { sellingPlan { id } }
        ... on CartLine { parentRelationship { parent { merchandise { ... on ProductVariant { id } } } } }
        cost { totalAmount { amount currencyCode } }
        """

    // No checkoutUrl: while it lives it is a credential, and it is asked for only where it is handed over.
    static let fragment = """
        fragment CartFields on Cart {
          id
          totalQuantity
          note
          attributes { key value }
          discountCodes { code applicable }
          appliedGiftCards { id lastCharacters }
          cost { subtotalAmount { amount currencyCode } totalAmount { amount currencyCode } }
          buyerIdentity { email phone countryCode customer @include(if: $readsCustomer) { id } }
          delivery { addresses { id } }
          lines(first: $lineCount) {
            nodes { \(line) }
            pageInfo { hasNextPage endCursor }
          }
        }
        """
}

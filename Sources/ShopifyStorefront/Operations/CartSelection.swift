internal import IdentityKit
internal import ShopifyGraphQL

/// The parts of a cart that the adapter's operations read; they depend on the app's authentication.
struct CartSelection: Sendable {
    /// The number of lines to read with the cart, at most 250.
    let lines: Int
    /// Whether to read the customer on the cart; without the scope for customers, the response has the data and the error `ACCESS_DENIED`.
    let readsCustomer: Bool

    /// Without a token, Shopify does not permit reading the customer, and limits the complexity of queries, so fewer lines are read.
    init(_ authentication: StorefrontAuthentication) {
        readsCustomer = authentication.hasToken
        lines = readsCustomer ? 250 : 50
    }

    func customerVisibility(despite errors: [GraphQLError]) -> CustomerVisibility {
        guard readsCustomer else { return .denied }
        let isDenied = errors.contains { $0.code == .accessDenied && $0.path.contains("customer") }
        let isHidden = errors.contains { error in
            if error.code == .accessDenied, error.path.contains("customer") { return false }
            return error.path.isEmpty || error.path.contains("customer") || error.path.contains("buyerIdentity")
        }
        return isHidden ? .hidden : isDenied ? .denied : .shown
    }

    /// Whether a response with these errors shows the whole cart, apart from the buyer.
    ///
    /// A denied `sellingPlanAllocation` does not count as hidden, because a shop without subscriptions needs no scope for selling plans.
    func showsContents(despite errors: [GraphQLError]) -> Bool {
        errors.allSatisfy { error in
            error.path.contains("buyerIdentity") || error.path.contains("customer")
                || error.code == .accessDenied && error.path.contains("sellingPlanAllocation")
        }
    }
}

/// Whether a response shows the customer on a cart.
enum CustomerVisibility: Sendable {
    /// The response shows whether a customer is on the cart, and which one.
    case shown
    /// The app's token may not read customers.
    case denied
    /// An error hides the customer, or another part of the buyer's identity, in this response.
    case hidden
}

/// An operation whose response has a cart; the adapter chooses the number of lines, and whether the customer is read.
protocol CartReading: GraphQLOperation {
    var lineCount: Int? { get set }
    var readsCustomer: Bool? { get set }
}

extension CartReading {
    func selecting(_ selection: CartSelection) -> Self {
        var operation = self
        operation.lineCount = selection.lines
        operation.readsCustomer = selection.readsCustomer
        return operation
    }
}

extension CartCreate: CartReading {}
extension CartLinesAdd: CartReading {}
extension CartLinesUpdate: CartReading {}
extension CartLinesRemove: CartReading {}
extension CartBuyerIdentityUpdate: CartReading {}
extension CartDeliveryAddressesReplace: CartReading {}
extension CartDeliveryAddressesRemove: CartReading {}
extension CartDeliveryAddressesAdd: CartReading {}
extension CartDeliveryAddressesUpdate: CartReading {}
extension CartNoteUpdate: CartReading {}
extension CartAttributesUpdate: CartReading {}
extension CartDiscountCodesUpdate: CartReading {}
extension CartGiftCardCodesAdd: CartReading {}
extension CartGiftCardCodesRemove: CartReading {}
extension CartSelectedDeliveryOptionsUpdate: CartReading {}
extension CartQuery: CartReading {}

extension CartCreate {
    /// Creates a cart with lines, a buyer and addresses; empty values are not sent.
    public init(
        lines: [CartLineInput],
        buyerIdentity: CartBuyerIdentityInput = CartBuyerIdentityInput(),
        addresses: [CartSelectableAddressInput] = []
    ) {
        var input = CartInput()
        if !lines.isEmpty { input.lines = .set(lines) }
        if buyerIdentity.graphQLValue.object?.members.isEmpty == false { input.buyerIdentity = .set(buyerIdentity) }
        if !addresses.isEmpty { input.delivery = .set(CartDeliveryInput(addresses: .set(addresses))) }
        self.init(input: .set(input))
    }
}

internal import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// What a cart mutation answers.
public struct CartPayload: Sendable {
    /// The cart; Shopify may leave it out, with user errors and without.
    public let cart: Cart?
    /// Where to pay, where the operation asks for it.
    public let checkoutURL: CheckoutURL?
    /// Why the change was refused; empty when it was made.
    public let userErrors: [CartUserError]
    /// What did not go as wished.
    public let warnings: [CartWarning]

    /// The cart of a change that was made.
    ///
    /// - Throws: `IdentityError` with code `IdentityError.Code.cartUserErrors` or `IdentityError.Code.cartGone`.
    public func checked() throws(IdentityError) -> Cart {
        guard userErrors.isEmpty else { throw IdentityError.refusal(of: userErrors) }
        guard let cart else { throw IdentityError.cartIsGone }
        return cart
    }

    init(_ node: AnswerNode) throws(GraphQLReadingError) {
        _ = try node.object()
        var found: Cart?
        if let cart = node["cart"].optional { found = try Cart(cart) }
        cart = found
        checkoutURL = try CheckoutURL(node["cart"]["checkoutUrl"])
        var errors: [CartUserError] = []
        for error in try node["userErrors"].list() { errors.append(try CartUserError(error)) }
        userErrors = errors
        var warnings: [CartWarning] = []
        for warning in try node["warnings"].list() { warnings.append(try CartWarning(warning)) }
        self.warnings = warnings
    }
}

extension CartPayload: GraphQLReadable {
    /// Reads a payload, or the data of a cart mutation, whose one field is the payload.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        let answer = AnswerNode(node)
        let names = answer.value?.object?.members.map(\.name)
        if let names, names.isEmpty { throw answer["cart"].error("a payload") }
        let isPayload = names?.count != 1 || names?.first == "userErrors"
        try self.init(isPayload ? answer : answer[names?.first ?? ""])
    }
}

extension CheckoutURL {
    /// The URL at a node, nil where the operation did not ask for it.
    init?(_ node: AnswerNode) throws(GraphQLReadingError) {
        guard let text = try node.optionalText() else { return nil }
        guard let url = try? HTTPURL(text) else { throw node.error("a URL") }
        self.init(url)
    }
}

extension IdentityError {
    static var cartIsGone: IdentityError {
        IdentityError(
            .rejected,
            .cartGone,
            "The cart is gone.",
            hint: "Its order is complete or it has expired. The next line begins a new one."
        )
    }

    static func refusal(of errors: [CartUserError]) -> IdentityError {
        let isOutage = errors.contains { $0.code == .serviceUnavailable }
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            .cartUserErrors,
            "Shopify refused the change of the cart.",
            hint: "See the error's cause for the fields.",
            providerAnswer: ProviderAnswer(
                error: (errors.first?.code?.rawValue).map { ForeignName.shown($0) },
                errorDescription: (errors.first?.field).map { ForeignName.shown($0) }
            ),
            cause: CartUserErrors(errors: errors)
        )
    }
}

internal import IdentityKit
internal import ShopifyGraphQL

/// The response to a cart mutation, and what it says about the cart.
struct CartMutationResponse: Sendable {
    enum Outcome: Sendable {
        case done(Cart)
        /// Neither a cart nor an error.
        case empty
        /// No cart, and GraphQL errors that say why. The mutation may have been executed.
        case failed(IdentityError)
        case gone
        /// Shopify rejected the customer access token.
        case tokenRefused([CartUserError])
        case refused([CartUserError])
    }

    let payload: CartPayload
    private(set) var metadata: GraphQLMetadata
    /// Whether the response shows the customer on the cart.
    let customer: CustomerVisibility
    /// Whether the response shows the whole cart, except its buyer.
    let showsContents: Bool
    private(set) var outcome: Outcome

    /// Whether the response does not show if the cart still exists: it has no cart, and only errors that name no field.
    ///
    /// Only the message of such an error says what is wrong, and Shopify translates it.
    var isCartInDoubt: Bool {
        guard case .refused(let errors) = outcome, payload.cart == nil else { return false }
        return errors.allSatisfy { $0.field.isEmpty && ($0.code == .invalid || $0.code == nil) }
    }

    /// Determines the outcome of a mutation from its result.
    ///
    /// - Parameters:
    ///   - result: The mutation's result.
    ///   - selection: The parts of the cart that the mutation reads.
    ///   - failure: The error that the result's GraphQL errors describe.
    /// - Throws: The user errors, if one of them has the code `SERVICE_UNAVAILABLE`.
    init(
        _ result: StorefrontResult<CartPayload>,
        selection: CartSelection,
        failure: @autoclosure () -> IdentityError
    ) throws(IdentityError) {
        payload = result.data
        metadata = result.metadata
        customer = selection.customerVisibility(despite: result.errors)
        showsContents = selection.showsContents(despite: result.errors)
        let errors = payload.userErrors
        if errors.contains(where: { $0.code == .serviceUnavailable }) { throw .refusal(of: errors, result.metadata) }
        if errors.isEmpty {
            outcome = payload.cart.map { .done($0) } ?? (result.errors.isEmpty ? .empty : .failed(failure()))
        } else if errors.contains(where: Self.saysGone) {
            outcome = .gone
        } else if errors.contains(where: Self.refusesToken) {
            outcome = .tokenRefused(errors)
        } else {
            outcome = .refused(errors)
        }
    }

    /// The same response, after a query with this metadata has shown that the cart no longer exists.
    func withoutCart(_ metadata: GraphQLMetadata) -> CartMutationResponse {
        var response = self
        response.outcome = .gone
        response.metadata = metadata
        return response
    }

    /// Whether an error says that the cart no longer exists.
    ///
    /// The error's field decides. For an error without a field, the message decides, but only in English, because Shopify translates it.
    private static func saysGone(_ error: CartUserError) -> Bool {
        guard error.code == .invalid || error.code == nil else { return false }
        guard error.field.isEmpty else { return error.field.last == "cartId" }
        return error.message.isIdentical(to: "The specified cart does not exist.")
    }

    /// Whether an error rejects the customer access token.
    ///
    /// Shopify has no error code for an invalid token. So the code `INVALID` and the field `customerAccessToken` together decide, never the
    /// message.
    private static func refusesToken(_ error: CartUserError) -> Bool {
        error.code == .invalid && error.field.last == "customerAccessToken"
    }
}

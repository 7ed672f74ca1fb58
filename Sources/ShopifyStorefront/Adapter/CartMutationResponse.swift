internal import IdentityKit
internal import ShopifyGraphQL

struct CartMutationResponse: Sendable {
    enum Outcome: Sendable {
        case done
        /// The response has no cart and no error.
        case empty
        /// The response has GraphQL errors and no cart. Shopify may have executed the mutation.
        case failed(IdentityError)
        case gone
        case tokenRefused([CartUserError])
        case refused([CartUserError])
    }

    let payload: CartPayload
    var metadata: GraphQLMetadata
    let customer: CustomerVisibility
    /// Whether the response shows the whole cart, apart from the buyer.
    let showsContents: Bool
    var outcome: Outcome

    /// Whether the cart may no longer exist: the user errors have no field and no precise code, and Shopify translates their messages.
    var isCartInDoubt: Bool {
        guard case .refused(let errors) = outcome, payload.cart == nil else { return false }
        return errors.allSatisfy { $0.field.isEmpty && ($0.code == .invalid || $0.code == nil) }
    }

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
            outcome = payload.cart != nil ? .done : result.errors.isEmpty ? .empty : .failed(failure())
        } else if errors.contains(where: Self.saysGone) {
            outcome = .gone
        } else if errors.contains(where: Self.refusesToken) {
            outcome = .tokenRefused(errors)
        } else {
            outcome = .refused(errors)
        }
    }

    func throwIfRefused() throws {
        switch outcome {
        case .gone: throw CartGone(metadata)
        case .tokenRefused(let errors), .refused(let errors): throw IdentityError.refusal(of: errors, metadata)
        case .done, .empty, .failed: break
        }
    }

    /// For an error without a field, only the English message decides, so a translated message is not recognized (``isCartInDoubt``).
    private static func saysGone(_ error: CartUserError) -> Bool {
        guard error.code == .invalid || error.code == nil else { return false }
        guard error.field.isEmpty else { return error.field.last == "cartId" }
        return error.message.isIdentical(to: "The specified cart does not exist.")
    }

    /// Shopify has no error code for an invalid token, so the field `customerAccessToken` decides, with the code `INVALID` or no code.
    private static func refusesToken(_ error: CartUserError) -> Bool {
        (error.code == .invalid || error.code == nil) && error.field.last == "customerAccessToken"
    }
}

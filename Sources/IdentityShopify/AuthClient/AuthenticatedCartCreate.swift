internal import IdentityKit
internal import ShopifyGraphQL

/// The mutation `cartCreate` of Shopify's tutorial, with the types and fields of the current Storefront API.
struct AuthenticatedCartCreate: GraphQLOperation, GraphQLRedacted {
    static let document = GraphQLDocument(
        name: "cartCreate",
        kind: .mutation,
        text: """
            mutation cartCreate($input: CartInput!) {
              cartCreate(input: $input) {
                cart { checkoutUrl }
                userErrors { code field message }
              }
            }
            """
    )

    let variantId: String
    let accessToken: Secret

    var variables: GraphQLInputObject {
        var line = GraphQLInputObject()
        line.set("merchandiseId", variantId)
        line.set("quantity", 1)
        var buyerIdentity = GraphQLInputObject()
        buyerIdentity.set("customerAccessToken", accessToken.reveal())
        var input = GraphQLInputObject()
        input.set("lines", [line])
        input.set("buyerIdentity", buyerIdentity)
        var variables = GraphQLInputObject()
        variables.set("input", input)
        return variables
    }

    static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> Output {
        try data.field("cartCreate")
    }

    struct Output: GraphQLReadable, GraphQLRedacted {
        struct UserError: GraphQLReadable, GraphQLRedacted {
            let code: String?
            let field: [String]?

            init(_ node: GraphQLNode) throws(GraphQLReadingError) {
                code = try node.field("code")
                field = try node.field("field")
            }

            /// Whether Shopify refused the buyer's access token; the Storefront API has no separate error code for this case.
            var refusesToken: Bool {
                code?.isIdentical(to: "INVALID") == true
                    && field?.last?.isIdentical(to: "customerAccessToken") == true
            }
        }

        let checkoutURL: String?
        let userErrors: [UserError]

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            let cart = try node.member("cart")
            checkoutURL = cart.isNull ? nil : try cart.field("checkoutUrl")
            userErrors = try node.field("userErrors")
        }

        /// Returns the checkout URL of the new cart; throws an error if the response has a user error or no cart.
        func checked() throws(IdentityError) -> String {
            guard let error = userErrors.first(where: \.refusesToken) ?? userErrors.first else {
                guard let checkoutURL else {
                    throw IdentityError(
                        .rejected,
                        .unexpectedResponse,
                        "The Storefront API's response to cartCreate contains no cart and no error.",
                        hint: "Create the cart again. If that fails too, ask Shopify's support.",
                        reference: "Storefront API reference, cartCreate"
                    )
                }
                return checkoutURL
            }
            let response = IdentityError.ProviderResponse(
                error: error.code.map { ForeignName.shown($0) },
                errorDescription: error.field.map { ForeignName.shown($0) }
            )
            if error.refusesToken {
                throw IdentityError(
                    .rejected,
                    .identityRejected,
                    "Shopify does not accept the buyer's access token for a cart.",
                    hint:
                        "Check that the access token belongs to this shop and has the scope customer-account-api:full. If the shop and "
                        + "the scope are right, refresh the access token or let the buyer sign in again. Then create the cart with the "
                        + "new access token.",
                    reference: "Storefront API reference, CartBuyerIdentityInput",
                    providerResponse: response
                )
            }
            let isOutage = error.code?.isIdentical(to: "SERVICE_UNAVAILABLE") == true
            throw IdentityError(
                isOutage ? .retryLater : .rejected,
                .cartUserErrors,
                "Shopify reported an error for the new cart.",
                hint: isOutage
                    ? "Try again later."
                    : "Read the code and the field in providerResponse of this error. Check that variantId is the global id of a variant "
                        + "that the sales channel of the Storefront access token sells.",
                reference: "Storefront API reference, cartCreate",
                providerResponse: response
            )
        }
    }
}

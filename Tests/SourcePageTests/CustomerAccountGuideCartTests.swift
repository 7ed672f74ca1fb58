import Foundation
import IdentityKit
import IdentitySandbox
import IdentityShopify
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestDoubles
import Testing

/// The mutation as the guide sends it to the Storefront API.
private struct PageTokenCreate: GraphQLOperation {
    static let document = GraphQLDocument(
        name: "storefrontCustomerAccessTokenCreate",
        kind: .mutation,
        text: "mutation { storefrontCustomerAccessTokenCreate { customerAccessToken userErrors { field message } } }",
        repetition: .once
    )
    var variables: GraphQLInputObject { GraphQLInputObject() }
    typealias Output = JSONValue
}

/// The mutation as the guide prints it, with a comment that GraphQL does not have.
private struct PageCartCreate: GraphQLOperation {
    static let document = GraphQLDocument(
        name: "cartCreate",
        kind: .mutation,
        text: """
            mutation cartCreate($input: CartInput!) {
              cartCreate(input: $input) {
                cart {
                  id
                  // other fields
                }
                userErrors { field message }
              }
            }
            """,
        repetition: .once
    )
    var variables: GraphQLInputObject {
        var variables = GraphQLInputObject()
        variables.set("input", GraphQLInputObject())
        return variables
    }
    typealias Output = JSONValue
}

@Suite("Carts in the guide Customer Account API Authentication")
struct CustomerAccountGuideCartTests {
    @Test("the Storefront API has no token exchange, and a cart takes the access token itself", .sample("G10"))
    func tokenExchange() async throws {
        let shop = try await Shop()
        let storefront = try shop.storefront()
        #expect(await failure { try await storefront.execute(PageTokenCreate()) }?.code == .graphQLErrors)
        let client = shop.client()
        let accessToken = try await client.login(with: shop.buyer()).accessToken
        _ = try await client.createAuthenticatedCart(variantId: Shop.variant, accessToken: accessToken)
        #expect(shop.sandbox.storefront.cartStates.first?.customerAccessToken == accessToken)
    }

    @Test("Shopify refuses the guide's cartCreate because of its comment", .sample("G11"))
    func cartDocument() async throws {
        let shop = try await Shop()
        let storefront = try shop.storefront()
        #expect(await failure { try await storefront.execute(PageCartCreate()) }?.code == .graphQLErrors)
        #expect(shop.sandbox.storefront.cartStates.isEmpty)
    }

    @Test("inputs are created with initializers, and a cart shows its customer", .sample("G12"))
    func cartInput() async throws {
        let shop = try await Shop()
        let payload = try await create(in: shop, try await token(in: shop))
        #expect(payload.userErrors.isEmpty && payload.cart?.totalQuantity == 1)
        #expect(payload.cart?.buyerIdentity.customerID != nil)
    }

    @Test("an existing cart gets the customer, and an explicit null removes it", .sample("G13"))
    func cartUpdate() async throws {
        let shop = try await Shop()
        let storefront = try shop.storefront()
        let cart = try #require(try await create(in: shop, nil).cart)
        #expect(cart.buyerIdentity.customerID == nil)
        let token = try await token(in: shop)
        let attached = try await storefront.execute(
            CartBuyerIdentityUpdate(
                cartID: cart.id,
                buyerIdentity: CartBuyerIdentityInput(customerAccessToken: .set(token))
            )
        )
        #expect(attached.data.cart?.buyerIdentity.customerID != nil)
        let detached = try await storefront.execute(
            CartBuyerIdentityUpdate(
                cartID: cart.id,
                buyerIdentity: CartBuyerIdentityInput(customerAccessToken: .null)
            )
        )
        #expect(detached.data.cart?.buyerIdentity.customerID == nil)
    }

    private func token(in shop: Shop) async throws -> CustomerAccessToken {
        let tokens = try await shop.client().login(with: shop.buyer()).tokens
        return CustomerAccessToken(
            issuedByShopify: tokens.accessToken,
            expiresAt: tokens.expiresAt,
            issuer: tokens.buyer.issuer
        )
    }

    private func create(
        in shop: Shop,
        _ storefrontCustomerAccessToken: CustomerAccessToken?
    ) async throws -> CartPayload {
        let cartLines = [CartLineInput(merchandiseID: Shop.variant, quantity: .set(1))]
        let input = CartInput(
            buyerIdentity: .set(
                CartBuyerIdentityInput(customerAccessToken: .setIfPresent(storefrontCustomerAccessToken))
            ),
            lines: .set(cartLines)
        )
        return try await shop.storefront().execute(CartCreate(input: .set(input))).data
    }
}

import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import ShopifyStorefrontExperimental

extension Samples {
    static func carts(_ canary: SecretCanary) throws -> [Any] {
        let id = CartID(rawValue: "gid://shopify/Cart/\(canary.plant("cart"))?key=\(canary.plant("key"))")
        let identity = CartBuyerIdentityInput(email: .set(canary.plant("email")), phone: .set(canary.plant("phone")))
        let delivery = CartSelectableAddressInput(address(canary))
        let authentication = StorefrontAuthentication.privateToken(secret("private", canary))
        let text = #"""
            {"cartCreate":{"cart":null,"userErrors":[{"code":"INVALID","field":["email"],"message":"\#(canary.plant("message"))"}],
             "warnings":[{"code":"X","message":"\#(canary.plant("message"))","target":"\#(canary.plant("target"))"}]}}
            """#
        let payload = try CartCreate.output(GraphQLNode(parsing: Array(text.utf8)))
        let customer = CustomerAccessToken(issuedByShopify: secret("customer", canary), expiresAt: nil, issuer: "i")
        let clone = #"""
            {"cart":{"id":"gid://shopify/Cart/\#(canary.plant("cart"))?key=\#(canary.plant("key"))","totalQuantity":0,
             "cost":{"totalAmount":{"amount":"0.0","currencyCode":"USD"}}},"userErrors":[],"warnings":[]}
            """#
        let cloned = try ExperimentalCartPayload(GraphQLNode(parsing: Array(clone.utf8)))
        var values: [Any] = [identity, delivery, authentication, payload, cloned]
        values += payload.userErrors as [Any]
        values += payload.warnings as [Any]
        do { _ = try payload.checked() } catch {
            values.append(error)
            if let cause = error.cause { values.append(cause) }
        }
        values.append(CartCreate(lines: [], buyerIdentity: identity, addresses: [delivery]))
        values.append(StorefrontContext(buyerIP: canary.plant("ip"), buyer: customer))
        if let id {
            values.append(id)
            values.append(CartBuyerIdentityUpdate(cartID: id, buyerIdentity: identity))
            values.append(CartLinesAdd(cartID: id, lines: []))
            values.append(CartQuery(cartID: id))
            values.append(CartDeliveryAddressesRemove(cartID: id, addressIDs: []))
            values.append(CartDeliveryAddressesReplace(cartID: id, addresses: [delivery]))
        }
        values.append(
            CartSelectableAddressUpdateInput(
                id: canary.plant("address"),
                address: .set(CartAddressInput(address(canary)))
            )
        )
        var policy = CartPolicy()
        let exchange = CustomerTokenExchange(
            endpoint: try HTTPURL("https://shop.example/account/customer/api/2026-10/graphql"),
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        policy.exchange = exchange
        values += [policy, exchange, CartEvent.Kind.gone] as [Any]
        if let session = SessionID(rawValue: "AAAAAAAAAAAAAAAAAAAAAA") {
            values.append(CartEvent(.degraded(.identityRejected), session: session.reference))
            values.append(LockName.attachment("cart", of: session))
            values.append(LockName.object(canary.plant("cart")))
        }
        return values
    }
}

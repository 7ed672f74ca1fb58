import IdentityHTTP
import IdentityKit
import IdentitySandbox
import ShopifyGraphQL
import StorefrontSandbox
import TestGuides
import Testing

@testable import ShopifyStorefront

@Suite struct EveryOperationTests {
    private let shop: SandboxShop
    private let client: StorefrontClient
    private let events = EventRecorder()

    init() async throws {
        shop = try await SandboxShop(exchanges: true)
        var context = shop.context
        context.visitorConsent = VisitorConsent(analytics: true, marketing: false)
        client = StorefrontClient(
            configuration: shop.carts.client.configuration,
            environment: IdentityEnvironment(transport: try CurlTransport()),
            context: context,
            retry: .none,
            observers: [events]
        )
    }

    @discardableResult
    private func run<Operation: GraphQLOperation>(_ operation: Operation) async throws -> Operation.Output {
        let result = try await client.execute(operation)
        #expect(result.errors.isEmpty, "\(Operation.document.name)")
        return result.data
    }

    @Test("every generated operation runs, and every one on a cart sends the visitor's consent")
    func everyOperation() async throws {
        // Adding a line for a signed-in buyer sends the operation in the folder TokenExchange.
        _ = try await shop.carts.add(shop.mugs(), for: try await shop.login(), in: shop.context)
        try await runCatalogue()
        try await runCart()
        let bodies = (shop.storefront.requests + shop.sandbox.shopify.requests).map(\.bodyText)
        #expect(try GeneratedOperations.missing(in: "ShopifyStorefront", from: bodies) == [])
        #expect(try GeneratedOperations.missing(in: "ShopifyStorefront/TokenExchange", from: bodies) == [])
        let withoutConsent = events.events.filter { $0.kind == .contextNotSent(["visitorConsent"]) }.map(\.operation)
        #expect(withoutConsent.contains("ShopInfo") && withoutConsent.allSatisfy { !$0.hasPrefix("Cart") })
        #expect(Set(withoutConsent).count == withoutConsent.count)
    }

    private func runCatalogue() async throws {
        try await run(ShopInfo())
        try await run(ShopLocalization())
        let collection = try #require(try await run(CollectionsPage(first: 1)).nodes.first).id
        try await run(CollectionsWithProducts())
        try await run(CollectionProducts(id: .set(collection)))
        let products = try await run(ProductsPage(first: 2)).nodes
        try #require(products.count == 2)
        try await run(ProductByID(id: products[0].id))
        try await run(ProductByHandle(handle: products[0].handle))
        try await run(ProductVariantsPage(id: products[0].id))
        #expect(try await run(ProductRecommendations(productID: .set(products[0].id)))?.isEmpty == false)
        let pair = try await run(ProductComparison(left: products[0].id, right: products[1].id))
        #expect(pair.left?.id == products[0].id && pair.right?.id == products[1].id)
        try await run(NodeByID(id: products[0].id))
        let nodes = try await run(NodesByID(ids: [products[1].id, "gid://shopify/Product/999"]))
        #expect(nodes.map { $0?.id } == [products[1].id, nil])
        try await run(NodePair(first: products[0].id, second: collection))
        #expect(try await run(SearchPage(query: "mug")).nodes.count == 1)
        try await run(PredictiveSearchQuery(query: "mug"))
    }

    private func runCart() async throws {
        func change<Operation: GraphQLOperation>(_ operation: Operation) async throws -> Cart
        where Operation.Output == CartPayload { try await run(operation).checked() }
        var cart = try await change(CartCreate(lines: shop.mugs()))
        let id = cart.id
        cart = try await change(
            CartLinesAdd(cartID: id, lines: [CartLineInput(merchandiseID: SandboxShop.shirt, quantity: 1)])
        )
        cart = try await change(CartLinesUpdate(cartID: id, lines: [.init(id: cart.lines[0].id, quantity: 2)]))
        #expect(cart.totalQuantity == 3)
        cart = try await change(CartLinesRemove(cartID: id, lineIDs: [cart.lines[1].id]))
        #expect(try await run(CartQuery(cartID: id))?.cart.lines.count == 1)
        #expect(try await run(CartLinesQuery(cartID: id, after: "none")) != nil)
        _ = try await change(CartNoteUpdate(cartID: id, note: "n"))
        _ = try await change(CartAttributesUpdate(cartID: id, attributes: [CartAttribute(key: "a", value: "b")]))
        _ = try await change(CartDiscountCodesUpdate(cartID: id, discountCodes: ["SANDBOX10"]))
        _ = try await change(CartGiftCardCodesUpdate(cartID: id, giftCardCodes: ["ABCD1234"]))
        cart = try await change(CartGiftCardCodesAdd(cartID: id, giftCardCodes: ["EFGH5678"]))
        _ = try await change(CartGiftCardCodesRemove(cartID: id, appliedGiftCardIDs: cart.giftCards.map(\.id)))
        var address = PostalAddress()
        address.countryCode = "US"
        let input = CartSelectableAddressInput(address)
        _ = try await change(CartDeliveryAddressesReplace(cartID: id, addresses: [input]))
        cart = try await change(CartDeliveryAddressesAdd(cartID: id, addresses: []))
        let group = try #require(try await run(CartDeliveryQuery(cartID: id))?.deliveryGroups.nodes.first)
        let option = CartSelectedDeliveryOptionInput(
            deliveryGroupID: group.id,
            deliveryOptionHandle: group.deliveryOptions[0].handle
        )
        _ = try await change(CartSelectedDeliveryOptionsUpdate(cartID: id, selectedDeliveryOptions: [option]))
        let selected = CartSelectableAddressUpdateInput(id: cart.deliveryAddressIDs[0], selected: .set(false))
        _ = try await change(CartDeliveryAddressesUpdate(cartID: id, addresses: [selected]))
        _ = try await change(CartDeliveryAddressesRemove(cartID: id, addressIDs: cart.deliveryAddressIDs))
        let identity = CartBuyerIdentityInput(email: .set("ada@example.com"))
        #expect(
            try await change(CartBuyerIdentityUpdate(cartID: id, buyerIdentity: identity)).buyerIdentity.email != nil
        )
        let metafield = CartMetafieldsSetInput(
            key: "k",
            ownerID: id.rawValue,
            type: "single_line_text_field",
            value: "v"
        )
        #expect(try await run(CartMetafieldsSet(metafields: [metafield])).userErrors.isEmpty)
        let key = CartMetafieldDeleteInput(key: "k", ownerID: id.rawValue)
        #expect(try await run(CartMetafieldDelete(input: key)).userErrors.isEmpty)
    }
}

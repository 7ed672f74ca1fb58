import IdentityHTTP
import IdentityKit
import IdentitySandbox
import ShopifyGraphQL
import StorefrontSandbox
import TestGuides
import Testing

@testable import ShopifyStorefront

/// The case studies of the Mobile Buy SDK's README about checkouts, with current operations, against the sandbox over HTTP.
@Suite struct MobileBuyCheckoutTests {
    private let shop: SandboxShop
    private var client: StorefrontClient { shop.carts.client }

    init() async throws { shop = try await SandboxShop() }

    private func change<Operation: GraphQLOperation>(_ operation: Operation) async throws -> Cart
    where Operation.Output == CartPayload {
        try await client.execute(operation, in: shop.context).data.checked()
    }

    private func address(_ line: String, selected: Bool = true) -> CartSelectableAddressInput {
        var address = PostalAddress()
        address.givenName = "Ada"
        address.familyName = "Lovelace"
        address.line1 = line
        address.city = "New York"
        address.regionCode = "NY"
        address.postalCode = "10001"
        address.countryCode = "US"
        return CartSelectableAddressInput(address, isSelected: selected)
    }

    @Test(
        "case study: one call creates a cart with lines, buyer, address, note, attributes, codes, gift cards and metafields",
        .row("D1")
    )
    func creation() async throws {
        let input = CartInput(
            attributes: .set([CartAttribute(key: "gift", value: "yes")]),
            buyerIdentity: .set(CartBuyerIdentityInput(countryCode: .set("US"), email: .set("ada@example.com"))),
            delivery: .set(CartDeliveryInput(addresses: .set([address("1 Way")]))),
            discountCodes: .set(["SANDBOX10"]),
            giftCardCodes: .set(["ABCD1234"]),
            lines: .set(shop.mugs(2)),
            metafields: .set([.init(key: "engraving", type: "single_line_text_field", value: "A. L.")]),
            note: .set("ring twice")
        )
        let payload = try await client.execute(CartCreate(input: .set(input)), in: shop.context).data
        let cart = try payload.checked()
        #expect(payload.warnings.isEmpty && cart.totalQuantity == 2 && cart.total.amount == "22.5")
        #expect(cart.note == "ring twice" && cart.attributes == [CartAttribute(key: "gift", value: "yes")])
        #expect(cart.discountCodes == [CartDiscountCode(code: "SANDBOX10", isApplicable: true)])
        #expect(cart.giftCards.map(\.lastCharacters) == ["1234"] && cart.buyerIdentity.email == "ada@example.com")
        let state = try shop.state(cart)
        #expect(state.metafields == ["engraving": "A. L."] && state.addresses == ["1 Way, New York, US"])
        #expect(shop.storefront.requests.count == 1)
    }

    @Test(
        "case study: shipping addresses are added, changed, replaced and removed, and an empty list of changes removes all",
        .row("D3")
    )
    func shippingAddress() async throws {
        let id = try await change(CartCreate(lines: shop.mugs())).id
        var cart = try await change(CartDeliveryAddressesAdd(cartID: id, addresses: [address("1 Way")]))
        let moved = CartSelectableAddressUpdateInput(
            id: try #require(cart.deliveryAddressIDs.first),
            address: .set(address("2 Way").address)
        )
        cart = try await change(CartDeliveryAddressesUpdate(cartID: id, addresses: [moved]))
        #expect(try shop.state(cart).addresses == ["2 Way, New York, US"])
        let both = [address("3 Way"), address("4 Way", selected: false)]
        cart = try await change(CartDeliveryAddressesReplace(cartID: id, addresses: both))
        #expect(try shop.state(cart).addresses == ["3 Way, New York, US", "4 Way, New York, US"])
        cart = try await change(CartDeliveryAddressesRemove(cartID: id, addressIDs: [cart.deliveryAddressIDs[0]]))
        #expect(try shop.state(cart).addresses == ["4 Way, New York, US"])
        cart = try await change(CartDeliveryAddressesUpdate(cartID: id, addresses: []))
        #expect(try shop.state(cart).addresses.isEmpty && cart.deliveryAddressIDs.isEmpty)
    }

    @Test(
        "case study: gift cards are added, removed and set as a whole, each once, regardless of letter case",
        .row("D9")
    )
    func giftCards() async throws {
        let id = try await change(CartCreate(lines: shop.mugs())).id
        var cart = try await change(CartGiftCardCodesAdd(cartID: id, giftCardCodes: ["ABCD1234", "abcd1234"]))
        #expect(cart.giftCards.map(\.lastCharacters) == ["1234"])
        cart = try await change(CartGiftCardCodesUpdate(cartID: id, giftCardCodes: ["EFGH5678", "IJKL9012"]))
        #expect(cart.giftCards.map(\.lastCharacters) == ["5678", "9012"])
        cart = try await change(CartGiftCardCodesRemove(cartID: id, appliedGiftCardIDs: [cart.giftCards[0].id]))
        #expect(try shop.state(cart).giftCards == ["9012"])
    }

    @Test(
        "case study: metafields of a cart are set, changed and deleted, and one that is not there is an error",
        .row("D10")
    )
    func metafields() async throws {
        let cart = try await change(CartCreate(lines: shop.mugs()))
        func set(_ value: String) async throws {
            let input = CartMetafieldsSetInput(
                key: "engraving",
                ownerID: cart.id.rawValue,
                type: "single_line_text_field",
                value: value
            )
            let payload = try await client.execute(CartMetafieldsSet(metafields: [input]), in: shop.context).data
            #expect(payload.userErrors.isEmpty && payload.metafields?.map(\.value) == [value])
        }
        try await set("A.")
        try await set("A. L.")
        #expect(try shop.state(cart).metafields == ["engraving": "A. L."])
        let delete = CartMetafieldDelete(input: .init(key: "engraving", ownerID: cart.id.rawValue))
        let deleted = try await client.execute(delete, in: shop.context).data
        #expect(deleted.deletedID != nil && deleted.userErrors.isEmpty)
        #expect(try shop.state(cart).metafields.isEmpty)
        let again = try await client.execute(delete, in: shop.context).data
        #expect(again.deletedID == nil && again.userErrors.map(\.code) == [.metafieldDoesNotExist])
    }

    @Test("codes are compared without regard to case: one removal removes every spelling, and each code is sent once")
    func codes() async throws {
        let session = try await shop.login()
        let carts = shop.carts
        _ = try await carts.add(shop.mugs(), for: session, in: shop.context)
        _ = try await carts.changeDiscountCodes(adding: ["summer10", "SUMMER10", "b"], for: session, in: shop.context)
        let cart = try await carts.changeDiscountCodes(removing: ["SUMMER10"], for: session, in: shop.context).cart
        #expect(cart.discountCodes.map(\.code) == ["b"])
        let guest = try await shop.sessions.beginGuest().id
        _ = try await carts.add(shop.mugs(), for: guest, in: shop.context)
        _ = try await carts.changeDiscountCodes(adding: ["B", "c"], for: guest, in: shop.context)
        _ = try await carts.mergeGuestCart(of: guest, into: session, merge: .intoCustomerCart, in: shop.context)
        #expect(try shop.state(cart).discountCodes == ["b", "c"])
        _ = try await carts.addGiftCards(["ABCD1234", "abcd1234"], for: session, in: shop.context)
        let lists = shop.storefront.requests.compactMap { request -> [String]? in
            let variables = try? JSONValue(parsing: request.body)["variables"]
            return (variables?["discountCodes"] ?? variables?["giftCardCodes"])?.array?.compactMap(\.string)
        }
        #expect(lists == [["summer10", "b"], ["b"], ["B", "c"], ["b", "c"], ["ABCD1234"]])
    }

    @Test("an empty list of address changes is refused, and only removeAllDeliveryAddresses removes all addresses")
    func noAddressChanges() async throws {
        let session = try await shop.login()
        _ = try await shop.carts.add(shop.mugs(), for: session, in: shop.context)
        let cart = try await shop.carts.addDeliveryAddresses([address("1 Way")], for: session, in: shop.context).cart
        shop.storefront.forgetRequests()
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.updateDeliveryAddresses([], for: session, in: shop.context)
        }
        #expect(error?.code == .invalidRequest && error?.kind == .rejected && error?.hint != nil)
        #expect(shop.storefront.requests.isEmpty)
        #expect(try shop.state(cart).addresses.count == 1)
        let cleared = try await shop.carts.removeAllDeliveryAddresses(for: session, in: shop.context).cart
        #expect(cleared.deliveryAddressIDs.isEmpty)
        #expect(try shop.state(cart).addresses.isEmpty)
    }

    @Test("the visitor's consent is encoded in the checkout URL, for a guest and for a signed-in buyer")
    func consent() async throws {
        var context = shop.context
        context.visitorConsent = VisitorConsent(analytics: true, marketing: false)
        for session in [try await shop.sessions.beginGuest().id, try await shop.login()] {
            _ = try await shop.carts.add(shop.mugs(), for: session, in: context)
            let url = try await shop.carts.checkout(for: session, in: context).url.reveal()
            #expect(url.query?.contains("_cs=analytics-yes.marketing-no") == true)
            let without = try await shop.carts.checkout(for: session, in: shop.context).url.reveal()
            #expect(without.query?.contains("_cs=") == false)
        }
    }
}

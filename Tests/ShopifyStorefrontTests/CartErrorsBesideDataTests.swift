import FoundationEssentials
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Testing

/// GraphQL errors beside the data of a cart, which hide a part of the cart or the whole cart.
@Suite struct CartErrorsBesideDataTests {
    static let customer = CartIdentityTests.customer

    /// A change of a cart, and members of a cart that show it; nil if a cart cannot show it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let members: String?
        let make: @Sendable (TestShop) async throws -> SessionCart
    }

    static let changes = [
        Change(testDescription: "note", members: #""note":"wrap it","#) {
            try await $0.carts.setNote("wrap it", for: $0.session)
        },
        Change(testDescription: "attributes", members: #""attributes":[{"key":"gift","value":"yes"}],"#) {
            try await $0.carts.setAttributes([CartAttribute(key: "gift", value: "yes")], for: $0.session)
        },
        Change(testDescription: "discount codes", members: #""discountCodes":[{"code":"save","applicable":false}],"#) {
            try await $0.carts.changeDiscountCodes(adding: ["SAVE"], for: $0.session)
        },
        Change(testDescription: "added lines", members: nil) {
            try await $0.carts.add(TestShop.lines, for: $0.session)
        },
        Change(testDescription: "gift cards", members: nil) {
            try await $0.carts.addGiftCards(["4242"], for: $0.session)
        },
        Change(testDescription: "addresses", members: nil) {
            let address = CartIdentityTests.contact().addresses[0]
            return try await $0.carts.addDeliveryAddresses([CartSelectableAddressInput(address)], for: $0.session)
        },
    ]

    @Test(
        "if an error hides the new cart, the creation fails with that error, and a missing scope is for the operator",
        arguments: [
            ("ACCESS_DENIED", IdentityError.Kind.configuration, IdentityError.Code.storefrontRefused),
            ("INTERNAL_SERVER_ERROR", .retryLater, .outcomeUnknown),
        ]
    )
    func hiddenNewCart(code: String, kind: IdentityError.Kind, expected: IdentityError.Code) async throws {
        let shop = try await TestShop(.none) {
            .payload($0.field, cart: "null", errors: .graphQLError(code, "cartCreate", "cart"))
        }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(TestShop.lines, for: shop.session)
        }
        #expect(error?.kind == kind && error?.code == expected)
        #expect(error?.providerResponse?.error == code && error?.providerResponse?.traceID == "request-1")
        let reason = error?.cause as? GraphQLError ?? (error?.cause as? IdentityError)?.cause as? GraphQLError
        #expect(reason?.code?.rawValue == code)
    }

    @Test("if an error hides the changed cart, the change counts as made only if the cart shows it", arguments: changes)
    func hiddenChange(change: Change) async throws {
        for isMade in [false, true] {
            let shop = try await TestShop(.none) { .payload($0.field) }
            _ = try await shop.carts.create(TestShop.lines, for: shop.session)
            let cart = String.cart(members: isMade ? change.members ?? "" : "")
            shop.storefront.now { call in
                let error = String.graphQLError("INTERNAL_SERVER_ERROR", call.field, "cart")
                return call.field == "cart" ? .read(cart) : .payload(call.field, cart: "null", errors: error)
            }
            guard isMade, change.members != nil else {
                let error = await #expect(throws: IdentityError.self) { try await change.make(shop) }
                #expect(error?.code == .outcomeUnknown)
                #expect((error?.cause as? IdentityError)?.code == .providerUnavailable)
                continue
            }
            _ = try await change.make(shop)
        }
    }

    @Test(
        "a merge changes nothing if an error hides a part of a cart",
        arguments: [("own", "note"), ("guest", "sellingPlanAllocation")]
    )
    func hiddenPartInMerge(cart: String, field: String) async throws {
        let shop = try await TestShop(.none) { call in
            .payload(call.field, cart: .cart(id: call.variables["cartId"]?.string ?? "own"))
        }
        let guest = try await shop.sessions.beginGuest().id
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.now { _ in .payload("cartCreate", cart: .cart(id: "guest")) }
        _ = try await shop.carts.create(TestShop.lines, for: guest)
        shop.storefront.now { call in
            let id = call.variables["cartId"]?.string ?? ""
            let content = String.cart(id: id, members: id == "guest" ? #""note":"guest's","# : "")
            guard call.field == "cart" else { return .payload(call.field, cart: content) }
            return .read(content, errors: id == cart ? .graphQLError("INTERNAL_SERVER_ERROR", "cart", field) : "")
        }
        shop.storefront.forget()
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.mergeGuestCart(of: guest, into: shop.session, merge: .intoCustomerCart)
        }
        #expect(error?.code == .providerUnavailable && error?.providerResponse?.traceID == "request-1")
        #expect(shop.storefront.fields.allSatisfy { $0 == "cart" })
    }

    @Test(
        "a logout makes no copy of a cart if an error hides a part of its lines, unless the scope for selling plans is missing",
        arguments: [("INTERNAL_SERVER_ERROR", false), ("ACCESS_DENIED", true)]
    )
    func hiddenPartInCopy(code: String, isCopied: Bool) async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let error = String.graphQLError(code, "cart", "lines", "nodes", "0", "sellingPlanAllocation")
        shop.storefront.now { $0.field == "cart" ? .read(.cart(), errors: error) : .payload($0.field) }
        shop.storefront.forget()
        let end = try await shop.carts.logout(shop.session, mode: .clone)
        #expect((end.guest != nil) == isCopied && (end.problem == nil) == isCopied)
        #expect(shop.storefront.fields.contains("cartCreate") == isCopied)
    }

    @Test(
        "a logout copies the lines of all pages, unless an error hides more of a later page than its selling plans",
        arguments: [("INTERNAL_SERVER_ERROR", false), ("ACCESS_DENIED", true)]
    )
    func hiddenPartOfLaterPage(code: String, isCopied: Bool) async throws {
        let shop = try await TestShop(.none) { .payload($0.field) }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let error = String.graphQLError(code, "cart", "lines", "nodes", "0", "sellingPlanAllocation")
        let page = #"{"lines":{"nodes":[\#(String.line())],"pageInfo":{"hasNextPage":false}}}"#
        shop.storefront.now { call in
            if call.variables["after"] != nil { return .read(page, errors: error) }
            let first = String.cart(pageInfo: #"{"hasNextPage":true,"endCursor":"e"}"#)
            return call.field == "cart" ? .read(first) : .payload(call.field)
        }
        shop.storefront.forget()
        let end = try await shop.carts.logout(shop.session, mode: .clone)
        #expect((end.guest != nil) == isCopied && (end.problem == nil) == isCopied)
        let creation = shop.storefront.calls.first { $0.field == "cartCreate" }
        #expect(creation?.variables["input"]?["lines"]?.array?.count == (isCopied ? 2 : nil))
    }

    @Test("a missing scope for customers does not explain another error in the same response")
    func knownDenial() async throws {
        let denied = String.graphQLError("ACCESS_DENIED", "cartCreate", "cart", "buyerIdentity", "customer")
        let broken = String.graphQLError("INTERNAL_SERVER_ERROR", "cartCreate", "cart")
        let shop = try await TestShop(.none) { .payload($0.field, cart: "null", errors: denied + "," + broken) }
        let error = await #expect(throws: IdentityError.self) {
            try await shop.carts.add(TestShop.lines, for: shop.session)
        }
        #expect(error?.code == .outcomeUnknown && error?.providerResponse?.error == "INTERNAL_SERVER_ERROR")
    }

    @Test("with the policy recreate, a cart is created again with the selling plan that an error hid later")
    func hiddenPartInRecreation() async throws {
        var policy = CartPolicy()
        policy.gone = .recreate
        let shop = try await TestShop(.none, policy: policy) {
            .payload($0.field, cart: .cart(lines: [.line(plan: "plan")]))
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let error = String.graphQLError("INTERNAL_SERVER_ERROR", "cart", "lines", "nodes", "0", "sellingPlanAllocation")
        shop.storefront.now { _ in .read(.cart(), errors: error) }
        _ = try await shop.carts.read(for: shop.session)
        shop.storefront.now { $0.field == "cart" ? .read("null") : .payload($0.field, cart: .cart(id: "new")) }
        shop.storefront.forget()
        _ = try? await shop.carts.read(for: shop.session)
        let creation = try #require(shop.storefront.calls.first { $0.field == "cartCreate" })
        #expect(creation.variables["input"]?["lines"]?.array?.first?["sellingPlanId"]?.string == "plan")
    }

    @Test("a customer whom an error hides counts neither as missing nor as removed")
    func hiddenCustomer() async throws {
        let shop = try await TestShop(.customer, CartIdentityTests.shopify)
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        shop.storefront.now { call in
            let error = String.graphQLError("INTERNAL_SERVER_ERROR", call.field, "cart", "buyerIdentity", "customer")
            return call.field == "cart" ? .read(.cart(), errors: error) : .payload(call.field, errors: error)
        }
        let cart = try await shop.carts.attach(to: shop.session)
        #expect(cart.problem == nil && cart.identity == .customer(until: shop.clock.now + 3600))
        let error = await #expect(throws: IdentityError.self) { try await shop.carts.detach(from: shop.session) }
        #expect(error?.code == .detachIncomplete && error?.providerResponse?.traceID == "request-1")
        // The next buyer gets a copy, which has no buyer.
        let end = try await shop.carts.logout(shop.session, mode: .detach)
        #expect(end.guest != nil && shop.storefront.fields.contains("cartCreate"))
    }

    @Test("a contact is put on the cart again if an error hides whether the cart has a customer")
    func hiddenCustomerBesideContact() async throws {
        var contact = CartIdentityTests.contact()
        contact.phone = nil
        let shop = try await TestShop(.contact(contact)) {
            .payload($0.field, cart: .cart(email: "ada@example.com", addresses: ["a1"]))
        }
        _ = try await shop.carts.create(TestShop.lines, for: shop.session)
        let cart = String.cart(email: "ada@example.com", addresses: ["a1"])
        let error = String.graphQLError("INTERNAL_SERVER_ERROR", "cart", "buyerIdentity", "customer")
        for (errors, isRepeated) in [("", false), (error, true)] {
            shop.storefront.forget()
            shop.storefront.now {
                $0.field == "cart" ? .read(cart, errors: errors) : .payload($0.field, cart: cart)
            }
            _ = try await shop.carts.checkout(for: shop.session)
            #expect(shop.storefront.fields.contains("cartBuyerIdentityUpdate") == isRepeated)
        }
    }

    @Test("errors about a cart have the id of the request that they come from")
    func requestIDs() async throws {
        let shop = try await TestShop(.customer) { .payload($0.field) }
        let created = try await shop.carts.create(TestShop.lines, for: shop.session)
        #expect(created.problem?.code == .identityMissing && created.problem?.providerResponse?.traceID == "request-1")
        let answers: [(LoopbackResponse, IdentityError.Code)] = [
            (.payload("cartLinesAdd", cart: "null"), .outcomeUnknown),
            (
                .payload("cartLinesAdd", userErrors: #"{"code":"CART_TOO_LARGE","field":["lines"],"message":"m"}"#),
                .cartUserErrors
            ),
        ]
        for (answer, code) in answers {
            shop.storefront.now { $0.field == "cart" ? .read(.cart()) : answer }
            let error = await #expect(throws: IdentityError.self) {
                try await shop.carts.add(TestShop.lines, for: shop.session)
            }
            #expect(error?.code == code)
            #expect(error?.providerResponse?.traceID == "request-1" && error?.providerResponse?.status == 200)
        }
        shop.storefront.now { _ in answers[0].0 }
        let result = try await shop.carts.client.execute(
            CartLinesAdd(cartID: created.cart.id, lines: TestShop.lines)
        )
        let unknown = #expect(throws: IdentityError.self) { try result.data.checked(result.metadata) }
        #expect(unknown?.code == .outcomeUnknown && unknown?.providerResponse?.traceID == "request-1")
        shop.storefront.now {
            .payload($0.field, cart: "null", userErrors: #"{"code":"INVALID","field":["cartId"],"message":"m"}"#)
        }
        let gone = await #expect(throws: IdentityError.self) { try await shop.carts.setNote("n", for: shop.session) }
        #expect(gone?.code == .cartGone && gone?.providerResponse?.traceID == "request-1")
    }
}

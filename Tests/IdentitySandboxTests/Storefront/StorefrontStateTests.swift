import Foundation
import IdentityHTTP
import IdentityKit
import IdentityTesting
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct StorefrontStateTests {
    private static let payload = "{ cart { id note totalQuantity buyerIdentity { email } } userErrors { code field } }"

    private func mutate(_ client: CartClient, _ call: String) async throws -> JSONValue {
        try await client.run("mutation { \(call) }")
    }

    @Test(
        "the public schema has no restricted fields; the sandbox serves them if it is configured to"
    )
    func restricted() async throws {
        let plain = CartClient(sandbox: try await ShopSandbox.start())
        let id = try await plain.create()["cart"]?["id"]?.string ?? ""
        let clone = "cartClone(cartId: \"\(id)\") \(Self.payload)"
        #expect(try await mutate(plain, clone)["errors"]?.array?.isEmpty == false)

        var settings = SandboxStorefrontConfiguration()
        settings.servesRestrictedMutations = true
        let client = CartClient(sandbox: try await ShopSandbox.start(storefront: settings))
        let original = try await client.create([
            "note": .string("ring twice"), "buyerIdentity": .object(["email": .string("ada@example.com")]),
            "lines": .array([.object(["merchandiseId": .string("gid://shopify/ProductVariant/1")])]),
        ])
        let source = original["cart"]?["id"]?.string ?? ""
        let copied = try await mutate(client, "cartClone(cartId: \"\(source)\") \(Self.payload)")["data"]?["cartClone"]
        #expect(copied?["cart"]?["id"]?.string != source && copied?["cart"]?["note"]?.string == "ring twice")
        #expect(copied?["cart"]?["totalQuantity"]?.number?.integer == 1)
        #expect(copied?["cart"]?["buyerIdentity"]?["email"] == .null)
        let stripped = try await mutate(client, "cartRemovePersonalData(cartId: \"\(source)\") \(Self.payload)")
        #expect(stripped["data"]?["cartRemovePersonalData"]?["cart"]?["buyerIdentity"]?["email"] == .null)
    }

    @Test("a completion is throttled, prepared, submitted once, processed and done, and its cart is removed")
    func completion() async throws {
        var settings = SandboxConfiguration()
        let clock = ManualClock()
        settings.clock = clock
        var storefront = SandboxStorefrontConfiguration()
        storefront.servesRestrictedMutations = true
        storefront.completionPolls = 1
        let sandbox = try await ShopSandbox.start(settings, storefront: storefront)
        let client = CartClient(sandbox: sandbox)
        let created = try await client.create([
            "lines": .array([.object(["merchandiseId": .string("gid://shopify/ProductVariant/1")])])
        ])
        let id = created["cart"]?["id"]?.string ?? ""
        let prepare = """
            cartPrepareForCompletion(cartId: "\(id)") { result { __typename ... on CartThrottled { pollAfter } } }
            """
        sandbox.storefront.throttleNextCompletions(pollAfter: .seconds(7))
        let throttled = try await mutate(client, prepare)["data"]?["cartPrepareForCompletion"]?["result"]
        #expect(throttled?["__typename"]?.string == "CartThrottled" && throttled?["pollAfter"]?.string != nil)
        let ready = try await mutate(client, prepare)["data"]?["cartPrepareForCompletion"]?["result"]
        #expect(ready?["__typename"]?.string == "CartStatusReady")
        // No schema of Shopify has a checkout URL there.
        let other = prepare.replacing("CartThrottled { pollAfter }", with: "CartStatusReady { checkoutURL }")
        let errors = try await mutate(client, other)["errors"]?.array
        #expect(errors?.first?["extensions"]?["code"]?.string == "undefinedField")
        _ = try await mutate(
            client,
            """
            cartPaymentUpdate(cartId: "\(id)", payment: { amount: { amount: "12.5", currencyCode: USD } }) {
              userErrors { code } }
            """
        )
        let submit = """
            cartSubmitForCompletion(cartId: "\(id)", attemptToken: "t") { result { __typename
              ... on SubmitSuccess { attemptId } ... on SubmitAlreadyAccepted { attemptId } } }
            """
        // The preparation does not cover a line that is added afterwards.
        let line = "{ merchandiseId: \"gid://shopify/ProductVariant/2\" }"
        _ = try await mutate(client, "cartLinesAdd(cartId: \"\(id)\", lines: [\(line)]) { userErrors { code } }")
        let unprepared = try await mutate(client, submit)["data"]?["cartSubmitForCompletion"]?["result"]
        #expect(unprepared?["__typename"]?.string == "SubmitFailed")
        _ = try await mutate(client, prepare)
        // Of concurrent calls with one token, only one begins an attempt.
        let results = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
            for _ in 0..<16 {
                group.addTask { try await mutate(client, submit)["data"]?["cartSubmitForCompletion"]?["result"] }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let kinds = results.map { $0?["__typename"]?.string }
        #expect(kinds.filter { $0 == "SubmitSuccess" }.count == 1)
        #expect(kinds.filter { $0 == "SubmitAlreadyAccepted" }.count == 15)
        #expect(Set(results.map { $0?["attemptId"]?.string }).count == 1)
        let attempt = results.first??["attemptId"]?.string ?? ""
        let withOtherToken = submit.replacing("attemptToken: \"t\"", with: "attemptToken: \"u\"")
        let again = try await mutate(client, withOtherToken)["data"]?["cartSubmitForCompletion"]?["result"]
        #expect(again?["__typename"]?.string == "SubmitFailed")
        var names: [String?] = []
        for _ in 0..<2 {
            let query = "{ cartCompletionAttempt(attemptId: \"\(attempt)\") { __typename } }"
            names.append(try await client.run(query)["data"]?["cartCompletionAttempt"]?["__typename"]?.string)
        }
        #expect(names == ["CartCompletionProcessing", "CartCompletionSuccess"])
        #expect(sandbox.storefront.cartStates.isEmpty)
    }

    /// A clock whose readings take time, so that requests overlap while the shop reads the clock.
    private struct SlowClock: IdentityClock {
        var now: Date {
            Thread.sleep(forTimeInterval: 0.002)
            return SystemClock().now
        }
        var elapsed: Duration { SystemClock().elapsed }
        func sleep(for duration: Duration) async throws { try await SystemClock().sleep(for: duration) }
    }

    @Test("of several concurrent submissions, one starts an attempt")
    func concurrentSubmissions() async throws {
        var settings = SandboxConfiguration()
        settings.clock = SlowClock()
        var storefront = SandboxStorefrontConfiguration()
        storefront.servesRestrictedMutations = true
        let sandbox = try await ShopSandbox.start(settings, storefront: storefront)
        let client = CartClient(sandbox: sandbox)
        // The shop reads the clock to check this token, after it has looked for the attempt.
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let created = try await client.create([
            "lines": .array([.object(["merchandiseId": .string("gid://shopify/ProductVariant/1")])]),
            "buyerIdentity": .object(["customerAccessToken": token]),
        ])
        let id = created["cart"]?["id"]?.string ?? ""
        _ = try await mutate(client, "cartPrepareForCompletion(cartId: \"\(id)\") { result { __typename } }")
        let payment = "{ amount: { amount: \"12.5\", currencyCode: USD } }"
        _ = try await mutate(client, "cartPaymentUpdate(cartId: \"\(id)\", payment: \(payment)) { cart { id } }")
        let submit = "cartSubmitForCompletion(cartId: \"\(id)\", attemptToken: \"t\") { result { __typename } }"
        let results = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let data = try await mutate(client, submit)["data"]
                    return data?["cartSubmitForCompletion"]?["result"]?["__typename"]?.string ?? ""
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(results == ["SubmitSuccess": 1, "SubmitAlreadyAccepted": 7])
        await sandbox.stop()
    }

    @Test("of several concurrent payments of a cart at the web checkout, one places an order")
    func concurrentPayments() async throws {
        var settings = SandboxConfiguration()
        settings.clock = SlowClock()
        let sandbox = try await ShopSandbox.start(settings)
        // The shop reads the clock to check the age of the checkout URL, after it has found the cart.
        let created = try await CartClient(sandbox: sandbox).create([
            "lines": .array([.object(["merchandiseId": .string("gid://shopify/ProductVariant/1")])])
        ])
        let url = created["cart"]?["checkoutUrl"]?.string ?? ""
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await TestClient.shared.send(.post, url, body: "action=pay").status }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(results == [200: 1, 404: 7])
        await sandbox.stop()
    }

    @Test("the old id of a moved cart works once and returns the cart with its new id and without the buyer")
    func moved() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        let created = try await client.create(["buyerIdentity": .object(["email": .string("ada@example.com")])])
        let old = created["cart"]?["id"]?.string ?? ""
        let new = sandbox.storefront.moveCart(old)
        let note = "cartNoteUpdate(cartId: \"\(old)\", note: \"x\") \(Self.payload)"
        let answer = try await mutate(client, note)["data"]?["cartNoteUpdate"]
        #expect(answer?["cart"]?["id"]?.string == new && new != old)
        #expect(answer?["cart"]?["buyerIdentity"]?["email"] == .null)
        let again = try await mutate(client, note)["data"]?["cartNoteUpdate"]
        #expect(again?["cart"] == .null && again?["userErrors"]?.array?.count == 1)
    }

    @Test("each old id of a cart that moved twice works once, and a completion removes the cart")
    func movedTwice() async throws {
        var settings = SandboxStorefrontConfiguration()
        settings.servesRestrictedMutations = true
        settings.completionPolls = 0
        let sandbox = try await ShopSandbox.start(storefront: settings)
        let client = CartClient(sandbox: sandbox)
        let created = try await client.create([
            "lines": .array([.object(["merchandiseId": .string("gid://shopify/ProductVariant/1")])])
        ])
        let first = created["cart"]?["id"]?.string ?? ""
        let payment = "{ amount: { amount: \"12.5\", currencyCode: USD } }"
        let completion = try await mutate(
            client,
            """
            cartPaymentUpdate(cartId: "\(first)", payment: \(payment)) { cart { id } }
            cartPrepareForCompletion(cartId: "\(first)") { result { __typename } }
            cartSubmitForCompletion(cartId: "\(first)", attemptToken: "t") {
              result { ... on SubmitSuccess { attemptId } } }
            """
        )["data"]?["cartSubmitForCompletion"]?["result"]
        let second = try #require(sandbox.storefront.moveCart(first))
        let third = try #require(sandbox.storefront.moveCart(second))
        for old in [second, first] {
            let note = "cartNoteUpdate(cartId: \"\(old)\", note: \"x\") \(Self.payload)"
            let answer = try await mutate(client, note)["data"]?["cartNoteUpdate"]
            #expect(answer?["cart"]?["id"]?.string == third)
            #expect(try await mutate(client, note)["data"]?["cartNoteUpdate"]?["cart"] == .null)
        }
        let attempt = completion?["attemptId"]?.string ?? ""
        let done = try await client.run("{ cartCompletionAttempt(attemptId: \"\(attempt)\") { __typename } }")
        #expect(done["data"]?["cartCompletionAttempt"]?["__typename"]?.string == "CartCompletionSuccess")
        #expect(sandbox.storefront.cartStates.isEmpty)
        await sandbox.stop()
    }

    @Test("the old id of a moved cart stays valid for calls that do not return the cart, and a preparation returns it")
    func movedWithoutCart() async throws {
        var settings = SandboxStorefrontConfiguration()
        settings.servesRestrictedMutations = true
        let sandbox = try await ShopSandbox.start(storefront: settings)
        let client = CartClient(sandbox: sandbox)
        let old = try await client.create(["note": .string("x")])["cart"]?["id"]?.string ?? ""
        let new = sandbox.storefront.moveCart(old)
        let field = #"ownerId: "\#(old)", key: "k""#
        let value = #"type: "single_line_text_field", value: "v""#
        let answer = try await mutate(
            client,
            """
            set: cartMetafieldsSet(metafields: [{ \(field), \(value) }]) { metafields { key } }
            delete: cartMetafieldDelete(input: { \(field) }) { deletedId }
            copy: cartClone(cartId: "\(old)") { cart { note } }
            submission: cartSubmitForCompletion(cartId: "\(old)", attemptToken: "t") { result { __typename } }
            preparation: cartPrepareForCompletion(cartId: "\(old)") {
              result { ... on CartStatusNotReady { cart { id } } } }
            again: cartClone(cartId: "\(old)") { cart { note } }
            """
        )["data"]
        #expect(answer?["set"]?["metafields"]?.array?.count == 1)
        #expect(answer?["delete"]?["deletedId"]?.string != nil)
        #expect(answer?["copy"]?["cart"]?["note"]?.string == "x")
        #expect(answer?["submission"]?["result"]?["__typename"]?.string == "SubmitFailed")
        #expect(answer?["preparation"]?["result"]?["cart"]?["id"]?.string == new)
        #expect(answer?["again"]?["cart"] == .null)
        await sandbox.stop()
    }

    @Test(
        "a planned user error leaves the cart unchanged, and a token that is accepted without effect sets no customer"
    )
    func planned() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(
            sandbox: sandbox,
            headers: ["X-Shopify-Storefront-Access-Token": sandbox.storefront.configuration.publicToken]
        )
        let id = try await client.create()["cart"]?["id"]?.string
        sandbox.storefront.refuseNext(code: "SERVICE_UNAVAILABLE")
        let refused = try await client.identity(id, ["email": .string("ada@example.com")])
        #expect(refused["userErrors"]?.array?.first?["code"]?.string == "SERVICE_UNAVAILABLE")
        #expect(sandbox.storefront.cartStates.first?.email == nil)
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        sandbox.storefront.swallowNextTokens()
        let swallowed = try await client.identity(id, ["customerAccessToken": token])
        #expect(swallowed["userErrors"]?.array?.isEmpty == true)
        #expect(swallowed["cart"]?["buyerIdentity"]?["customer"] == .null)
        let attached = try await client.identity(id, ["customerAccessToken": token])
        #expect(attached["cart"]?["buyerIdentity"]?["customer"]?["id"] != nil)
    }

    @Test("metafields are set by the cart's whole id, read back and deleted, and an unknown owner refuses all inputs")
    func metafields() async throws {
        let client = CartClient(sandbox: try await ShopSandbox.start())
        let id = try await client.create()["cart"]?["id"]?.string ?? ""
        let set = """
            cartMetafieldsSet(metafields: [{ ownerId: "\(id)", key: "k", type: "single_line_text_field", value: "v" }]) {
              metafields { key value } userErrors { code } }
            """
        #expect(try await mutate(client, set)["data"]?["cartMetafieldsSet"]?["metafields"]?.array?.count == 1)
        let read = "{ cart(id: \"\(id)\") { metafield(key: \"k\") { value } } }"
        #expect(try await client.run(read)["data"]?["cart"]?["metafield"]?["value"]?.string == "v")
        let delete = "cartMetafieldDelete(input: { ownerId: \"\(id)\", key: \"k\" }) { deletedId userErrors { code } }"
        #expect(try await mutate(client, delete)["data"]?["cartMetafieldDelete"]?["deletedId"]?.string != nil)
        #expect(try await client.run(read)["data"]?["cart"]?["metafield"] == .null)
        let other = set.replacing("}]", with: #"}, { ownerId: "x", key: "k", type: "t", value: "v" }]"#)
        let refused = try await mutate(client, other)["data"]?["cartMetafieldsSet"]?["userErrors"]?.array
        #expect(refused?.first?["code"]?.string == "INVALID_OWNER")
        #expect(try await client.run(read)["data"]?["cart"]?["metafield"] == .null)
    }

    @Test("products, collections, both searches and the shop return what a catalogue page needs")
    func catalogue() async throws {
        let client = CartClient(sandbox: try await ShopSandbox.start())
        let query = """
            { search(query: "mug", first: 5) { totalCount nodes { __typename ... on Product { title } } }
              predictiveSearch(query: "mug") { products { handle } queries { text } }
              collections(first: 1) { totalCount nodes { products(first: 2) { nodes { title images(first: 1) { nodes { url } } }
                pageInfo { hasNextPage endCursor } } } }
              product(handle: "analytical-mug") { options { name optionValues { name } }
                selectedOrFirstAvailableVariant { id quantityRule { minimum } } description(truncateAt: 5) }
              shop { privacyPolicy { title } paymentSettings { cardVaultUrl } }
              localization { country { currency { isoCode } } availableLanguages { isoCode } } }
            """
        let data = try await client.run(query)
        #expect(data["errors"] == nil)
        #expect(data["data"]?["search"]?["totalCount"]?.number?.integer == 1)
        #expect(data["data"]?["predictiveSearch"]?["queries"]?.array?.count == 1)
        let page = data["data"]?["collections"]?["nodes"]?.array?.first?["products"]
        #expect(page?["nodes"]?.array?.count == 2 && page?["pageInfo"]?["hasNextPage"]?.bool == true)
    }
}

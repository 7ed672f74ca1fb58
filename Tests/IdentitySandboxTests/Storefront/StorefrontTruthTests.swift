import IdentityHTTP
import IdentityKit
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

/// What clients other than this SDK send, and what Shopify's schema promises.
@Suite struct StorefrontTruthTests {
    @Test("a deferred fragment is accepted and returned at once, and @defer on a field is refused")
    func deferred() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        let id = try await client.create()["cart"]?["id"] ?? .null
        let update = """
            mutation($id: ID!, $isDeferred: Boolean!) {
              cartDiscountCodesUpdate(cartId: $id, discountCodes: ["A"]) {
                ... @defer(if: $isDeferred) { cart { ...Codes @defer(label: "codes") } }
                userErrors { code }
              }
            }
            fragment Codes on Cart { discountCodes { code } }
            """
        let answer = try await client.run(update, ["id": id, "isDeferred": .bool(true)])
        #expect(answer["errors"] == nil)
        let payload = answer["data"]?["cartDiscountCodesUpdate"]
        #expect(payload?["cart"]?["discountCodes"]?.array?.first?["code"]?.string == "A")
        #expect(payload?["userErrors"]?.array?.isEmpty == true)
        let refused = try await client.run("{ shop @defer { name } }")
        let code = refused["errors"]?.array?.first?["extensions"]?["code"]?.string
        #expect(code == "directiveCannotBeApplied")
        await sandbox.stop()
    }

    @Test(
        "with the private token and without the buyer's IP, a customer's token in the variables or in the document gets 430",
        arguments: [
            (#"query($t: String!) { customer(customerAccessToken: $t) { id } }"#, 430),
            (#"mutation { cartCreate(input: { buyerIdentity: { customerAccessToken: "x" } }) { cart { id } } }"#, 430),
            (#"query($id: ID = "x") @inContext(buyer: { customerAccessToken: "x" }) { cart(id: $id) { id } }"#, 430),
            (#"query($i: BuyerInput = { customerAccessToken: "x" }) @inContext(buyer: $i) { shop { name } }"#, 430),
            (#"{ ...Q } fragment Q on QueryRoot { ... { customer(customerAccessToken: "x") { id } } }"#, 430),
            (#"mutation { cartCreate(input: { buyerIdentity: { customerAccessToken: null } }) { cart { id } } }"#, 200),
            (#"mutation { cartCreate(input: { note: "customerAccessToken" }) { cart { id } } }"#, 200),
        ]
    )
    func securityRejection(document: String, status: Int) async throws {
        var settings = SandboxStorefrontConfiguration()
        settings.rejectsIdentityWithoutBuyerIP = true
        let sandbox = try await ShopSandbox.start(storefront: settings)
        var headers = [
            "Content-Type": "application/json", "Shopify-Storefront-Private-Token": settings.privateToken,
        ]
        let body: JSONObject = ["query": .string(document), "variables": .object(["t": .string("x")])]
        let text = String(decoding: JSONValue.object(body).serialized, as: UTF8.self)
        let url = sandbox.storefront.endpoint
        #expect(try await TestClient.shared.send(.post, url, headers: headers, body: text).status == status)
        headers["Shopify-Storefront-Buyer-IP"] = "203.0.113.7"
        #expect(try await TestClient.shared.send(.post, url, headers: headers, body: text).status == 200)
        await sandbox.stop()
    }

    @Test("a checkout URL with any time opens, and a time long ago opens a guest checkout")
    func checkoutTime() async throws {
        let sandbox = try await ShopSandbox.start()
        let url = try await CartClient(sandbox: sandbox).create()["cart"]?["checkoutUrl"]?.string ?? ""
        for time in [Int.min, Int.max] {
            let fields = [(name: "_sandbox_identity", value: "customer"), ("_sandbox_issued", String(time))]
            let page = try await TestClient.shared.send(.get, FormText.append(fields, to: url))
            #expect(String(decoding: page.body, as: UTF8.self).contains("Guest checkout"))
        }
        await sandbox.stop()
    }

    @Test("a collection that has every product keeps its own handle and title")
    func fullCollection() async throws {
        var settings = SandboxStorefrontConfiguration()
        settings.products = Set(settings.variants.map(\.product)).map { .init(title: $0, collections: ["Best"]) }
        let sandbox = try await ShopSandbox.start(storefront: settings)
        let query = "{ collections(first: 9) { nodes { handle description } } }"
        let nodes = try await CartClient(sandbox: sandbox).run(query)["data"]?["collections"]?["nodes"]?.array
        #expect(nodes?.map { $0["handle"]?.string } == ["all", "best"])
        #expect(nodes?.last?["description"]?.string == "Best of the sandbox.")
        await sandbox.stop()
    }

    @Test("the default address of a customer is left out if the document asks for it")
    func skippedDefault() async throws {
        var settings = SandboxConfiguration()
        var other = SandboxBuyerAccount.ada.addresses[0]
        other.city = "Austin"
        settings.buyers[0].addresses.append(other)
        let sandbox = try await ShopSandbox.start(settings)
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"]?.string ?? ""
        let answer = try await TestClient.shared.graphQL(
            sandbox.shopify.customerAccountEndpoint,
            """
            { customer { all: addresses(first: 9) { nodes { city } }
              others: addresses(first: 9, skipDefault: true) { nodes { city } } } }
            """,
            headers: ["Authorization": token]
        )["data"]?["customer"]
        func cities(_ name: String) -> [String?]? { answer?[name]?["nodes"]?.array?.map { $0["city"]?.string } }
        #expect(cities("all") == ["San Francisco", "Austin"])
        #expect(cities("others") == ["Austin"])
        await sandbox.stop()
    }

    @Test("fields of a cart's customer, and of a product's collections, that are never null at Shopify have values")
    func nonNull() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(
            sandbox: sandbox,
            headers: ["X-Shopify-Storefront-Access-Token": sandbox.storefront.configuration.publicToken]
        )
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let created = try await client.create(["buyerIdentity": .object(["customerAccessToken": token])])
        let query = """
            query($id: ID!) {
              cart(id: $id) { buyerIdentity { customer {
                acceptsMarketing createdAt defaultAddress { id } addresses(first: 1) { nodes { id } }
                orders(first: 1) { totalCount nodes { id } } ...Own
              } } }
              product(id: "gid://shopify/Product/1") { collections(first: 1) { nodes {
                products(first: 1) { nodes { title collections(first: 1) { totalCount } } }
              } } }
            }
            fragment Own on HasMetafields { metafields(identifiers: [{ key: "k" }]) { value } }
            """
        let answer = try await client.run(query, ["id": created["cart"]?["id"] ?? .null])
        #expect(answer["errors"] == nil)
        let customer = answer["data"]?["cart"]?["buyerIdentity"]?["customer"]
        #expect(customer?["acceptsMarketing"]?.bool != nil && customer?["createdAt"]?.string != nil)
        #expect(customer?["orders"]?["totalCount"]?.string == "0" && customer?["metafields"]?.array == [.null])
        let collection = answer["data"]?["product"]?["collections"]?["nodes"]?.array?.first
        #expect(collection?["products"]?["nodes"]?.array?.first?["title"]?.string == "Analytical Mug")
        await sandbox.stop()
    }

    @Test(
        "the Customer Account API serves a retired version by the oldest supported one, and the response names it",
        arguments: [("2024-07", "2026-01"), ("2026-04", "2026-04"), ("unstable", "unstable"), ("2999-01", nil)]
    )
    func customerVersions(wanted: String, served: String?) async throws {
        let sandbox = try await ShopSandbox.start()
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"]?.string ?? ""
        let url = sandbox.shopify.customerAccountEndpoint.replacing("2026-10", with: wanted)
        let answer = try await TestClient.shared.send(
            .post,
            url,
            headers: ["Content-Type": "application/json", "User-Agent": "tests", "Authorization": token],
            body: #"{"query":"{ customer { firstName } }"}"#
        )
        #expect(answer.status == (served == nil ? 404 : 200))
        #expect(answer.headers["X-Shopify-API-Version"] == served)
        await sandbox.stop()
    }
}

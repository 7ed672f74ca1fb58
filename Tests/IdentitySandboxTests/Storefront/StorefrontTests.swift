import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

struct CartClient {
    let sandbox: ShopSandbox
    var headers: [String: String] = [:]

    static let fields = """
        fragment CartFields on Cart {
          id checkoutUrl totalQuantity note
          buyerIdentity { email phone countryCode customer { id } }
          lines(first: 10) { nodes { id quantity merchandise { ... on ProductVariant { id } } } }
          delivery { addresses { id selected address { __typename ... on CartDeliveryAddress { city } } } }
        }
        """

    func run(_ query: String, _ variables: JSONObject = [:]) async throws -> JSONValue {
        try await TestClient.shared.graphQL(sandbox.storefront.endpoint, query, variables, headers: headers)
    }

    func create(_ input: JSONObject = [:]) async throws -> JSONValue {
        let query = """
            mutation($input: CartInput) { cartCreate(input: $input) {
              cart { ...CartFields } userErrors { code field message } warnings { code message target } } }
            """
        return try await run(query + Self.fields, ["input": .object(input)])["data"]?["cartCreate"] ?? .null
    }

    func identity(_ id: String?, _ identity: JSONObject) async throws -> JSONValue {
        let query = """
            mutation($id: ID!, $identity: CartBuyerIdentityInput!) {
              cartBuyerIdentityUpdate(cartId: $id, buyerIdentity: $identity) {
                cart { ...CartFields } userErrors { code field message } } }
            """
        let answer = try await run(query + Self.fields, ["id": .string(id ?? ""), "identity": .object(identity)])
        return answer["data"]?["cartBuyerIdentityUpdate"] ?? .null
    }
}

@Suite struct StorefrontTests {
    @Test("an identity member that is absent keeps its value, null clears it, a value sets it")
    func threeStates() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(
            sandbox: sandbox,
            headers: ["X-Shopify-Storefront-Access-Token": sandbox.storefront.configuration.publicToken]
        )
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let created = try await client.create([
            "buyerIdentity": .object(["customerAccessToken": token, "phone": .string("+14155550100")])
        ])
        let id = created["cart"]?["id"]?.string
        #expect(created["userErrors"]?.array?.isEmpty == true)
        #expect(created["cart"]?["buyerIdentity"]?["customer"]?["id"]?.string == "gid://shopify/Customer/7000000001")
        #expect(created["cart"]?["checkoutUrl"]?.string?.contains("_sandbox_identity=customer") == true)
        let kept = try await client.identity(id, ["countryCode": .string("CA")])["cart"]?["buyerIdentity"]
        #expect(kept?["customer"]?["id"] != nil)
        #expect(kept?["phone"]?.string == "+14155550100")
        #expect(kept?["countryCode"]?.string == "CA")
        let cleared = try await client.identity(id, ["customerAccessToken": .null, "phone": .null])["cart"]
        #expect(cleared?["buyerIdentity"]?["customer"]?.isNull == true)
        #expect(cleared?["buyerIdentity"]?["email"]?.isNull == true)
        #expect(cleared?["buyerIdentity"]?["phone"]?.isNull == true)
        #expect(cleared?["buyerIdentity"]?["countryCode"]?.string == "CA")
        #expect(cleared?["checkoutUrl"]?.string?.contains("_sandbox_identity") == false)
        #expect(sandbox.storefront.cartStates.first?.customerAccessToken == nil)
        await sandbox.stop()
    }

    @Test("an invalid customer token is a user error at the documented path, and the cart is unchanged")
    func badToken() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        let bad: JSONObject = ["customerAccessToken": .string("shcat_dead")]
        let created = try await client.create(["buyerIdentity": .object(bad)])
        #expect(created["cart"]?.isNull == true)
        let field = created["userErrors"]?.array?.first?["field"]?.array?.compactMap(\.string)
        #expect(field == ["input", "buyerIdentity", "customerAccessToken"])
        let id = try await client.create(["buyerIdentity": .object(["email": .string("a@example.com")])])["cart"]?[
            "id"
        ]?.string
        let updated = try await client.identity(id, ["email": .null, "customerAccessToken": .string("shcat_dead")])
        #expect(updated["userErrors"]?.array?.first?["code"]?.string == "INVALID")
        #expect(
            updated["userErrors"]?.array?.first?["field"]?.array?.compactMap(\.string) == [
                "buyerIdentity", "customerAccessToken",
            ]
        )
        #expect(updated["cart"]?["buyerIdentity"]?["email"]?.string == "a@example.com")
        await sandbox.stop()
    }

    @Test("the Customer Account API and a cart refuse a token without the scope of the API")
    func scope() async throws {
        let sandbox = try await ShopSandbox.start()
        var login = ShopifyLogin(sandbox)
        func call(_ token: JSONValue) async throws -> JSONValue {
            try await TestClient.shared.graphQL(
                sandbox.shopify.endpoints.api,
                "{ customer { id } }",
                headers: ["Authorization": token.string ?? ""]
            )
        }
        login.scope = "openid email customer-account-mcp-api:full"
        let token = try await login.tokens()["access_token"] ?? .null
        #expect(try await call(token)["errors"]?.string == "User does not have access")
        let created = try await CartClient(sandbox: sandbox)
            .create(["buyerIdentity": .object(["customerAccessToken": token])])
        #expect(created["userErrors"]?.array?.first?["message"]?.string == "Customer is invalid")
        login.scope = "openid https://api.customers.com/auth/customer.graphql"
        let old = try await call(try await login.tokens()["access_token"] ?? .null)
        #expect(old["data"]?["customer"]?["id"]?.string == "gid://shopify/Customer/7000000001")
        await sandbox.stop()
    }

    @Test(
        "the Customer Account API requires a registered Origin with the token of a public web client",
        arguments: [("", 401), ("https://evil.example", 401), ("https://app.example", 200)]
    )
    func apiOrigin(origin: String, status: Int) async throws {
        let sandbox = try await ShopSandbox.start()
        let token = try await ShopifyLogin(sandbox, .publicWeb).tokens()["access_token"]?.string ?? ""
        var headers = ["Content-Type": "application/json", "User-Agent": "tests", "Authorization": token]
        if !origin.isEmpty { headers["Origin"] = origin }
        let body = #"{"query":"{ customer { id } }"}"#
        let response = try await TestClient.shared.send(
            .post,
            sandbox.shopify.endpoints.api,
            headers: headers,
            body: body
        )
        #expect(response.status == status)
        #expect(response.headers["WWW-Authenticate"]?.contains("invalid_token") ?? (status == 200))
        await sandbox.stop()
    }

    @Test("a line whose variant is replaced gets at most the new variant's stock")
    func replacedVariant() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        let line: JSONObject = ["merchandiseId": .string("gid://shopify/ProductVariant/1"), "quantity": .integer(5)]
        let cart = try await client.create(["lines": .array([.object(line)])])["cart"]
        let query = """
            mutation($id: ID!, $line: ID!) {
              cartLinesUpdate(cartId: $id, lines: [{ id: $line, merchandiseId: "gid://shopify/ProductVariant/3" }]) {
                cart { totalQuantity } warnings { code } } }
            """
        let lineID = cart?["lines"]?["nodes"]?.array?.first?["id"] ?? .null
        let answer = try await client.run(query, ["id": cart?["id"] ?? .null, "line": lineID])
        let updated = answer["data"]?["cartLinesUpdate"]
        #expect(updated?["cart"]?["totalQuantity"]?.number?.integer == 3, "\(answer)")
        #expect(updated?["warnings"]?.array?.first?["code"]?.string == "MERCHANDISE_NOT_ENOUGH_STOCK")
        await sandbox.stop()
    }

    @Test("a cart call with an expired token succeeds, and its checkout URL opens a guest checkout")
    func expiredToken() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let created = try await client.create(["buyerIdentity": .object(["customerAccessToken": token])])
        let signedIn = created["cart"]?["checkoutUrl"]?.string ?? ""
        let page = try await TestClient.shared.send(.get, signedIn)
        #expect(String(decoding: page.body, as: UTF8.self).contains("ada@example.com"))
        sandbox.shopify.expireAccessTokens()
        let query = "query($id: ID!) { cart(id: $id) { checkoutUrl } }"
        let answer = try await client.run(query, ["id": created["cart"]?["id"] ?? .null])
        #expect(answer["errors"] == nil)
        #expect(answer["data"]?["cart"]?["checkoutUrl"]?.string?.contains("_sandbox_identity") == false)
        let stale = try await TestClient.shared.send(.get, signedIn)
        #expect(String(decoding: stale.body, as: UTF8.self).contains("Guest checkout"))
        await sandbox.stop()
    }

    @Test("with the private token a checkout opens signed in only if the buyer's IP was sent")
    func buyerIP() async throws {
        let sandbox = try await ShopSandbox.start()
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let input: JSONObject = ["buyerIdentity": .object(["customerAccessToken": token])]
        var client = CartClient(
            sandbox: sandbox,
            headers: ["Shopify-Storefront-Private-Token": sandbox.storefront.configuration.privateToken]
        )
        let without = try await client.create(input)["cart"]?["checkoutUrl"]?.string
        #expect(without?.contains("_sandbox_identity") == false)
        client.headers["Shopify-Storefront-Buyer-IP"] = "203.0.113.7"
        let with = try await client.create(input)["cart"]?["checkoutUrl"]?.string
        #expect(with?.contains("_sandbox_identity=customer") == true)
        await sandbox.stop()
    }

    @Test("without its key a cart shows no buyer and cannot be changed")
    func cartKey() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        let id =
            try await client.create(["buyerIdentity": .object(["email": .string("a@example.com")])])["cart"]?["id"]?
            .string ?? ""
        let keyless = String(id.prefix { $0 != "?" })
        let seen = try await client.run(
            "query($id: ID!) { cart(id: $id) { id buyerIdentity { email } } }",
            ["id": .string(keyless)]
        )
        #expect(seen["data"]?["cart"]?["buyerIdentity"]?["email"]?.isNull == true)
        let changed = try await client.identity(keyless, ["email": .null])
        #expect(changed["cart"]?.isNull == true)
        #expect(changed["userErrors"]?.array?.first?["message"]?.string == "The specified cart does not exist.")
        let guessed = try await client.identity(keyless + "?key=guessed", ["email": .null])
        #expect(guessed["cart"]?.isNull == true)
        #expect(sandbox.storefront.cartStates.first?.email == "a@example.com")
        sandbox.storefront.removeCart(id)
        let gone = try await client.run("query($id: ID!) { cart(id: $id) { id } }", ["id": .string(id)])
        #expect(gone["data"]?["cart"]?.isNull == true)
        await sandbox.stop()
    }

    @Test("lines and addresses are stored, and their changes return warnings and user errors")
    func cartState() async throws {
        let sandbox = try await ShopSandbox.start()
        let client = CartClient(sandbox: sandbox)
        func line(_ number: Int, _ quantity: Int) -> JSONValue {
            .object([
                "merchandiseId": .string("gid://shopify/ProductVariant/\(number)"), "quantity": .integer(quantity),
            ])
        }
        let created = try await client.create(["lines": .array([line(1, 2), line(3, 5)])])
        #expect(created["cart"]?["totalQuantity"]?.number?.integer == 5)
        #expect(created["warnings"]?.array?.first?["code"]?.string == "MERCHANDISE_NOT_ENOUGH_STOCK")
        let id = created["cart"]?["id"] ?? .null
        let lineID = created["cart"]?["lines"]?["nodes"]?.array?.first?["id"] ?? .null
        let removed = try await client.run(
            "mutation($id: ID!, $line: ID!) { cartLinesRemove(cartId: $id, lineIds: [$line]) { cart { totalQuantity } } }",
            ["id": id, "line": lineID]
        )
        #expect(removed["data"]?["cartLinesRemove"]?["cart"]?["totalQuantity"]?.number?.integer == 3)
        let again = try await client.run(
            "mutation($id: ID!, $line: ID!) { cartLinesRemove(cartId: $id, lineIds: [$line]) { userErrors { code } } }",
            ["id": id, "line": lineID]
        )
        #expect(
            again["data"]?["cartLinesRemove"]?["userErrors"]?.array?.first?["code"]?.string
                == "INVALID_MERCHANDISE_LINE"
        )
        let address = JSONValue.object([
            "selected": .bool(true),
            "address": .object(["deliveryAddress": .object(["countryCode": .string("US"), "city": .string("Austin")])]),
        ])
        let replaced = try await client.run(
            """
            mutation($id: ID!, $addresses: [CartSelectableAddressInput!]!) {
              cartDeliveryAddressesReplace(cartId: $id, addresses: $addresses) { userErrors { code }
                cart { delivery { addresses(selected: true) { address { ... on CartDeliveryAddress { city } } } }
                  deliveryGroups(first: 1) { nodes { deliveryOptions { handle } } } } } }
            """,
            ["id": id, "addresses": .array([address])]
        )
        let cart = replaced["data"]?["cartDeliveryAddressesReplace"]?["cart"]
        #expect(cart?["delivery"]?["addresses"]?.array?.first?["address"]?["city"]?.string == "Austin")
        #expect(cart?["deliveryGroups"]?["nodes"]?.array?.first?["deliveryOptions"]?.array?.count == 2)
        await sandbox.stop()
    }

    @Test("an address is copied from the customer's address with the given id, and an unknown id is refused")
    func copiedAddress() async throws {
        var settings = SandboxConfiguration()
        var other = SandboxBuyerAccount.ada.addresses[0]
        other.city = "Austin"
        settings.buyers[0].addresses.append(other)
        let sandbox = try await ShopSandbox.start(settings)
        let client = CartClient(sandbox: sandbox)
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let id = try await client.create(["buyerIdentity": .object(["customerAccessToken": token])])["cart"]?["id"]
        func copy(_ number: Int) async throws -> JSONValue? {
            let address = "{ copyFromCustomerAddressId: \"gid://shopify/CustomerAddress/\(number)\" }"
            let query = """
                mutation { cartDeliveryAddressesReplace(cartId: "\(id?.string ?? "")", addresses: [{ address: \(address) }]) {
                  cart { delivery { addresses { address { ... on CartDeliveryAddress { city provinceCode phone } } } } }
                  userErrors { code field } } }
                """
            return try await client.run(query)["data"]?["cartDeliveryAddressesReplace"]
        }
        for (number, city) in [(2, "Austin"), (1, "San Francisco")] {
            let copied = try await copy(number)?["cart"]?["delivery"]?["addresses"]?.array?.first?["address"]
            #expect(copied?["city"]?.string == city && copied?["provinceCode"]?.string == "CA")
            #expect(copied?["phone"]?.string == "+14155550123")
        }
        let refused = try await copy(3)
        let error = refused?["userErrors"]?.array?.first
        #expect(error?["code"]?.string == "INVALID_DELIVERY_ADDRESS_ID")
        #expect(error?["field"]?.array?.last?.string == "copyFromCustomerAddressId")
        #expect(sandbox.storefront.cartStates.first?.addresses.first?.contains("San Francisco") == true)
        await sandbox.stop()
    }

    @Test("the oldest supported version serves a request for an older one, and the response names it")
    func fallForward() async throws {
        let sandbox = try await ShopSandbox.start()
        let response = try await TestClient.shared.send(
            .post,
            sandbox.storefront.endpoint(version: "2025-04"),
            headers: ["Content-Type": "application/json"],
            body: #"{"query":"{ shop { name } }"}"#
        )
        #expect(response.headers["x-shopify-api-version"] == "2026-01")
        #expect(response.headers["x-request-id"] != nil)
        await sandbox.stop()
    }
}

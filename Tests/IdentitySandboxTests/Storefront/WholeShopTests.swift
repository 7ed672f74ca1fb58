import IdentityHTTP
import IdentityKit
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite("The sandbox with a whole catalogue")
struct WholeShopTests {
    private func start(returnURL: String? = nil) async throws -> ShopSandbox {
        var storefront = SandboxStorefrontConfiguration.wholeShop
        storefront.returnURL = returnURL
        return try await ShopSandbox.start(storefront: storefront)
    }

    private func titles(_ client: CartClient, _ query: String, _ order: String = "") async throws -> [String] {
        let answer = try await client.run(
            "query($query: String) { products(first: 50, query: $query \(order)) { nodes { title } } }",
            ["query": .string(query)]
        )
        return answer["data"]?["products"]?["nodes"]?.array?.compactMap { $0["title"]?.string } ?? []
    }

    @Test("two dozen products have options, collections, tags, sold-out variants, and pictures that the sandbox serves")
    func catalogue() async throws {
        let sandbox = try await start()
        let token = sandbox.storefront.configuration.publicToken
        let headers = ["X-Shopify-Storefront-Access-Token": token]
        let answer = try await CartClient(sandbox: sandbox, headers: headers).run(
            """
            { products(first: 50) { nodes {
                handle tags productType availableForSale featuredImage { url } options { name optionValues { name } }
                collections(first: 9) { nodes { title } }
                variants(first: 50) { nodes { id availableForSale selectedOptions { name value } image { url } } }
            } } }
            """
        )
        #expect(answer["errors"] == nil)
        let products = answer["data"]?["products"]?["nodes"]?.array ?? []
        #expect(products.count == 24 && Set(products.compactMap { $0["handle"]?.string }).count == 24)
        let variants = products.flatMap { $0["variants"]?["nodes"]?.array ?? [] }
        let ids = variants.compactMap { $0["id"]?.string }
        #expect(Set(ids).count == ids.count)
        #expect((1...3).allSatisfy { ids.contains("gid://shopify/ProductVariant/\($0)") })
        #expect(variants.contains { $0["availableForSale"]?.bool == false })
        #expect(products.contains { $0["availableForSale"]?.bool == false })
        let shirt = products.first { $0["handle"]?.string == "difference-t-shirt" }
        #expect(shirt?["options"]?.array?.compactMap { $0["name"]?.string } == ["Size", "Colour"])
        #expect(shirt?["options"]?.array?.first?["optionValues"]?.array?.count == 4)
        #expect(
            shirt?["collections"]?["nodes"]?.array?.compactMap { $0["title"]?.string } == ["Everything", "Clothing"]
        )
        var pictures = Set(products.compactMap { $0["featuredImage"]?["url"]?.string })
        pictures.formUnion(variants.compactMap { $0["image"]?["url"]?.string })
        #expect(pictures.count > 24)
        for picture in pictures {
            let image = try await TestClient.shared.send(.get, picture)
            #expect(image.status == 200 && image.headers["Content-Type"] == "image/svg+xml", "\(picture)")
        }
        let unknown = try await TestClient.shared.send(.get, sandbox.storefront.origin + "/files/nothing.svg")
        #expect(unknown.status == 404)
        await sandbox.stop()
    }

    @Test("a search finds products by words, phrases, tags and types, and lists can be sorted and filtered")
    func search() async throws {
        let sandbox = try await start()
        let client = CartClient(sandbox: sandbox)
        #expect(try await titles(client, "analytical AND MUG") == ["Analytical Mug"])
        #expect(try await titles(client, "\"difference engine\"") == ["Difference T-Shirt"])
        #expect(try await titles(client, "tag:winter -title:scarf") == ["Babbage Hoodie"])
        #expect(
            try await titles(client, "product_type:poster", ", sortKey: PRICE, reverse: true").first == "Jacquard Print"
        )
        #expect(try await titles(client, "nothing like that") == [])
        let answer = try await client.run(
            """
            { collection(handle: "games") { title products(first: 9, filters: [{ available: true }], sortKey: TITLE) {
                nodes { title } } } }
            """
        )
        let nodes = answer["data"]?["collection"]?["products"]?["nodes"]?.array
        #expect(nodes?.compactMap { $0["title"]?.string } == ["Bit Dice", "Turing Puzzle"])
        await sandbox.stop()
    }

    @Test(
        "the checkout page shows buyer and prefilled data, links back to the app, and turns the cart into the buyer's order"
    )
    func checkout() async throws {
        let sandbox = try await start(returnURL: "http://127.0.0.1:8080")
        let client = CartClient(sandbox: sandbox)
        let token = try await ShopifyLogin(sandbox).tokens()["access_token"] ?? .null
        let line: JSONObject = ["merchandiseId": .string("gid://shopify/ProductVariant/2"), "quantity": .integer(2)]
        let url =
            try await client.create([
                "lines": .array([.object(line)]),
                "buyerIdentity": .object(["customerAccessToken": token, "phone": .string("+14155550100")]),
            ])["cart"]?["checkoutUrl"]?.string ?? ""
        let page = try await TestClient.shared.send(.get, url)
        let text = String(decoding: page.body, as: UTF8.self)
        for part in [
            "ada@example.com", "1 Analytical Way", "+14155550100", "Pay 48.00 USD", "href=\"http://127.0.0.1:8080\"",
            "M / Blue",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(!sandbox.storefront.cartStates.isEmpty)
        let paid = try await TestClient.shared.send(.post, url, body: "action=pay")
        #expect(String(decoding: paid.body, as: UTF8.self).contains("#5001"))
        #expect(sandbox.storefront.cartStates.isEmpty)
        #expect(try await TestClient.shared.send(.post, url, body: "action=pay").status == 404)
        let answer = try await TestClient.shared.graphQL(
            sandbox.shopify.endpoints.api,
            "{ customer { orders(first: 9) { nodes { name totalPrice { amount } lineItems(first: 9) { nodes { variantId quantity } } } } } }",
            headers: ["Authorization": token.string ?? ""]
        )
        let order = answer["data"]?["customer"]?["orders"]?["nodes"]?.array?.first
        #expect(order?["name"]?.string == "#5001" && order?["totalPrice"]?["amount"]?.string == "48.0")
        #expect(order?["lineItems"]?["nodes"]?.array?.first?["variantId"]?.string == "gid://shopify/ProductVariant/2")
        await sandbox.stop()
    }

    @Test("a checkout URL without its key shows no prefilled data, and a payment there does not remove the cart")
    func keylessCheckout() async throws {
        let sandbox = try await start()
        let created = try await CartClient(sandbox: sandbox).create([
            "lines": .array([.object(["merchandiseId": .string("gid://shopify/ProductVariant/1")])]),
            "buyerIdentity": .object(["email": .string("grace@example.com")]),
        ])
        let url = created["cart"]?["checkoutUrl"]?.string ?? ""
        let known = try await TestClient.shared.send(.get, url)
        #expect(String(decoding: known.body, as: UTF8.self).contains("grace@example.com"))
        let bare = String(url.prefix { $0 != "?" })
        let paid = try await TestClient.shared.send(.post, bare, body: "action=pay")
        #expect(!String(decoding: paid.body, as: UTF8.self).contains("grace@example.com"))
        #expect(sandbox.storefront.cartStates.count == 1)
        await sandbox.stop()
    }

    @Test("the configuration of a web app has one redirect URI for each provider, which the provider accepts")
    func app() async throws {
        let sandbox = try await start()
        let app = "https://shop.example"
        let configuration = sandbox.labConfiguration(app: app)
        let providers = configuration.json["providers"]?.object?.members ?? []
        #expect(providers.map(\.name) == ["shopify", "bolt", "bolt-sfcc", "any", "any-form-post"])
        for provider in providers {
            #expect(provider.value["redirectURI"]?.string == "\(app)/auth/callback/\(provider.name)")
        }
        for (endpoint, client, provider) in [
            (sandbox.shopify.endpoints.authorization, SandboxShopifyClient.confidential.id, "shopify"),
            (sandbox.bolt.authorizationEndpoint, sandbox.bolt.configuration.publishableKey, "bolt"),
            (sandbox.bolt.internalAuthorizationEndpoint, sandbox.bolt.configuration.publishableKey, "bolt-sfcc"),
            (sandbox.openID.issuer + "/authorize", sandbox.openID.configuration.clientID, "any-form-post"),
        ] {
            let address = "\(app)/auth/callback/\(provider)"
            let url = FormText.append(
                [
                    ("client_id", client), ("response_type", "code"), ("redirect_uri", address),
                    ("scope", provider == "shopify" ? "openid email customer-account-api:full" : "openid"),
                    ("state", "state-12345"), ("nonce", "nonce"),
                ],
                to: endpoint
            )
            let callback = try await SandboxBuyer().login(at: url, redirectURI: address)
            #expect(callback.hasPrefix(address), "\(provider): \(callback)")
        }
        await sandbox.stop()
    }

    @Test(
        "login pages of Bolt behind SFCC differ from Bolt's in name and colour, and a long client id wraps only after separators"
    )
    func looks() async throws {
        let sandbox = try await start()
        func page(_ endpoint: String) async throws -> String {
            let key = sandbox.bolt.configuration.publishableKey
            let fields = [
                (name: "client_id", value: key), ("response_type", "code"), ("scope", "openid"),
                ("state", "state-1234"),
            ]
            let begun = try await TestClient.shared.send(.get, FormText.append(fields, to: endpoint))
            let cookie = String((begun.headers["Set-Cookie"] ?? "").prefix { $0 != ";" })
            let target = sandbox.bolt.origin + (begun.headers["Location"] ?? "")
            let answer = try await TestClient.shared.send(.get, target, headers: ["Cookie": cookie])
            return String(decoding: answer.body, as: UTF8.self)
        }
        let bolt = try await page(sandbox.bolt.authorizationEndpoint)
        let sfcc = try await page(sandbox.bolt.internalAuthorizationEndpoint)
        #expect(bolt.contains("<body class=\"bolt\">") && !bolt.contains("Salesforce"))
        #expect(sfcc.contains("<body class=\"sfcc\">") && sfcc.contains("Bolt for Salesforce"))
        #expect(bolt.contains("sandboxmerchant.<wbr>sandboxdivision.<wbr>9f8e7d6c5b4a39281706"))
        await sandbox.stop()
    }
}

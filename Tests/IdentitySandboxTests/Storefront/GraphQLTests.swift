import IdentityKit
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct GraphQLTests {
    private func run(
        _ query: String,
        _ variables: JSONObject = [:],
        version: String = "2026-10"
    ) async throws -> JSONObject {
        let sandbox = try await ShopSandbox.start()
        let answer = try await TestClient.shared.graphQL(
            sandbox.storefront.endpoint(version: version),
            query,
            variables
        )
        await sandbox.stop()
        return answer.object ?? [:]
    }

    @Test("fragments that spread others twice, and cursors at the limits of integers, get an answer")
    func hostile() async throws {
        var text = "{ ...F0 }"
        for index in 0..<60 { text += " fragment F\(index) on QueryRoot { ...F\(index + 1) ...F\(index + 1) }" }
        #expect(try await run(text + " fragment F60 on QueryRoot { shop { name } }")["data"]?["shop"] != nil)
        for cursor in [Int.min, .max] {
            let products = "{ products(first: 1, before: \"\(cursor)\", after: \"\(cursor)\") { nodes { id } } }"
            #expect(try await run(products)["data"]?["products"] != nil)
        }
    }

    @Test(
        "an invalid document gets the service's error code and no data",
        arguments: [
            ("{ cart(id: \"x\") { buyerIdentity { customerAccessToken } } }", "undefinedField"),
            ("mutation { cartCreate { checkoutUrl } }", "undefinedField"),
            (
                "mutation($input: CartCreateInput) { cartCreate(input: $input) { cart { id } } }",
                "variableRequiresValidType"
            ),
            ("{ cart { id } }", "missingRequiredArguments"),
            ("{ cart(id: \"x\", key: \"y\") { id } }", "argumentNotAccepted"),
            ("{ cart(id: \"x\") }", "selectionMismatch"),
            ("{ cart(id: \"x\") { id { x } } }", "selectionMismatch"),
            ("query($id: ID!) { cart(id: \"x\") { id } }", "variableNotUsed"),
            ("{ cart(id: $id) { id } }", "variableNotDefined"),
            ("query($id: String) { cart(id: $id) { id } }", "variableMismatch"),
            ("query($id: ID) { cart(id: $id) { id } }", "variableMismatch"),
            ("{ cart(id: \"x\") { ...F } }", "useAndDefineFragment"),
            ("{ shop { name } } fragment F on Cart { id }", "useAndDefineFragment"),
            ("{ shop { ...F } } fragment F on Shop { ...F }", "infiniteLoop"),
            ("{ shop { ... on Cart { id } } }", "cannotSpreadFragment"),
            ("{ shop { a: id a: name } }", "fieldConflict"),
            ("{ shop { a: id ...F } } fragment F on Shop { a: name }", "fieldConflict"),
            (
                "{ product(handle: \"a\") { a: metafield(key: \"x\") { id } a: metafield(key: \"y\") { id } } }",
                "argumentConflict"
            ),
            ("{ shop @client { id } }", "undefinedDirective"),
            ("query @skip(if: true) { shop { id } }", "directiveCannotBeApplied"),
            ("{ shop @skip(if: true) @skip(if: true) { id } }", "directiveNotUniqueForLocation"),
            ("{ cart(id: \"x\", id: \"y\") { id } }", "argumentNotUnique"),
            ("query($id: ID!, $id: ID!) { cart(id: $id) { id } }", "variableNotUnique"),
            ("query($first: Int = \"x\") { products(first: $first) { nodes { id } } }", "defaultValueInvalidType"),
            ("{ shop { ...F } } fragment F on Shop { id } fragment F on Shop { name }", "fragmentNotUnique"),
            ("{ shop { id } } query Q { shop { id } }", "uniquelyNamedOperations"),
            ("{ shop { ... on String { id } } }", "fragmentOnNonCompositeType"),
            (
                "mutation { cartCreate(input: { note: \"a\", note: \"b\" }) { cart { id } } }",
                "inputFieldNotUnique"
            ),
            (
                "mutation { cartCreate(input: { attributes: [{ key: \"a\" }] }) { cart { id } } }",
                "missingRequiredInputObjectAttribute"
            ),
            (
                "mutation { cartCreate(input: { buyerIdentity: { countryCode: \"US\" } }) { cart { id } } }",
                "argumentLiteralsIncompatible"
            ),
            (
                "mutation($t: String) { cartCreate(input: { buyerIdentity: { token: $t } }) { cart { id } } }",
                "argumentNotAccepted"
            ),
            ("// no comment\n{ shop { id } }", "PARSE_ERROR"),
        ]
    )
    func rejected(query: String, code: String) async throws {
        let answer = try await run(query)
        let codes = answer["errors"]?.array?.compactMap { $0["extensions"]?["code"]?.string } ?? []
        #expect(codes.contains(code))
        #expect(answer["data"] == nil)
    }

    @Test("a variable with an unknown or missing member is refused with its path")
    func variables() async throws {
        let query = "mutation($input: CartInput!) { cartCreate(input: $input) { cart { id } } }"
        let unknown = try await run(query, ["input": .object(["buyerIdentity": .object(["token": .string("x")])])])
        let error = unknown["errors"]?.array?.first
        #expect(error?["extensions"]?["code"]?.string == "INVALID_VARIABLE")
        #expect(
            error?["extensions"]?["problems"]?.array?.first?["path"]?.array?.compactMap(\.string) == [
                "buyerIdentity", "token",
            ]
        )
        #expect(unknown["data"] == nil)
        let missing = try await run(query, ["input": .object(["lines": .array([.object([:])])])])
        #expect(missing["errors"]?.array?.first?["extensions"]?["code"]?.string == "INVALID_VARIABLE")
        #expect(try await run(query)["errors"] != nil)
    }

    @Test("the response has exactly the selected fields: aliases, fragments, directives, type names, pages")
    func selected() async throws {
        let answer = try await run(
            """
            query Some($yes: Boolean!, $first: Int = 1) @inContext(country: CA, language: FR) {
              label: shop { name, id @skip(if: $yes) ...More @include(if: $yes) }
              products(first: $first) { nodes { handle } pageInfo { hasNextPage endCursor } }
              localization { country { isoCode } }
              node(id: "gid://shopify/ProductVariant/1") { __typename id ... on ProductVariant { title } ... on Product { handle } }
            }
            fragment More on Shop { paymentSettings { currencyCode } }
            """,
            ["yes": .bool(true)]
        )
        let expected = """
            {"data":{"label":{"name":"Sandbox","paymentSettings":{"currencyCode":"USD"}},\
            "products":{"nodes":[{"handle":"analytical-mug"}],"pageInfo":{"hasNextPage":true,"endCursor":"1"}},\
            "localization":{"country":{"isoCode":"CA"}},\
            "node":{"__typename":"ProductVariant","id":"gid://shopify/ProductVariant/1","title":"Blue"}}}
            """
        #expect(String(decoding: JSONValue.object(answer).serialized, as: UTF8.self) == expected)
    }

    @Test("fields of version 2026-07 are unknown to earlier versions")
    func versions() async throws {
        let query = "mutation { cartCreate(input: { sourceName: \"x\" }) { cart { id } } }"
        #expect(try await run(query)["errors"] == nil)
        #expect(try await run(query, version: "2026-04")["errors"] != nil)
    }

    @Test("a customer that the token may not read is an error, and the response still has the other data")
    func partialData() async throws {
        let answer = try await run(
            "mutation { cartCreate { cart { totalQuantity buyerIdentity { customer { id } } } } }"
        )
        let cart = answer["data"]?["cartCreate"]?["cart"]
        #expect(cart?["totalQuantity"]?.number?.integer == 0)
        #expect(cart?["buyerIdentity"]?["customer"]?.isNull == true)
        let error = answer["errors"]?.array?.first
        #expect(error?["extensions"]?["code"]?.string == "ACCESS_DENIED")
        #expect(error?["path"]?.array?.compactMap(\.string) == ["cartCreate", "cart", "buyerIdentity", "customer"])
    }

    @Test(
        "without a token, customers and tags of products are errors, and nothing is changed",
        arguments: [
            ("{ customer(customerAccessToken: \"x\") { id } }", ["customer"], "unauthenticated_read_customers"),
            (
                "mutation { customerCreate(input: { email: \"eve@example.com\", password: \"secret\" }) { customer { id } } }",
                ["customerCreate"], "unauthenticated_write_customers"
            ),
            ("{ productTags(first: 1) { nodes } }", ["productTags"], "unauthenticated_read_product_tags"),
            (
                "{ product(handle: \"analytical-mug\") { tags } }",
                ["product", "tags"], "unauthenticated_read_product_tags"
            ),
        ]
    )
    func tokenless(query: String, path: [String], scope: String) async throws {
        let sandbox = try await ShopSandbox.start()
        let url = sandbox.storefront.endpoint
        let denied = try await TestClient.shared.graphQL(url, query)
        let error = denied["errors"]?.array?.first
        #expect(error?["extensions"]?["code"]?.string == "ACCESS_DENIED")
        #expect(error?["path"]?.array?.compactMap(\.string) == path)
        #expect(error?["message"]?.string?.contains(scope) == true)
        #expect(sandbox.storefront.legacyMail(to: "eve@example.com") == nil)
        let token = sandbox.storefront.configuration.publicToken
        let served = try await TestClient.shared.graphQL(
            url,
            query,
            headers: ["X-Shopify-Storefront-Access-Token": token]
        )
        #expect(served["errors"] == nil)
        await sandbox.stop()
    }

    @Test("a legacy customer cannot take another customer's e-mail address, and errors name the mutation's arguments")
    func legacyErrors() async throws {
        let sandbox = try await ShopSandbox.start()
        func mutate(_ field: String, _ selection: String) async throws -> JSONValue? {
            let token = sandbox.storefront.configuration.publicToken
            let answer = try await TestClient.shared.graphQL(
                sandbox.storefront.endpoint,
                "mutation { result: \(field) { \(selection) } }",
                headers: ["X-Shopify-Storefront-Access-Token": token]
            )
            return answer["data"]?["result"]
        }
        for name in ["ada", "eve"] {
            let input = #"{ email: "\#(name)@example.org", password: "secret" }"#
            #expect(
                try await mutate("customerCreate(input: \(input))", "customer { id }")?["customer"]?.isNull == false
            )
        }
        let login = try await mutate(
            #"customerAccessTokenCreate(input: { email: "eve@example.org", password: "secret" })"#,
            "customerAccessToken { accessToken }"
        )
        let token = try #require(login?["customerAccessToken"]?["accessToken"]?.string)
        for (email, isTaken) in [("Ada@example.org", true), ("Eve@example.org", false)] {
            let update = try await mutate(
                #"customerUpdate(customerAccessToken: "\#(token)", customer: { email: "\#(email)" })"#,
                "customerUserErrors { code field }"
            )
            let error = update?["customerUserErrors"]?.array?.first
            #expect(error?["code"]?.string == (isTaken ? "TAKEN" : nil))
        }
        let activation = try await mutate(
            #"customerActivateByUrl(activationUrl: "https://shop.example/none", password: "secret")"#,
            "customerUserErrors { field }"
        )
        let field = activation?["customerUserErrors"]?.array?.first?["field"]?.array?.compactMap(\.string)
        #expect(field == ["activationUrl"])
        await sandbox.stop()
    }
}

import FoundationEssentials
import IdentityHTTP
import IdentityKit
import TestGuides
import Testing

@testable import IdentitySandbox
@testable import StorefrontSandbox

@Suite("The sandbox's shop responds as Shopify does")
struct ShopTruthTests {
    private struct Shop {
        let sandbox: ShopSandbox

        func send(_ query: String, _ variables: JSONObject = [:]) async throws -> JSONValue {
            try await TestClient.shared.graphQL(
                sandbox.storefront.endpoint,
                query,
                variables,
                headers: ["X-Shopify-Storefront-Access-Token": sandbox.storefront.configuration.publicToken]
            )
        }

        func code(_ query: String, _ variables: JSONObject = [:]) async throws -> String? {
            try await send(query, variables)["errors"]?.array?.first?["extensions"]?["code"]?.string
        }
    }

    private static func run(_ body: (Shop) async throws -> Void) async throws {
        let sandbox = try await ShopSandbox.start()
        try await body(Shop(sandbox: sandbox))
        await sandbox.stop()
    }

    @Test(
        "a document that the GraphQL specification forbids is refused with Shopify's code",
        arguments: [
            ("query @defer { shop { name } }", "directiveCannotBeApplied"),
            ("{ shop @include(if: true) @include(if: true) { name } }", "directiveNotUniqueForLocation"),
            ("{ shop { name @nope } }", "undefinedDirective"),
            ("{ products(first: 1, first: 2) { nodes { id } } }", "argumentNotUnique"),
            ("query($a: Int, $a: Int) { products(first: $a) { nodes { id } } }", "variableNotUnique"),
            ("mutation { cartCreate(input: { note: \"a\", note: \"b\" }) { cart { id } } }", "inputFieldNotUnique"),
            ("{ shop { ...F } } fragment F on Shop { name } fragment F on Shop { id }", "fragmentNotUnique"),
            ("query A { shop { name } } query A { shop { id } }", "uniquelyNamedOperations"),
            ("{ shop { a: name a: id } }", "fieldConflict"),
            (
                "{ product(handle: \"x\") { images(first: 1) { nodes { url } } images(first: 2) { nodes { url } } } }",
                "argumentConflict"
            ),
            ("{ shop { ...F name: id } } fragment F on Shop { name }", "fieldConflict"),
            (
                "{ shop { ...F } shop { ...G } } fragment F on Shop { a: name } fragment G on Shop { a: id }",
                "fieldConflict"
            ),
            ("{ shop { ...F } } fragment F on Shop { ...F }", "infiniteLoop"),
        ]
    )
    func documents(document: String, code: String) async throws {
        try await Self.run { shop async throws in
            let answer = try await shop.send(document)
            let codes = answer["errors"]?.array?.compactMap { $0["extensions"]?["code"]?.string } ?? []
            #expect(codes.contains(code), "\(answer)")
            #expect(answer["data"] == nil)
        }
    }

    @Test("connections need first or last, up to 250") func sizes() async throws {
        try await Self.run { shop async throws in
            func code(_ arguments: String) async throws -> String? {
                try await shop.code("{ products\(arguments) { nodes { id } } }")
            }
            #expect(try await code("(first: 250)") == nil)
            #expect(try await code("(last: 1)") == nil)
            #expect(try await code("(first: 0)") == nil)
            for bad in ["", "(first: 251)", "(last: 251)", "(first: -1)", "(first: 1, last: 1)", "(query: \"a\")"] {
                #expect(try await code(bad) == "BAD_REQUEST", "\(bad)")
            }
            let nested = "{ products(first: 1) { nodes { id images { nodes { url } } } } }"
            #expect(try await shop.code(nested) == "BAD_REQUEST")
            let counted = "{ collections { totalCount nodes { id } } }"
            #expect(try await shop.code(counted) == "BAD_REQUEST")
        }
    }

    @Test("`reverse: true` returns the products in opposite order") func reverse() async throws {
        try await Self.run { shop async throws in
            func ids(_ arguments: String) async throws -> [JSONValue] {
                let answer = try await shop.send(
                    "{ collection(handle: \"all\") { products(\(arguments)) { nodes { id } } } }"
                )
                return answer["data"]?["collection"]?["products"]?["nodes"]?.array ?? []
            }
            let forward = try await ids("first: 3")
            #expect(forward.count == 3)
            #expect(try await ids("first: 2, reverse: true") == Array(forward.reversed().prefix(2)))
        }
    }

    @Test(
        "a search finds products with all its words in the title, with or without the prefix title:",
        arguments: [
            ("title:Mug", 1), ("title:\"Analytical Mug\"", 1), ("title:mug*", 1), ("Mug", 1), ("title:Nothing", 0),
            ("title:Mug title:Card", 0),
        ]
    )
    func search(query: String, count: Int) async throws {
        try await Self.run { shop async throws in
            let document = "query($q: String) { products(first: 5, query: $q) { nodes { title } } }"
            let found = try await shop.send(document, ["q": .string(query)])["data"]?["products"]?["nodes"]?.array
            #expect(found?.count == count)
        }
    }

    @Test("a value that an enum of the schema does not contain is refused") func enums() async throws {
        try await Self.run { shop async throws in
            let variables = "mutation($i: CartInput) { cartCreate(input: $i) { cart { id } } }"
            func country(_ code: String) -> JSONObject {
                ["i": .object(["buyerIdentity": .object(["countryCode": .string(code)])])]
            }
            for (code, isGood) in [("DE", true), ("XK", true), ("QQ", false), ("de", false), ("GU", false)] {
                #expect((try await shop.code(variables, country(code)) == nil) == isGood, "\(code)")
            }
            #expect(
                try await shop.code("query @inContext(country: QQ) { shop { name } }") == "argumentLiteralsIncompatible"
            )
            #expect(
                try await shop.code("query @inContext(language: QQ) { shop { name } }")
                    == "argumentLiteralsIncompatible"
            )
            #expect(try await shop.code("query @inContext(country: US, language: PT_BR) { shop { name } }") == nil)
            for code in ["AA", "TW", "pt"] {
                let refused = try await shop.code("query @inContext(language: \(code)) { shop { name } }")
                #expect(refused == "argumentLiteralsIncompatible", "\(code)")
            }
        }
    }

    @Test(
        "countries, languages and currencies are exactly those of Shopify's schema, from which the SDK's enums are generated",
        arguments: ["CountryCode", "LanguageCode", "CurrencyCode"]
    )
    func codes(type: String) throws {
        let source = try Repository.text("Sources/ShopifyStorefront/Generated/Enums/\(type).swift")
        let generated = source.matches(of: /rawValue: "([A-Z_]+)"/).map { String($0.1) }
        let rest = try #require(StorefrontSchema.codes.split(separator: "enum \(type) {").last)
        let served = rest.prefix { $0 != "}" }.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(served.sorted() == generated.sorted())
    }

    @Test("a discount is shown for the cart and in parts for its lines, and the parts add up to the discount")
    func allocations() async throws {
        try await Self.run { shop async throws in
            let create = """
                mutation($i: CartInput) { cartCreate(input: $i) { cart {
                  cost { subtotalAmount { amount } totalAmount { amount } }
                  discountAllocations { discountedAmount { amount } targetType ... on CartCodeDiscountAllocation { code } }
                  lines(first: 9) { nodes {
                    own: discountAllocations { discountedAmount { amount } }
                    all: discountAllocations(lineLevelOnly: false) { discountedAmount { amount } }
                  } }
                } } }
                """
            func cart(_ codes: [String]) async throws -> JSONValue {
                let lines = [("1", 3), ("3", 1)].map { id, quantity -> JSONValue in
                    .object([
                        "merchandiseId": .string("gid://shopify/ProductVariant/\(id)"), "quantity": .integer(quantity),
                    ])
                }
                let input: JSONObject = [
                    "lines": .array(lines), "discountCodes": .array(codes.map { .string($0) }),
                ]
                let answer = try await shop.send(create, ["i": .object(input)])
                return try #require(answer["data"]?["cartCreate"]?["cart"], "\(answer)")
            }
            func amount(_ value: JSONValue?) -> Double { Double(value?["amount"]?.string ?? "") ?? -1 }
            let discounted = try await cart(["sandbox10"])
            let allocation = try #require(discounted["discountAllocations"]?.array?.first)
            #expect(allocation["code"]?.string == "sandbox10")
            #expect(allocation["targetType"]?.string == "LINE_ITEM")
            let cost = discounted["cost"]
            let saved = amount(cost?["subtotalAmount"]) - amount(cost?["totalAmount"])
            #expect(abs(amount(allocation["discountedAmount"]) - saved) < 0.001)
            let lines = discounted["lines"]?["nodes"]?.array ?? []
            let parts = lines.flatMap { $0["all"]?.array ?? [] }.map { amount($0["discountedAmount"]) }
            #expect(parts.count == 2)
            #expect(abs(parts.reduce(0, +) - saved) < 0.001)
            #expect(lines.allSatisfy { $0["own"]?.array?.isEmpty == true })
            let plain = try await cart([])
            #expect(plain["discountAllocations"]?.array?.isEmpty == true)
            #expect(plain["lines"]?["nodes"]?.array?.allSatisfy { $0["all"]?.array?.isEmpty == true } == true)
        }
    }

    @Test("a metafield above 128 KB and a blank gift card are refused") func limits() async throws {
        try await Self.run { shop async throws in
            let created = try await shop.send("mutation { cartCreate { cart { id } } }")
            let id = try #require(created["data"]?["cartCreate"]?["cart"]?["id"]?.string)
            func set(_ size: Int) async throws -> String? {
                let field: JSONObject = [
                    "ownerId": .string(id), "key": .string("k"), "type": .string("single_line_text_field"),
                    "value": .string(String(repeating: "x", count: size)),
                ]
                let document = """
                    mutation($m: [CartMetafieldsSetInput!]!) { cartMetafieldsSet(metafields: $m) { userErrors { code } } }
                    """
                let answer = try await shop.send(document, ["m": .array([.object(field)])])
                return answer["data"]?["cartMetafieldsSet"]?["userErrors"]?.array?.first?["code"]?.string
            }
            #expect(try await set(128 << 10) == nil)
            #expect(try await set(128 << 10 + 1) == "TOO_LONG")
            let cards = """
                mutation($id: ID!, $c: [String!]!) { cartGiftCardCodesAdd(cartId: $id, giftCardCodes: $c) {
                  cart { appliedGiftCards { id } } userErrors { code field } } }
                """
            for (codes, count, error) in [(["ABCD1234"], 1, nil), (["EFGH5678", " "], 1, "INVALID")]
                as [([String], Int, String?)]
            {
                let variables: JSONObject = ["id": .string(id), "c": .array(codes.map { .string($0) })]
                let answer = try await shop.send(cards, variables)["data"]?["cartGiftCardCodesAdd"]
                #expect(answer?["cart"]?["appliedGiftCards"]?.array?.count == count)
                #expect(answer?["userErrors"]?.array?.first?["code"]?.string == error)
            }
        }
    }

    @Test("orders are sorted by id unless reversed") func orders() async throws {
        try await Self.run { shop async throws in
            let token = try await ShopifyLogin(shop.sandbox).tokens()["access_token"]?.string ?? ""
            shop.sandbox.customers.addOrders([1_002, 1_001, 1_003], for: "ada@example.com")
            func numbers(_ arguments: String) async throws -> [Int?] {
                let answer = try await TestClient.shared.graphQL(
                    shop.sandbox.shopify.customerAccountEndpoint,
                    "{ customer { orders(\(arguments)) { nodes { number } } } }",
                    headers: ["Authorization": token]
                )
                return answer["data"]?["customer"]?["orders"]?["nodes"]?.array?.map { $0["number"]?.number?.integer }
                    ?? []
            }
            #expect(try await numbers("first: 9") == [1_001, 1_002, 1_003])
            #expect(try await numbers("first: 2, sortKey: PROCESSED_AT, reverse: true") == [1_003, 1_002])
        }
    }
}

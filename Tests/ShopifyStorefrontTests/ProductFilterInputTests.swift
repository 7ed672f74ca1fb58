import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Testing

/// Filters that are made from the `input` of a filter's value.
@Suite struct ProductFilterInputTests {
    /// Inputs with each member, and the variables that are sent for them.
    static let inputs: [(input: String, variables: String)] = [
        (#"{"available":true}"#, #"{"available":true}"#),
        (#"{"available":false}"#, #"{"available":false}"#),
        (#"{"available":null}"#, #"{"available":null}"#),
        (
            #"{"category":{"id":"gid://shopify/TaxonomyCategory/aa-1"}}"#,
            #"{"category":{"id":"gid://shopify/TaxonomyCategory/aa-1"}}"#
        ),
        (#"{"price":{"min":0,"max":25.5}}"#, #"{"price":{"min":0.0,"max":25.5}}"#),
        (#"{"price":{"min":1e2}}"#, #"{"price":{"min":100.0}}"#),
        (#"{"price":{"min":3,"max":null}}"#, #"{"price":{"min":3.0,"max":null}}"#),
        (
            #"{"productMetafield":{"namespace":"custom","key":"size","value":"9"}}"#,
            #"{"productMetafield":{"namespace":"custom","key":"size","value":"9"}}"#
        ),
        (#"{"productType":"Poster"}"#, #"{"productType":"Poster"}"#),
        (#"{"productVendor":"Ren & Co"}"#, #"{"productVendor":"Ren & Co"}"#),
        (#"{"tag":"\u00e9t\u00e9 \"25\""}"#, #"{"tag":"été \"25\""}"#),
        (
            #"{"taxonomyMetafield":{"namespace":"shopify","key":"color","value":"gid://shopify/Metaobject/1"}}"#,
            #"{"taxonomyMetafield":{"namespace":"shopify","key":"color","value":"gid://shopify/Metaobject/1"}}"#
        ),
        (
            #"{"variantMetafield":{"namespace":"custom","key":"fit","value":"slim"}}"#,
            #"{"variantMetafield":{"namespace":"custom","key":"fit","value":"slim"}}"#
        ),
        (
            #"{"variantOption":{"name":"color","value":"red"}}"#,
            #"{"variantOption":{"name":"color","value":"red"}}"#
        ),
        (#" {"tag":"a","available":true} "#, #"{"available":true,"tag":"a"}"#),
    ]

    private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test("each member of a filter's input is read from a string and from an object", arguments: inputs.indices)
    func members(index: Int) throws {
        let (input, variables) = Self.inputs[index]
        let expected = try Self.json(variables)
        #expect(try ProductFilter(input: .string(input)).graphQLValue == expected)
        #expect(try ProductFilter(input: Self.json(input)).graphQLValue == expected)
    }

    /// Inputs that are valid JSON, and the end of the message that refuses each.
    static let refused: [(input: String, message: String)] = [
        ("true", "The input of the product filter must be an object."),
        ("null", "The input of the product filter must be an object."),
        (#"[{"available":true}]"#, "The input of the product filter must be an object."),
        (#"{"available":"true"}"#, "available must be true or false."),
        (#"{"available":1}"#, "available must be true or false."),
        (#"{"tag":7}"#, "tag must be a string."),
        (#"{"productType":["a"]}"#, "productType must be a string."),
        (#"{"price":5}"#, "price must be an object."),
        (#"{"price":{"min":"5"}}"#, "price.min must be a number in the range of Double."),
        (#"{"price":{"max":1e999}}"#, "price.max must be a number in the range of Double."),
        (#"{"price":{"minimum":5}}"#, "unknown member price.minimum."),
        (#"{"category":{}}"#, "category.id must be a string."),
        (#"{"variantOption":{"name":"color"}}"#, "variantOption.value must be a string."),
        (#"{"variantOption":{"name":"color","value":null}}"#, "variantOption.value must be a string."),
        (#"{"variantOption":{"name":"color","value":"red","all":true}}"#, "unknown member variantOption.all."),
        (#"{"productMetafield":{"key":"a","value":"b"}}"#, "productMetafield.namespace must be a string."),
        (#"{"taxonomyMetafield":{"namespace":"a","key":"b"}}"#, "taxonomyMetafield.value must be a string."),
        (#"{"variantMetafield":"a"}"#, "variantMetafield must be an object."),
        (#"{"available":true,"vendor":"a"}"#, "unknown member vendor."),
        (#"{"Available":true}"#, "unknown member Available."),
        (#"{"<b>@secret":true}"#, "unknown member …."),
    ]

    @Test("an input with an unknown member or a wrong type is refused", arguments: refused.indices)
    func refusals(index: Int) throws {
        let (input, message) = Self.refused[index]
        for value in [JSONValue.string(input), try Self.json(input)] {
            let error = #expect(throws: IdentityError.self) { try ProductFilter(input: value) }
            #expect(error?.kind == .rejected && error?.code == .invalidRequest)
            #expect(error?.message.hasSuffix(message) == true, "\(String(describing: error?.message))")
        }
    }

    @Test(
        "a string that is not one accepted JSON object is refused",
        arguments: [
            "", "available", #"{"available":true"#, #"{"available":true}{}"#, #"{"available":true,"available":false}"#,
            #""{\"available\":true}""#, #"{"price":{"min":{"a":1}}}"#, String(repeating: "[", count: 60_000),
            #"{"tag":""# + String(repeating: "a", count: 1 << 16) + #""}"#,
        ]
    )
    func notJSON(text: String) {
        let error = #expect(throws: IdentityError.self) { try ProductFilter(input: .string(text)) }
        #expect(error?.kind == .rejected && error?.code == .invalidRequest)
    }

    @Test("the filter that a collection returns can be sent back, and only the products that match it are returned")
    func roundTrip() async throws {
        let shop = try await SandboxShop(storefront: { $0.variants[0].stock = 0 })
        let client = shop.carts.client
        let all = try #require(try await client.execute(CollectionProducts(handle: .set("all"))).data?.products)
        let titles = all.productsConnection.nodes.map(\.title)
        #expect(titles == ["Analytical Mug", "Difference T-Shirt", "Punched Card"])
        let filter = try #require(all.filters.first)
        #expect(filter.type == .list && filter.values.map(\.count) == [2, 1])
        for (value, found) in zip(filter.values, [Array(titles.dropFirst()), ["Analytical Mug"]]) {
            let operation = CollectionProducts(
                handle: .set("all"),
                filters: .set([try ProductFilter(input: value.input)])
            )
            let products = try await client.execute(operation).data?.products
            #expect(products?.productsConnection.nodes.map(\.title) == found)
            #expect(products?.filters.map(\.label) == ["Availability"])
        }
    }
}

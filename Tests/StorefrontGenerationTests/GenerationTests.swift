import IdentityKit
import ShopifyGraphQL
import StorefrontGeneration
import Testing

/// The code that is generated from documents and configurations.
@Suite struct GenerationTests {
    @Test("a fragment is one type, however often it is used")
    func fragments() throws {
        let result = try generate(
            "query A { shop { ...Card } } query B { shop { ...Card owner { email } } } fragment Card on Shop { id name }"
        )
        #expect(result.files.keys.sorted() == ["Fragments/Card.swift", "Operations/A.swift", "Operations/B.swift"])
        #expect(result.files["Operations/A.swift"]?.contains("typealias Output = Card?") == true)
        #expect(result.files["Operations/B.swift"]?.contains("let card: Card") == true)
        #expect(result.files.values.filter { $0.contains("struct Card") }.count == 1)
    }

    @Test("the text of a fragment is emitted once and used by each document")
    func fragmentTexts() throws {
        let result = try generate(
            "query A { shop { ...Card } } query B { shop { id ...Card } } fragment Card on Shop { id ...Name }",
            "fragment Name on Shop { name } query C { shop { ...Name } }"
        )
        #expect(result.files.values.count { $0.contains("fragment Card on Shop") } == 1)
        #expect(result.files.values.count { $0.contains("fragment Name on Shop") } == 1)
        for name in ["A", "B"] {
            #expect(result.files["Operations/\(name).swift"]?.contains("fragments: [.card, .name]") == true)
        }
        #expect(result.files["Operations/C.swift"]?.contains("fragments: [.name]") == true)
        let document = GraphQLDocument(
            name: "A",
            kind: .query,
            text: "query A { shop { ...Card } }",
            fragments: [
                GraphQLFragment("fragment Card on Shop { id ...Name }"),
                GraphQLFragment("fragment Name on Shop { name }"),
            ]
        )
        #expect(
            document.text
                == "query A { shop { ...Card } }\nfragment Card on Shop { id ...Name }\nfragment Name on Shop { name }"
        )
    }

    @Test("a deprecated field of an input is left out, unless it is required")
    func deprecatedInputFields() throws {
        let file = try generate("mutation A($o: Outdated!) { outdated(o: $o) }").files["Inputs/Outdated.swift"]
        #expect(file?.contains("var name: InputField<String>") == true)
        #expect(file?.contains("var must: String") == true && file?.contains("oldName") == false)
    }

    @Test("only enums and input types that a document uses are generated")
    func reachable() throws {
        let result = try generate("query A($f: Filter) { search(filter: $f) { __typename } }")
        #expect(result.files.keys.sorted() == ["Enums/Country.swift", "Inputs/Filter.swift", "Operations/A.swift"])
    }

    @Test("a large selection that documents contain twice is refused, up to a configured number of fields")
    func duplicates() throws {
        let selection = "{ id name description self init default country strange cartId }"
        let result = try generate("query A { shop \(selection) }", "query B {\n shop \(selection) }")
        #expect(result.isRefused && result.diagnostics.count == 1)
        #expect(
            result.diagnostics.first?.description.contains(
                "This selection of 9 fields on Shop is written 2 times (0.graphql:1:11, 1.graphql:2:2)"
            ) == true
        )
        let raised = try generate(
            "query A { shop \(selection) }",
            "query B {\n shop \(selection) }",
            configuration: #"{"maximumDuplicatedFields":9}"#
        )
        #expect(!raised.isRefused)
    }

    @Test("two types with one name are refused with a hint")
    func names() throws {
        #expect(
            try generate("query Card { shop { ...card } } fragment card on Shop { id }").diagnostics.first?.message
                .contains("would both become the Swift type Card. Rename one.") == true
        )
        let result = try generate("query Filter { shop { id } }")
        #expect(result.diagnostics.first?.message.contains("would both become the Swift type Filter") == true)
        #expect(
            try !generate("query Filter { shop { id } }", configuration: #"{"names":{"Filter":"ShopFilter"}}"#)
                .isRefused
        )
    }

    @Test("two types of the schema cannot be configured with one name")
    func configuredNames() throws {
        let document =
            "query A { place { shop { country } } } mutation B($id: ID!) { count(id: $id) { problems { code } } }"
        for names in [#"{"Country":"Code","ProblemCode":"Code"}"#, #"{"Country":"ProblemCode"}"#] {
            let result = try generate(document, configuration: #"{"names":\#(names)}"#)
            #expect(result.isRefused)
            #expect(
                result.diagnostics.first?.message.contains("Two types of the schema would both become") == true
            )
        }
    }

    @Test("an enum or input whose name is a Swift keyword needs another name", arguments: ["Type", "Any", "default"])
    func keywordNames(name: String) throws {
        let schema = try TestSchema.schema("type Query { mode: \(name) } enum \(name) { ON }")
        let result = try generate("query A { mode }", schema: schema)
        #expect(result.diagnostics.first?.message.contains("Set another name for it under \"names\".") == true)
        #expect(
            try !generate("query A { mode }", configuration: #"{"names":{"\#(name)":"Mode"}}"#, schema: schema)
                .isRefused
        )
    }

    @Test("an input that contains itself can be compared")
    func comparedInput() throws {
        let schema = try TestSchema.schema("type Query { a(n: Nest): ID } input Nest { id: ID inner: Nest }")
        let document = "query A($n: Nest) { a(n: $n) }"
        let result = try generate(document, configuration: #"{"equatable":["Nest"]}"#, schema: schema)
        let file = try #require(result.files["Inputs/Nest.swift"])
        #expect(file.contains("struct Nest: GraphQLWritable, Equatable"))
        #expect(file.contains("InputField<GraphQLInputObject>") && GraphQLInputObject() == GraphQLInputObject())
    }

    @Test("the output of a redacted operation and its nested types are redacted")
    func redactedOperation() throws {
        let document = "query A { shop { id money { amount } } other: shop { name } }"
        let file = try generate(document, configuration: #"{"redacted":["A"]}"#).files["Operations/A.swift"]
        let types = (file ?? "").split(separator: "\n").filter {
            $0.contains("struct ") && $0.contains(": GraphQLReadable")
        }
        #expect(types.count == 4 && types.allSatisfy { $0.contains("GraphQLRedacted") }, "\(types)")
    }

    @Test("the nested types of a redacted fragment or type are redacted, and the types after it are not")
    func redactedNestedTypes() throws {
        let fragment = "query A { shop { ...F } people { id } } fragment F on Shop { id money { amount } }"
        let type = "query A { shop { id money { amount } } people { id } }"
        for (document, name) in [(fragment, "F"), (type, "Shop")] {
            let files = try generate(document, configuration: "{\"redacted\":[\"\(name)\"]}").files
            let lines = files.values.joined(separator: "\n").split(separator: "\n")
            let types = lines.filter { $0.contains(": GraphQLReadable") }
            let redacted = types.filter { $0.contains("GraphQLRedacted") }
            #expect(redacted.count == 2 && redacted.contains { $0.contains("struct Money") }, "\(types)")
            #expect(types.contains { $0.contains("struct People: GraphQLReadable {") }, "\(types)")
        }
    }

    @Test("a selection on a redacted type is redacted and does not use a payload")
    func redactedPayload() throws {
        let result = try generate(
            "query A { shop { id } people { id } }",
            configuration: #"{"redacted":["Shop"],"payloads":{"Named":["id"]}}"#
        )
        let file = try #require(result.files["Operations/A.swift"])
        #expect(file.contains("struct Shop: GraphQLReadable, GraphQLRedacted"))
        #expect(file.contains("let people: [Named"))
    }

    @Test("a redacted selection that only spreads a fragment becomes its own type, unless the fragment is redacted")
    func redactedSpread() throws {
        let fragments = "fragment F on Shop { id } fragment R on Query { shop { id } } fragment N on Node { id }"
        for (document, redacted, expected) in [
            ("query A { shop { ...F } }", "A", "struct Shop: GraphQLReadable, GraphQLRedacted"),
            ("query A { shop { ...F } }", "Shop", "typealias Output = F?"),
            ("query A { ...R }", "A", "struct Output: GraphQLReadable, GraphQLRedacted"),
            ("query A { place { shop { ...N } } }", "Shop", "struct Shop: GraphQLReadable, GraphQLRedacted"),
            ("query A { place { shop { ...N } } }", #"Place","Shop"#, "struct Shop: GraphQLReadable, GraphQLRedacted"),
        ] {
            let others = "query Z { shop { ...F ...N } ...R }"
            let result = try generate(document, fragments, others, configuration: "{\"redacted\":[\"\(redacted)\"]}")
            let file = result.files["Operations/A.swift"] ?? "\(result.diagnostics)"
            #expect(file.contains(expected), "\(file)")
        }
    }

    @Test("a property of a payload has the same name for a field and for an alias")
    func payloadAlias() throws {
        let schema = try TestSchema.schema(
            "type Query { a: Page } type Page { linkUrl: Link other: Link } type Link { x: ID }"
        )
        let result = try generate(
            "query A { a { linkUrl: other { x } } } query B { a { linkUrl { x } } }",
            configuration: #"{"payloads":{"P":["linkUrl"]}}"#,
            schema: schema
        )
        #expect(result.files["Fragments/P.swift"]?.contains("let linkURL: LinkURL?") == true)
        for name in ["A", "B"] {
            let file = result.files["Operations/\(name).swift"]
            #expect(file?.contains("typealias Output = P<LinkUrl>?") == true, "\(file ?? "")")
        }
    }

    @Test("nested types and members get unique names")
    func collisions() throws {
        let result = try generate(
            "query Money { shop { ...Country2 money { amount } } } fragment Country2 on Shop { id country string { city } cartId cartID: name }"
        )
        #expect(!result.isRefused)
        #expect(result.files["Operations/Money.swift"]?.contains("struct MoneySelection") == true)
        #expect(result.files["Fragments/Country2.swift"]?.contains("struct StringSelection") == true)
        #expect(result.files["Fragments/Country2.swift"]?.contains("let cartID: String?") == true)
        #expect(result.files["Fragments/Country2.swift"]?.contains("let cartIDValue: String") == true)
        let capitals = try generate(
            "query A($Shop: ID) { shop(id: $Shop) { Money: money { amount } } } query B($Output: ID) { shop(id: $Output) { id } }"
        )
        let file = try #require(capitals.files["Operations/A.swift"])
        #expect(file.contains("struct ShopSelection:") && file.contains("let Money: MoneySelection"), "\(file)")
        #expect(capitals.files["Operations/B.swift"]?.contains("var OutputValue: InputField<String>") == true)
    }

    @Test("upper-case enum values become lowerCamelCase, keywords get backticks, reserved names the suffix Value")
    func constants() throws {
        let text = try #require(try generate("query A { shop { country } }").files["Enums/Country.swift"])
        for line in [
            "static let `do` = Self(rawValue: \"DO\")", "static let `try` =", "static let `as` =", "static let `in` =",
            "static let `is` =", "static let noneValue =", "static let selfValue =", "static let initValue =",
            "static let some_thing =", "@available(*, deprecated", "static let old =",
        ] { #expect(text.contains(line), "\(line)") }
    }

    @Test("schema descriptions become comments only if configured, and their text stays inside the comment")
    func descriptions() throws {
        let document = "query A { shop { ...S } }\n# end */\u{2028}let x = 1\nfragment S on Shop { name }"
        let schema = try TestSchema.schema(
            TestSchema.standard.replacing(
                "name: String! description",
                with: "\"Line one\\nimport Foundation\" name: String! description"
            )
        )
        let plain = try #require(try generate(document, schema: schema).files["Fragments/S.swift"])
        #expect(!plain.contains("Line one"))
        let described = try #require(
            try generate(document, configuration: #"{"descriptions":true}"#, schema: schema).files["Fragments/S.swift"]
        )
        #expect(described.contains("/// Line one\n    /// import Foundation\n"))
        #expect(described.contains("/// end */\n/// let x = 1\n"))
    }

    @Test(
        "an invalid configuration is refused",
        arguments: [
            (#"{"repetitions":{}}"#, "member repetitions is not known; did you mean repetition?"),
            (#"{"repetition":{"A":"twice"}}"#, "must be always, once, afterReading or never"),
            (#"{"repetition":{"B":"once"}}"#, #"there is no operation "B""#),
            (#"{"isPersonal":{"A":1}}"#, "true or false"),
            (#"{"types":{"Shop.nam":"X"}}"#, #"there is no field "Shop.nam". Did you mean "Shop.name"?"#),
            (#"{"types":{"Shop":"X"}}"#, #"types: "Shop" must have the form Type.field."#),
            (#"{"types":{"Shop.name":"a b"}}"#, "is not a valid Swift name"),
            (#"{"types":{"Shop.name":"class"}}"#, "is not a valid Swift name"),
            (#"{"variables":{"x":"X"}}"#, #"there is no variable "x""#),
            (#"{"scalars":{"Nope":"X"}}"#, #"there is no type "Nope""#),
            (#"{"redacted":["Nope"]}"#, #"there is no type, fragment or operation "Nope""#),
            (#"{"payloads":{"P":"x"}}"#, "member payloads.P must be a list of one or more non-empty strings"),
            (#"{"payloads":{"P":["shop","problems"]}}"#, #"payloads: no selection has exactly the fields of "P""#),
            (#"{"provided":["Storefront"]}"#, #"provided: storefront-gen would generate no type "Storefront" anyway"#),
            (#"{"imports":{"X":"Mine"}}"#, #"imports: "X" is not in types, variables, scalars or provided"#),
            (#"{"maximumDuplicatedFields":0}"#, "from 1 to 1000"), ("[]", "must be a JSON object"),
            ("{", "could not be read as JSON"),
            (#"{"imports":{"X":"a-b"}}"#, "is not a valid Swift name"), (#"{"descriptions":"yes"}"#, "true or false"),
        ]
    )
    func configuration(text: String, expected: String) {
        let error = #expect(throws: GenerationFailure.self) {
            try generate("query A { shop { id } }", configuration: text)
        }
        #expect(error?.kind == .usage)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test("a list in generator.json may be empty", arguments: ["redacted", "provided", "equatable"])
    func emptyList(member: String) throws {
        #expect(try !generate("query A { shop { id } }", configuration: "{\"\(member)\":[]}").isRefused)
    }

    @Test(
        "a misspelled name of more than 40 bytes gets a suggestion",
        arguments: [
            "ProductVariantWithSellingPlanAllocationsAndPrizes", "ProductVarientWithSellingPlanAllocationsAndPrices",
            "ProductVariantWithSellingPlanAllocationAndPrices", "productVariantWithSellingPlanAllocationsAndPrices",
        ]
    )
    func longName(name: String) throws {
        let right = "ProductVariantWithSellingPlanAllocationsAndPrices"
        let error = #expect(throws: GenerationFailure.self) {
            try generate(
                "query A { shop { ...\(right) } } fragment \(right) on Shop { id }",
                configuration: "{\"redacted\":[\"\(name)\"]}"
            )
        }
        #expect(error?.message.contains("Did you mean \"\(right)\"?") == true, "\(error?.message ?? "")")
    }

    @Test("a type under provided in generator.json is used but not generated")
    func provided() throws {
        let result = try generate(
            "query A($f: Filter) { search(filter: $f) { ...T } shop { ...S } } fragment T on Thing { __typename } fragment S on Shop { id }",
            configuration: #"{"provided":["Filter","Storefront"],"names":{"S":"Storefront"}}"#
        )
        #expect(
            result.files.keys.sorted()
                == ["Fragments/Storefront+Fragment.swift", "Fragments/T.swift", "Operations/A.swift"]
        )
        #expect(result.files["Operations/A.swift"]?.contains("let shop: Storefront?") == true)
    }
}

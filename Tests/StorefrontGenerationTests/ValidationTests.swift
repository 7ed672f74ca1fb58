import Foundation
import GraphQLLanguage
import StorefrontGeneration
import TestGuides
import Testing

/// Rules of validation, each with documents that break it.
@Suite struct ValidationTests {
    @Test("a schema can be extended although one of its types names an interface that the schema does not contain")
    func hiddenInterface() throws {
        let schema = try TestSchema.schema("type Query { shop: Shop } type Shop implements Hidden { id: ID }")
        #expect(try schema.extended(by: "extend type Shop { extra: ID }").types["Shop"]?.field("extra") != nil)
    }

    @Test(
        "a document that breaks a rule is refused with place, reason and what to do",
        arguments: [
            (
                "query Q {\n  shop { nam }\n}",
                #"0.graphql:2:10: error: Shop has no field "nam" in this schema. Did you mean "name"?"#
            ),
            ("query Q { shop { gone } }", "see the API's changelog for its replacement"),
            ("query Q { shop(ib: 1) { id } }", #"no argument "ib". Did you mean "id"?"#),
            ("query Q { node { id } }", #"Query.node needs the argument "id" of type ID!."#),
            ("query Q { need(a: 1, a: 2) }", #"is given the argument "a" twice"#),
            ("query Q { need(a: \"1\") }", #""a" is of type Int; "1" does not fit"#),
            ("query Q { need(a: 2147483648) }", "is of type Int"),
            ("query Q { need(a: null) }", "cannot be null"),
            ("query Q { people(countries: [\"DE\"]) { id } }", "one of its values, without quotes"),
            ("query Q { people(countries: [DF]) { id } }", "Country has no value DF. Did you mean \"DO\"?"),
            ("query Q { search(filter: {limit: 1}) { __typename } }", #"Filter needs "value" of type String!"#),
            ("query Q { search(filter: {value: \"a\", vlaue: 1}) { __typename } }", #"Did you mean "value"?"#),
            ("query Q { search(filter: {value: \"a\", value: \"b\"}) { __typename } }", #"given "value" twice"#),
            ("query Q { search(filter: 3) { __typename } }", "is of type Filter: write { … }"),
            ("query Q($a: Int) { need(a: $a) }", "$a is of type Int, but it is used where Int! is needed."),
            ("query Q { need(a: $a) }", "does not declare the variable $a"),
            ("query Q($a: Int!, $b: Int) { need(a: $a) }", "$b is declared and not used"),
            ("query Q($a: Int!, $a: Int!) { need(a: $a) }", "declared twice"),
            ("query Q($a: Shop) { shop(id: $a) { id } }", "which is not an input type"),
            ("query Q($a: Strng) { shop(id: $a) { id } }", #"Did you mean "String"?"#),
            (
                "query Q($a: ID = 3, $b: Int! = \"x\") { shop(id: $a) { id } need(a: $b) }",
                "is of type Int; \"x\" does not fit"
            ),
            ("query Q($a: ID = $b, $b: ID) { shop(id: $a) { id } }", "cannot contain a variable"),
            ("query Q($a: [ID!]) { nodes(ids: $a) { id } }", "used where [ID!]! is needed"),
            ("query Q { shop { ...Missing } }", "There is no fragment Missing"),
            ("query Q { shop { ...A } }\nfragment A on Shop { ...B }\nfragment B on Shop { ...A }", "A → B → A"),
            ("query Q { shop { ...A } }\nfragment A on Shop { ...A }", "The fragment spreads itself: A → A"),
            ("query Q { shop { id } }\nfragment A on Shop { id }", "No operation uses the fragment A"),
            ("query Q { shop { ...A } }\nfragment A on Place { city }", "of type Shop is never of type Place"),
            ("query Q { shop { ... on Boat { id } } }", "of type Shop is never of type Boat"),
            ("query Q { shop { ... on Country { id } } }", "Country has no fields"),
            ("query Q { shop { ...A } }\nfragment A on Nope { id }", "The schema has no type Nope"),
            ("query Q { shop { ...A } }\nfragment A on Country { id }", "selects nothing"),
            ("query Q { shop }", "needs a selection: shop { … }"),
            ("query Q { shop { name { a } } }", "which has no fields to select"),
            ("query Q { shop { __typename(a: 1) } }", "__typename takes no"),
            ("query Q { shop { __x: name } }", "begins with two underscores"),
            ("query Q { shop { name: description name } }", #""name" would be both description and name"#),
            ("query Q { a: need(a: 1) a: need(a: 2) }", "with different arguments"),
            (
                "query Q { search { ... on Ship { n: name } ... on Person { n: email } } }",
                "would be both Int! and String!"
            ),
            (
                "query Q { search { ... on Ship { n: name } ... on Person { n: __typename } } }",
                "would be both Int! and String!"
            ),
            (
                "query Q { shop { ...A type { city } } }\nfragment A on Shop { type { city: near { city } } }",
                "would be both"
            ),
            ("query Q { shop @nope { id } }", "no directive @nope"),
            ("query Q @include(if: true) { shop { id } }", "@include is not allowed here"),
            ("query Q { shop @include { id } }", #"@include needs the argument "if""#),
            ("query Q { shop @skip(if: true) @skip(if: true) { id } }", "@skip is used twice here"),
            ("query Q { shop { ... @defer { name } } }", "@defer splits the response"),
            ("{ shop { id } }", "The operation has no name"),
            ("subscription S { shop { id } }", "Shopify's APIs have no subscriptions"),
            ("query Q { shop { id } } query Q { shop { id } }", "is defined in 0.graphql already"),
            ("query Q { shop { id }", "Parse error on the end"),
            ("fragment on Shop { id }", #"Parse error on "on", expected a fragment name"#),
            ("fragment on on Shop { id }", #"Parse error on "on", expected a fragment name"#),
            ("fragment A Shop { id }", #"Parse error on "Shop", expected "on""#),
            ("query Q { shop(id: \"a) { id } }", "unterminated string"),
        ]
    )
    func rule(document: String, expected: String) throws {
        let result = try generate(document)
        #expect(result.isRefused && result.files.isEmpty)
        let texts = result.diagnostics.map(\.description)
        #expect(texts.contains { $0.contains(expected) }, "\(texts)")
        #expect(result.diagnostics.allSatisfy { $0.location != nil })
    }

    @Test(
        "a valid document is not refused",
        arguments: [
            "query Q($a: Int! = 1, $b: Int = 2) { need(a: $a, b: $b) }",
            "query Q($b: Int) { need(a: 1, b: $b) }",
            "query Q($c: [Country!]!) { people(countries: $c) { id } }",
            "query Q { people(countries: DE) { id } }",
            "query Q { search { ... on Ship { x: tons } ... on Boat { y: sails } __typename } }",
            "query Q { search { ... on Ship { id name } ... on Boat { id } } }",
            "query Q { node(id: 3) { ... on Tagged { tag(key: \"k\") } ... on Shop { name } } }",
            "query Q { shop { name name things { nodes { __typename } } things { pageInfo { hasNextPage } } } }",
            "query Q($f: Filter!) { search(filter: $f) { __typename } }",
            "query Q($v: String!, $n: Boolean) { search(filter: {value: $v, in: $n}) { __typename } }",
            "query Q { a: need(a: 1) b: need(a: 2) }",
            "query Q { search(filter: {value: \"\", limit: 1}) { __typename } search(filter: {limit: 1, value: \"\"}) { __typename } }",
            "\u{FEFF}# comment\r\nquery Q {\r  shop(id: \"\\u{1F600}\\uD83D\\uDE00 \\n\") { name, description }\r\n}",
            "query Q { shop(id: \"\"\"\n  a \\\"\"\" b\n   c\n\"\"\") { name } }",
        ]
    )
    func allowed(document: String) throws {
        let result = try generate(document)
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        #expect(!result.files.isEmpty)
    }

    @Test("a deprecated member is a warning with its place, and is listed in the file's header", .row("B12"))
    func deprecated() throws {
        let result = try generate(
            "query Q { shop { oldName ...A } }\nfragment A on Shop { name }\nquery R { oldShop { ...A } }"
        )
        #expect(!result.isRefused)
        #expect(
            result.diagnostics.map(\.description) == [
                "0.graphql:1:18: warning: Shop.oldName is deprecated: use another",
                "0.graphql:3:11: warning: Query.oldShop is deprecated: use another",
            ]
        )
        #expect(result.files["Operations/Q.swift"]?.contains("// Deprecated in the schema: Shop.oldName\n") == true)
        #expect(result.files["Fragments/A.swift"]?.contains("Deprecated") == false)
    }

    @Test("an error after 200 warnings refuses the documents, and is listed before them")
    func errorAfterWarnings() throws {
        let warnings = "query A { shop { " + (0..<200).map { "a\($0): oldName " }.joined() + "} }"
        let result = try generate(warnings, "query B { shop { nam } }")
        #expect(result.isRefused && result.files.isEmpty)
        #expect(result.diagnostics.count == 200)
        #expect(result.diagnostics.first?.message.hasPrefix(#"Shop has no field "nam""#) == true)
    }

    @Test("fragments that many operations spread take limited work, and the number of their errors is limited")
    func hostileFragments() throws {
        func violations(_ text: String) throws -> [GraphViolation] {
            var documents = GraphDocumentSet(requiresNames: true)
            documents.add(try GraphParser.document(text), file: "0.graphql")
            var validator = GraphValidator(try TestSchema.schema(), documents)
            validator.run()
            return validator.violations
        }
        func operations(_ count: Int, _ selection: String) -> String {
            (0..<count).map { "query Q\($0) { \(selection) }\n" }.joined()
        }
        let fields = (0..<1_000).map { "a\($0): name " }.joined()
        let wide = try violations(operations(1_000, "shop { ...F }") + "fragment F on Shop { \(fields)}")
        #expect(wide.count == 1 && wide.first?.rule.isTooComplex == true, "\(wide.count)")
        let conflicts = operations(250, "a: need(a: 1) a: need(a: 2)")
        #expect(try violations(conflicts).count == 200)
        var chain = operations(1_000, "...F0")
        for index in 0..<1_000 { chain += "fragment F\(index) on Query { need(a: $a) ...F\(index + 1) }\n" }
        #expect(try violations(chain + "fragment F1000 on Query { need(a: 1) }").count == 200)
    }

    @Test("an unnamed operation is valid only as the only operation, also if another document adds the next one")
    func unnamedOperation() throws {
        for (texts, isValid) in [
            (["{ shop { id } }"], true), (["query A { shop { id } } query B { shop { id } }"], true),
            (["{ shop { id } } query A { shop { id } }"], false), (["query A { shop { id } } { shop { id } }"], false),
            (["{ shop { id } }", "query A { shop { id } }"], false), (["{ shop { id } }", "{ shop { id } }"], false),
        ] {
            var documents = GraphDocumentSet(requiresNames: false)
            for text in texts { documents.add(try GraphParser.document(text), file: "0.graphql") }
            #expect(documents.violations.isEmpty == isValid, "\(texts)")
            #expect(documents.operations.allSatisfy { $0.definition.name != nil } || isValid, "\(texts)")
        }
    }

    @Test("malicious documents do not crash the generator, and the number of errors is limited")
    func hostile() throws {
        // Each fragment spreads the next one twice: 2^30 paths.
        var doubling = "query Q { shop { ...F0 } }\n"
        for index in 0..<30 {
            doubling +=
                "fragment F\(index) on Shop { type { shop { ...F\(index + 1) } } string { shop { ...F\(index + 1) } } }\n"
        }
        doubling += "fragment F30 on Shop { id }"
        #expect(try generate(doubling).diagnostics.count <= 200)
        let unnamed = String(repeating: "query { shop { id } }\n", count: 1000)
        // Reads the violations of the document set, because the generator limits its diagnostics too.
        var documents = GraphDocumentSet(requiresNames: true)
        documents.add(try GraphParser.document(unnamed), file: "0.graphql")
        #expect(documents.violations.count == 200)
        var chain = "query Q { shop { ...F0 } }\n"
        for index in 0..<5_000 { chain += "fragment F\(index) on Shop { ...F\(index + 1) }\n" }
        chain += "fragment F5000 on Shop { id }"
        #expect(try generate(chain).isRefused)
        let deep = "query Q { shop " + String(repeating: "{ type { shop ", count: 20_000)
        #expect(try generate(deep).isRefused)
        let lists = "query Q { shop(id: " + String(repeating: "[", count: 20_000) + ") { id } }"
        #expect(try generate(lists).isRefused)
        let many = "query Q { shop { " + (0..<3_000).map { "a\($0): name " }.joined() + "} }"
        #expect(try !generate(many).isRefused)
        let same = "query Q { shop { " + String(repeating: "name ", count: 3_000) + "} }"
        _ = try generate(same)
        let wrong = "query Q { shop { " + (0..<1_000).map { "x\($0) " }.joined() + "} }"
        #expect(try generate(wrong).diagnostics.count == 200)
        #expect(try generate(String(repeating: "#", count: 1 << 21)).isRefused)
    }

    @Test(
        "an invalid schema is refused with a hint",
        arguments: [
            ("", "could not be read as JSON"), ("[]", "no member __schema"),
            ("\u{1F}\u{8B}", "could not be read as JSON"),
            (#"{"errors":[{"message":"Bad token"}]}"#, "The server returned: Bad token"),
            (#"{"errors":[{"message":"Bad\u202Etoken"}]}"#, "The server returned: Bad token"),
            (#"{"errors":[{"message":"Bad\u061Ctoken"}]}"#, "The server returned: Bad token"),
            (#"{"__schema":{"types":[]}}"#, "does not name its query type"),
            (
                #"{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"Q","fields":[{"name":"a","type":{"kind":"OBJECT","name":"Gone"}}]}]}}"#,
                "the type Gone, which Q.a uses"
            ),
            (
                #"{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"Q","fields":[{"name":"a","type":null}]}]}}"#,
                "does not contain the type of Q.a"
            ),
            (#"{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"THING","name":"Q"}]}}"#, "has an unknown kind"),
            (#"{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"a b"}]}}"#, "an invalid name"),
        ]
    )
    func schemas(text: String, expected: String) {
        let error = #expect(throws: GenerationFailure.self) { try GraphSchema(introspection: Array(text.utf8)) }
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test("the introspection query requests deprecated fields, arguments, input fields and enum values")
    func introspectionQuery() throws {
        let query = IntrospectionQuery.text
        for list in ["fields", "args", "inputFields", "enumValues"] {
            let count = query.components(separatedBy: list).count
            #expect(query.components(separatedBy: "\(list)(includeDeprecated: true)").count == count && count > 1)
        }
        let document = try GraphParser.document(query)
        let value = try #require(document.fragments.first { $0.name == "InputValue" })
        let names = value.selections.compactMap { if case .field(let field) = $0 { field.name } else { nil } }
        #expect(names.contains("isDeprecated") && names.contains("deprecationReason"))
    }

    @Test("a compressed schema is refused with the command that unpacks it")
    func compressed() {
        let error = #expect(throws: GenerationFailure.self) { try GraphSchema(introspection: [0x1F, 0x8B, 8]) }
        #expect(error?.message.contains("gunzip") == true)
    }
}

extension GraphRule {
    fileprivate var isTooComplex: Bool { if case .tooComplex = self { true } else { false } }
}

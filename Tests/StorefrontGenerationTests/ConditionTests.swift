import StorefrontGeneration
import Testing

/// Documents with `@include` and `@skip`.
@Suite struct ConditionTests {
    @Test("a fragment with a condition is refused, because the response does not show whether it was omitted")
    func conditionalSpread() throws {
        let result = try generate(
            "query A($w: Boolean!) { shop { id ...Card @include(if: $w) } } fragment Card on Shop { name }"
        )
        #expect(result.diagnostics.first?.message.contains("Put @include or @skip on fields") == true)
    }

    @Test("the selections of a field that is selected with different conditions are optional")
    func differentConditions() throws {
        let result = try generate(
            """
            query A($x: Boolean!) { shop { name } shop @include(if: $x) { id } place { shop @skip(if: $x) { name } } }
            query B($x: Boolean!) { shop { owner @include(if: $x) { id } owner @include(if: $x) { email } } }
            query C($x: Boolean!) { shop { photos @include(if: $x) { url } photos @skip(if: $x) { width } } }
            """
        )
        func text(_ name: String) throws -> String { try #require(result.files["Operations/\(name).swift"]) }
        #expect(try text("A").contains("let name: String\n") && text("A").contains("let id: String?\n"))
        #expect(try text("B").contains("let id: String\n") && text("B").contains("let email: String\n"))
        #expect(try text("C").contains("let url: String?\n") && text("C").contains("let width: Int?\n"))
    }

    @Test("a conditional selection that depends on the type requests __typename without a condition")
    func conditionalTypes() throws {
        let result = try generate(
            "query A($x: Boolean!) { node(id: 1) { id ... @include(if: $x) { ... on Shop { name } } } }"
        )
        let text = try #require(result.files["Operations/A.swift"])
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("{ __typename id ... @include(if: $x) { ... on Shop { name } } }"), "\(text)")
        #expect(text.contains("let name: String?\n"))
    }

    @Test("the output of a mutation is optional if a directive can leave its only field out", arguments: [true, false])
    func conditionalMutation(isConditional: Bool) throws {
        let directive = isConditional ? "@include(if: $x)" : ""
        let variables = isConditional ? "($x: Boolean!)" : ""
        let result = try generate("mutation M\(variables) { count(id: 1) \(directive) { count } }")
        let text = try #require(result.files["Operations/M.swift"])
        #expect(text.contains(#/typealias Output = [A-Za-z.]+\?\n/#) == isConditional, "\(text)")
    }

    @Test("every part of a field whose merged selections depend on the type requests __typename")
    func mergedTypes() throws {
        let result = try generate(
            """
            query A($x: Boolean!) { node(id: 1) { id } node(id: 1) @include(if: $x) { ... on Shop { name } } }
            query B($x: Boolean!) {
              shop { things { nodes { ... on Node { id } } } }
              shop @include(if: $x) { things { nodes { ... on Boat { sails } } } }
            }
            """
        )
        func words(_ name: String) throws -> String {
            try #require(result.files["Operations/\(name).swift"]).split { $0.isWhitespace }.joined(separator: " ")
        }
        let (a, b) = (try words("A"), try words("B"))
        #expect(a.contains("node(id: 1) { __typename id } node(id: 1) @include(if: $x) { __typename ... on"), "\(a)")
        for part in ["nodes { __typename ... on Node {", "nodes { __typename ... on Boat {"] {
            #expect(b.contains(part), "\(b)")
        }
    }

    @Test("__typename in a conditional part of a field is optional")
    func conditionalTypename() throws {
        let result = try generate("query A($x: Boolean!) { shop { id } shop @include(if: $x) { __typename } }")
        let text = try #require(result.files["Operations/A.swift"])
        #expect(text.contains("let typename: String?\n") && text.contains("let id: String\n"), "\(text)")
    }

    @Test(
        "a fragment with a condition is accepted if another part of the field always has the fragment",
        arguments: [
            "shop { ...F } shop @include(if: $x) { ...F }", "shop @include(if: $x) { ...F } shop { ...F }",
            "shop { ...F @include(if: $x) ...F }", "shop @include(if: $x) { ...F } shop @skip(if: $x) { ...F id }",
            "node(id: 1) { ...F } node(id: 1) @include(if: $x) { ...F }",
            "node(id: 1) @include(if: $x) { ...F } node(id: 1) { ...F }",
        ]
    )
    func repeatedSpread(selection: String) throws {
        let result = try generate("query A($x: Boolean!) { \(selection) } fragment F on Shop { name }")
        #expect(result.diagnostics.isEmpty)
        let text = try #require(result.files["Operations/A.swift"])
        #expect(text.contains("F)\n") || text.contains("= F?\n") || text.contains("let f: F\n"), "\(text)")
    }

    @Test(
        "a fragment with a condition is refused once if another part does not always have it",
        arguments: [
            "shop { id } shop @include(if: $x) { ...F }", "node(id: 1) { id } node(id: 1) @include(if: $x) { ...F }",
            "shop { ... @include(if: $x) { ...F } id }",
            "node(id: 1) { ...G @include(if: $x) ... on Shop { id } ... on Boat { id } ... on Ship { id } }",
        ]
    )
    func omittedSpread(selection: String) throws {
        let fragment = selection.contains("...F") ? "F on Shop { name }" : "G on Tagged { tag(key: \"k\") }"
        let result = try generate("query A($x: Boolean!) { \(selection) } fragment \(fragment)")
        let messages = result.diagnostics.map(\.description)
        #expect(messages.count == 1, "\(messages)")
        #expect(messages.first?.contains("Put @include or @skip on fields") == true)
    }

    @Test(
        "a field with a condition is refused if another type reads the same field without the condition",
        arguments: [
            ("shop { ...F owner @include(if: $x) { email } }", "owner { id }"),
            ("shop { ...F owner { email } }", "owner @include(if: $x) { id }"),
            ("shop { ...F ...G }", "owner @include(if: $x) { id } } fragment G on Shop { owner { email }"),
            ("shop { ...F ... @skip(if: $x) { owner { email } } }", "owner { id }"),
            ("shop { ...F owner @include(if: $x) { email } }", "owner @skip(if: $x) { id }"),
            ("shop { ...F type { shop @include(if: $x) { id } } }", "type { shop { name } }"),
            ("shop { ...F type { city } type @include(if: $x) { shop { id } } }", "type { shop { name } }"),
            ("node(id: 1) { ...F ... on Node { ... on Shop { owner @include(if: $x) { email } } } }", "owner { id }"),
            (
                "node(id: 1) { ... on Node { ...F } ... on Shop { id } }",
                "...G owner @include(if: $x) { id } } fragment G on Shop { owner { email }"
            ),
            (
                "shop { ...F photos @include(if: $x) { ...P } photos @include(if: $y) { ...P } }",
                "photos { url } } fragment P on Photo { width"
            ),
        ]
    )
    func overlaps(selection: String, fragment: String) throws {
        let variables = "$x: Boolean!\(selection.contains("$y") ? ", $y: Boolean!" : "")"
        let result = try generate("query A(\(variables)) { \(selection) } fragment F on Shop { \(fragment) }")
        let messages = result.diagnostics.map(\.description)
        #expect(messages.count == (fragment.contains("@skip") ? 2 : 1), "\(messages)")
        #expect(
            messages.allSatisfy { $0.hasPrefix("0.graphql:1:") && $0.contains("may be omitted, but another fragment") }
        )
    }

    @Test(
        "a field with a condition is accepted if a response with its key always has its selections",
        arguments: [
            ("shop { ...F owner @include(if: $x) { email } }", "owner @include(if: $x) { id }"),
            ("shop { ...F owner { email @include(if: $x) } }", "owner { id }"),
            ("shop { ...F more: owner @include(if: $x) { email } }", "owner { id }"),
            ("shop { ...F name @include(if: $x) }", "name"),
            ("shop { ...F owner { id } owner @include(if: $x) { email } }", "owner { id }"),
            ("node(id: 1) { ...F ... on Person { friends @include(if: $x) { email } } }", "owner { id }"),
            (
                "node(id: 1) { ... on Shop { id } ...F ... on Shop { owner @include(if: $x) { email } } }",
                "owner @include(if: $x) { id }"
            ),
        ]
    )
    func harmlessOverlaps(selection: String, fragment: String) throws {
        let result = try generate("query A($x: Boolean!) { \(selection) } fragment F on Shop { \(fragment) }")
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
    }
}

import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

@Suite struct SearchQueryTests {
    static let operators: [(SearchQuery, String)] = [
        (.text("red shoes"), "red AND shoes"), (.text("snow"), "snow"), (.prefix("red sno"), "red AND sno*"),
        (.phrase("red shoes"), #""red shoes""#), (.field(.title, "Mug"), "title:Mug"),
        (.field(.vendor, "Ren & Co"), #"vendor:"Ren & Co""#), (!.field(.tag, "hidden"), "-tag:hidden"),
        (.field(.variantPrice, .less, "10"), "variants.price:<10"),
        (.field(.variantPrice, .greater, "10.5"), #"variants.price:>"10.5""#),
        (.field(.createdAt, .lessOrEqual, "2026-01-01"), #"created_at:<="2026-01-01""#),
        (.field(.createdAt, .greaterOrEqual, "2026-01-01T00:00:00Z"), #"created_at:>="2026-01-01T00:00:00Z""#),
        (.hasValue(.productType), "product_type:*"), (.isEmpty(.productType), "-product_type:*"),
        (!.isEmpty(.productType), "product_type:*"), (.text("a") && .text("b"), "a AND b"),
        (.text("a") || .text("b"), "a OR b"), (.text("a b") || .text("c"), "(a AND b) OR c"),
        ((.text("a") || .text("b")) && !.field(.tag, "x"), "(a OR b) AND -tag:x"),
        (!(.field(.tag, "x") && .field(.tag, "y")), "-tag:x OR -tag:y"),
        (!(.field(.tag, "x") || .text("y")) && .text("z"), "(-tag:x AND -y) AND z"), (!(!.text("a")), "a"),
        (
            .all([.field(.vendor, "A") || .field(.vendor, "B")]) && !.field(.tag, "x"),
            "(vendor:A OR vendor:B) AND -tag:x"
        ),
        (SearchQuery(syntax: "a OR b"), "a OR b"), (SearchQuery(syntax: "a OR b") && .text("c"), "(a OR b) AND c"),
        (!SearchQuery(syntax: "a OR b"), "-(a OR b)"), (SearchQuery(syntax: "") && .text("c"), "c"),
        (!SearchQuery(syntax: ""), ""), (.all([]), ""), (.any([.text(""), .text("a")]), "a"),
        (.all([.text(" \n"), .text("a")]), "a"), (!.text(""), ""),
    ]

    @Test("each search operator is written in Shopify's search syntax", .row("C5"), arguments: operators.indices)
    func syntax(index: Int) {
        let (query, expected) = Self.operators[index]
        #expect(query.text == expected)
        #expect(query.graphQLValue == .string(expected))
    }

    @Test(
        "text that a buyer types never changes the structure of the query",
        .row("C5"),
        arguments: [
            (#"a" OR tag:*"#, #""a\"" AND "OR" AND "tag:*""#), ("-secret", #""-secret""#), ("NOT x", #""NOT" AND x"#),
            ("and or not", #""and" AND "or" AND "not""#), ("(a)", #""(a)""#), ("a:b", #""a:b""#), ("*", #""*""#),
            (#"\" "#, #""\\\"""#), (#"\"#, #""\\""#), ("it's", #""it's""#), ("price:>0", #""price:>0""#),
            ("a\u{0}b\nc\u{2028}d", "a AND b AND c AND d"), ("Größe 38½ 雪", "Größe AND 38½ AND 雪"), ("“a”", "\"“a”\""),
            ("😀", "\"😀\""), ("a,b;c", #""a,b;c""#), ("\u{202E}a", "\"\u{202E}a\""),
        ]
    )
    func hostile(typed: String, expected: String) {
        #expect(SearchQuery.text(typed).text == expected)
        // As the value of a field and as a phrase, any text is one part of the query.
        let field = SearchQuery.field(.tag, typed).text
        #expect(field.hasPrefix("tag:") && Self.parts(of: field) == 1)
        #expect(Self.parts(of: SearchQuery.phrase(typed).text) == 1)
        #expect(Self.parts(of: (SearchQuery.text(typed) && .field(.vendor, "v")).text) == Self.parts(of: expected) + 1)
    }

    /// The number of parts by the search syntax; a quoted text is one part.
    private static func parts(of query: String) -> Int {
        var parts = 1
        var isQuoted = false
        var isEscaped = false
        for scalar in query.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if scalar == " ", !isQuoted {
                parts += 1
            }
        }
        // The count includes the operators, one between two parts.
        return isQuoted || isEscaped ? -1 : (parts + 1) / 2
    }

    @Test(
        "the name of a field must be an identifier, so that it cannot change the syntax",
        arguments: [
            "", "a:b", "a b", "1a", "a..b", "a\"", "-a", "tag OR x", "é", "a.", String(repeating: "a", count: 101),
        ]
    )
    func fields(name: String) {
        #expect(SearchField(rawValue: name) == nil)
        #expect(SearchField(rawValue: "metafields.custom.size-2")?.rawValue == "metafields.custom.size-2")
    }

    @Test("a search is in a variable and not in the document")
    func variables() throws {
        let operation = ProductsPage(query: .set(.text(#"a" } } #"#)))
        #expect(operation.variables.json["query"] == .string(##""a\"" AND "}" AND "}" AND "#""##))
        #expect(!ProductsPage.document.text.contains("\""))
    }
}

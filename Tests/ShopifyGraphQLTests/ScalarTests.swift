import FoundationEssentials
import IdentityKit
import ShopifyGraphQL
import TestGuides
import Testing

@Suite("Scalars")
struct ScalarTests {
    private func read<Value: GraphQLReadable>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
        try Value(GraphQLNode(parsing: Array(json.utf8)))
    }

    @Test(
        "a decimal keeps its text and has its exact value",
        arguments: [
            ("0", "0"), ("12.50", "12.5"), ("-0.01", "-0.01"), ("0.1", "0.1"), ("007.70", "7.7"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            ("-9999999999999999999.9999999999999999999", "-9999999999999999999.9999999999999999999"),
            ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"), ("-0.000", "0"),
        ]
    )
    func decimals(text: String, value: String) throws {
        let decimal = try read("\"\(text)\"", as: ShopifyDecimal.self)
        #expect(decimal.text == text)
        #expect(decimal.graphQLValue == .string(text))
        #expect(decimal.decimal == Decimal(string: value))
        #expect(decimal.decimal.description == value)
        #expect(try #require(ShopifyDecimal(text: value)) == decimal)
    }

    @Test(
        "a text that is not a decimal throws",
        .row("B11"),
        arguments: [
            "\"\"", "\"-\"", "\".5\"", "\"5.\"", "\"1,5\"", "\"1e5\"", "\"+1\"", "\" 1\"", "\"1 \"", "\"--1\"",
            "\"1.2.3\"", "\"NaN\"",
            "\"٣\"", "1.5", "null", "\"100000000000000000000000000000000000000\"", "\"1-\"",
            "\"0.00000000000000000000000000000000000000000000000000000000000000001\"",
        ]
    )
    func badDecimals(json: String) {
        #expect(throws: GraphQLReadingError.self) { try read(json, as: ShopifyDecimal.self) }
    }

    @Test("decimals compare by value, and are not created from NaN or too large numbers")
    func decimalValues() throws {
        let cheap = try #require(ShopifyDecimal(text: "9.99"))
        let dear = try #require(ShopifyDecimal(text: "10.0"))
        #expect(cheap < dear)
        #expect(Set([dear, try #require(ShopifyDecimal(text: "10.000"))]).count == 1)
        #expect(ShopifyDecimal(Decimal(string: "-12.75") ?? 0)?.text == "-12.75")
        #expect(ShopifyDecimal(Decimal.nan) == nil)
        #expect(ShopifyDecimal(Decimal.greatestFiniteMagnitude) == nil)
    }

    @Test(
        "a date is read with its fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0.0), ("2026-11-22T09:30:00-05:00", 1_795_357_800),
            ("2026-11-22T14:30:00.125Z", 1_795_357_800.125),
            ("2026-11-22t20:00:00.1250000009+05:30", 1_795_357_800.125),
            ("2000-02-29T23:59:59z", 951_868_799), ("1969-12-31T23:59:59Z", -1),
            ("1600-02-29T00:00:00Z", -11_670_998_400),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59-23:59", 253_402_387_139),
        ]
    )
    func moments(text: String, seconds: Double) throws {
        let moment = try read("\"\(text)\"", as: ShopifyDateTime.self)
        #expect(moment.text == text)
        #expect(moment.graphQLValue == .string(text))
        #expect(moment.date.timeIntervalSince1970 == seconds)
    }

    @Test(
        "a text that is not a date throws",
        .row("B11"),
        arguments: [
            "", "2026-11-22", "2026-11-22T09:30:00", "2026-11-22 09:30:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+05:60", "2026-01-01T00:00:00+0530",
            "2026-01-01T00:00:00ZZ", "+026-01-01T00:00:00Z", "2026-1-1T00:00:00Z", "٢٠٢٦-01-01T00:00:00Z",
            "2026-01-01T00:00:00." + String(repeating: "1", count: 60) + "Z",
        ]
    )
    func badMoments(text: String) {
        #expect(throws: GraphQLReadingError.self) { try read("\"\(text)\"", as: ShopifyDateTime.self) }
    }

    @Test("each day from 1600 to 2369 is written as text and read again without a change", .row("B11"))
    func days() throws {
        for day in stride(from: -135_140, to: 146_097, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 0.25)
            let moment = try #require(ShopifyDateTime(date))
            guard moment.date == date else {
                Issue.record("\(moment.text) is another day than \(day)")
                return
            }
        }
        #expect(ShopifyDateTime(Date(timeIntervalSince1970: -0.001))?.text == "1969-12-31T23:59:59.999Z")
        #expect(ShopifyDateTime(Date(timeIntervalSince1970: 1_795_357_800))?.text == "2026-11-22T14:30:00Z")
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -62_167_219_201, 253_402_300_800] {
            #expect(ShopifyDateTime(Date(timeIntervalSince1970: seconds)) == nil)
        }
    }

    @Test("times are compared independently of their offsets")
    func momentOrder() throws {
        let noon = try #require(ShopifyDateTime(text: "2026-11-22T12:00:00Z"))
        let same = try #require(ShopifyDateTime(text: "2026-11-22T07:00:00-05:00"))
        let later = try #require(ShopifyDateTime(text: "2026-11-22T12:00:00.000000001Z"))
        #expect(noon == same)
        #expect(Set([noon, same]).count == 1)
        #expect(noon < later)
    }

    @Test("a URL keeps its text, and printing it shows neither path nor query")
    func urls() throws {
        let text = "https://shop.example/cart/c/canary?key=canary"
        let url = try read("\"\(text)\"", as: ShopifyURL.self)
        #expect(url.text == text)
        #expect(url.url?.absoluteString == text)
        #expect("\(url)\(String(reflecting: url))" == "https://shop.example/…https://shop.example/…")
        for text in [
            "", "shop.example", "/cart", "https:", ":x", "1a:b", "https://a b", "https://a\u{1}", "https://<a>",
        ] {
            #expect(ShopifyURL(text: text) == nil, "\(text)")
        }
        #expect(ShopifyURL(text: "https://例え.example/ä") != nil)
    }

    @Test("an id is kept whole and compared as bytes, and printing it shows no key")
    func ids() throws {
        let address = "gid://shopify/MailingAddress/77?model_name=CustomerAddress&customer_access_token=canary"
        let id = try read("\"\(address)\"", as: ShopifyID.self)
        #expect(id.text == address)
        #expect("\(id)" == "MailingAddress/…")
        #expect(try "\(read("\"gid://shopify/Product/12\"", as: ShopifyID.self))" == "Product/12")
        #expect(try !"\(read("\"gid://shopify/Cart/canary?key=canary\"", as: ShopifyID.self))".contains("canary"))
        #expect(try !"\(read("\"canary\"", as: ShopifyID.self))".contains("canary"))
        #expect(ShopifyID(text: "K") != ShopifyID(text: "\u{212A}"))
        for json in ["\"\"", "12", "null", "\"" + String(repeating: "x", count: 2_049) + "\""] {
            #expect(throws: GraphQLReadingError.self) { try read(json, as: ShopifyID.self) }
        }
    }

    @Test("colors are read in all their forms, and other texts are refused")
    func colors() throws {
        let color = try read("\"#6A8D48\"", as: ShopifyColor.self)
        #expect([color.red, color.green, color.blue, color.opacity] == [0x6A, 0x8D, 0x48, 255])
        #expect(ShopifyColor(text: "#fa08").map { [$0.red, $0.green, $0.blue, $0.opacity] } == [255, 170, 0, 136])
        for text in ["", "#", "6A8D48", "#6A8D4", "#6A8D4G", "#6A8D48FF0", "#12é", "##12"] {
            #expect(throws: GraphQLReadingError.self) { try read("\"\(text)\"", as: ShopifyColor.self) }
        }
    }

    @Test("large unsigned integers, markup and secrets are strings, and JSON is any value")
    func others() throws {
        #expect(try read("\"18446744073709551615\"") == UInt64.max)
        #expect(UInt64.max.graphQLValue == .string("18446744073709551615"))
        for json in ["\"18446744073709551616\"", "\"-1\"", "\"+1\"", "\"\"", "1", "\"0x1\""] {
            #expect(throws: GraphQLReadingError.self) { try read(json, as: UInt64.self) }
        }
        let json = JSONValue.object(["a": .array([.null, .bool(true)])])
        #expect(try read(#"{"a":[null,true]}"#) == json)
        #expect(json.graphQLValue == json)
        #expect(try read(#""\u003cp>""#, as: ShopifyHTML.self).text == "<p>")
        #expect(try read("\"token\"", as: Secret.self).reveal() == "token")
        #expect(Secret("token").graphQLValue == .string("token"))
        #expect(1.5.graphQLValue.serialized == Array("1.5".utf8))
        #expect(Double.nan.graphQLValue == .null)
        #expect(try JSONValue(parsing: 1e21.graphQLValue.serialized).number?.double == 1e21)
    }

    private struct Unit: GraphQLOpenEnum {
        let rawValue: String
        static let grams = Unit(rawValue: "GRAMS")
    }

    @Test("an enum's unknown value is kept and sent back as it was", .row("B10"))
    func openEnum() throws {
        #expect(try read("\"GRAMS\"") == Unit.grams)
        let unknown = try read("\"STONES_2\"", as: Unit.self)
        #expect(unknown.rawValue == "STONES_2")
        #expect(unknown.graphQLValue == .string("STONES_2"))
        #expect(Set([unknown, .grams, Unit(rawValue: "STONES_2")]).count == 2)
        for json in ["\"\"", "\"a b\"", "\"2A\"", "\"\u{212A}G\"", "1", "null", "true"] {
            #expect(throws: GraphQLReadingError.self) { try read(json, as: Unit.self) }
        }
    }
}

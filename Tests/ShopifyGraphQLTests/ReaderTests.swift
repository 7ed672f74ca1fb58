import IdentityKit
import ShopifyGraphQL
import TestGuides
import Testing

@Suite("Reading responses")
struct ReaderTests {
    private static let accepted: [String] = [
        "{}", "[]", "null", "true", "false", "0", "-0", "12.50", "1e400", "-1.5E-7", "\"\"", " \t\r\n[ 1 , 2 ] \n",
        #"{"a":{"b":[{},[],{"c":null}]},"":0}"#, #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u20AC\ud83d\ude00\u0000""#,
        "\"é€😀\"", "\"eight by\"", "\"eight bytes and more, then an escape \\n and on\"",
        #"{"a\u0062":1,"ac":2}"#, #"{"K":1,"\u212a":2}"#, "123456789012345678901234567890",
        "{" + (0..<100).map { "\"field\($0)\":\($0)" }.joined(separator: ",") + "}",
    ]

    private static let refused: [String] = [
        "", " ", "{", "[", "}", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{]", #"{"a"}"#, #"{"a":}"#,
        #"{"a":1,}"#,
        #"{"a" 1}"#, #"{a:1}"#, #"{1:1}"#, #"{"a":1 "b":2}"#, #"{,}"#, "nul", "nulls", "True", "NaN", "Infinity", "+1",
        "01", "-", "-01", "1.", ".5", "1e", "1e+", "0x10", "1 2", "[] []", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"",
        "\"\\u12G4\"", "\"tab\tinside\"", "\"line\ninside the text, far from its beginning\"", #""\ud800""#,
        #""\udc00""#,
        #""\ud800\u0041""#, #""\ud800\ud800""#, #""\ud800 and more""#, "\u{FEFF}{}", "'a'", "// a\n1", "{}x",
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"x":[{"é":1,"\u00e9":2}]}"#,
        "{" + (0..<100).map { "\"field\($0)\":\($0)" }.joined(separator: ",") + ",\"field7\":1}",
        "{" + (0..<100).map { "\"field\($0)\":\($0)" }.joined(separator: ",") + ",\"\\u0066ield7\":1}",
    ]

    @Test(
        "the description of an error shows names of fields, and nothing that may be a token",
        arguments: [
            ("ADDRESS_INVALID", "ADDRESS_INVALID"), ("address1", "address1"), ("address12", "…"), ("1", "1"),
            ("12345", "…"), ("a1b", "…"), ("ada@example.com", "…"), ("", "…"), ("_", "_"),
        ]
    )
    func namesInErrors(name: String, shown: String) {
        #expect(GraphQLError(message: "x", path: ["input", name]).description == "GraphQL error at input.\(shown)")
    }

    private func verdicts(_ bytes: [UInt8]) -> (ours: JSONValue?, other: JSONValue?) {
        ((try? GraphQLNode(parsing: bytes))?.json(), try? JSONValue(parsing: bytes))
    }

    @Test("well-formed JSON gives the same values as the strict parser", arguments: accepted)
    func acceptance(text: String) throws {
        let (ours, other) = verdicts(Array(text.utf8))
        #expect(try #require(ours) == #require(other))
    }

    @Test("invalid JSON is refused by this parser and by the strict parser", arguments: refused)
    func refusal(text: String) {
        let (ours, other) = verdicts(Array(text.utf8))
        #expect(ours == nil)
        #expect(other == nil)
    }

    @Test(
        "invalid UTF-8 is refused in texts, in names and outside of them",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3], [0xE2, 0x82],
        ]
    )
    func invalidUTF8(bytes: [UInt8]) {
        for text in [[0x22] + bytes + [0x22], Array(#"{""#.utf8) + bytes + Array(#"":1}"#.utf8), bytes] {
            #expect(throws: JSONError.self) { try GraphQLNode(parsing: text) }
        }
    }

    @Test("JSON that is too large, too deeply nested or has too many values is refused without a crash")
    func limits() throws {
        let bytes = Array(#"{"a":[1,2,{"b":3}]}"#.utf8)
        _ = try GraphQLNode(parsing: bytes, limits: .init(maximumBytes: 19, maximumDepth: 3, maximumElements: 8))
        for limits in [
            GraphQLLimits(maximumBytes: 18), GraphQLLimits(maximumDepth: 2), GraphQLLimits(maximumElements: 7),
        ] {
            #expect(throws: JSONError.self) { try GraphQLNode(parsing: bytes, limits: limits) }
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
        #expect(throws: JSONError.self) { try GraphQLNode(parsing: deep) }
        let unbounded = GraphQLLimits(maximumBytes: .max, maximumDepth: .max, maximumElements: .max)
        #expect(throws: JSONError.self) { try GraphQLNode(parsing: deep, limits: unbounded) }
        let nothing = GraphQLLimits(maximumBytes: -1, maximumDepth: -1, maximumElements: -1)
        #expect(throws: JSONError.self) { try GraphQLNode(parsing: bytes, limits: nothing) }
    }

    @Test("fields are found in any order, also if their names are written with escapes")
    func order() throws {
        let node = try GraphQLNode(parsing: Array(#"{"last":{"x":[1,{}]},"\u0066irst":"1","second":2,"é":[]}"#.utf8))
        #expect(try node.field("second") == 2)
        #expect(try node.field("first") == "1")
        #expect(try node.field("last", as: JSONValue.self) == .object(["x": .array([.integer(1), .object([:])])]))
        #expect(try node.field("é", as: [Int].self) == [])
        #expect(try node.field("e\u{301}", as: String?.self) == nil)
    }

    @Test("a missing field is read like null, and a reading error has the path of the field", .row("B2"))
    func missing() throws {
        let node = try GraphQLNode(parsing: Array(#"{"a":null,"list":[{"id":"1"},{"id":2}]}"#.utf8))
        #expect(try node.field("a", as: String?.self) == nil)
        #expect(try node.field("b", as: String?.self) == nil)
        #expect(throws: GraphQLReadingError(path: ".b", expected: "a text")) { try node.field("b", as: String.self) }
        #expect(throws: GraphQLReadingError(path: ".b", expected: "an object")) {
            try node.member("b").field("c", as: String.self)
        }
        #expect(throws: GraphQLReadingError(path: ".list[1].id", expected: "a text")) {
            try node.field("list", as: [Identified].self)
        }
        #expect(throws: GraphQLReadingError(path: "", expected: "a list")) { try node.list(of: Int.self) }
        #expect("\(try node.member("list"))" == "data.list")
    }

    private struct Identified: GraphQLReadable {
        let id: String
        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            id = try node.field("id")
        }
    }

    @Test("all 64-bit integers are read, and no other value is read as an integer")
    func integers() throws {
        func integer(_ text: String) throws -> Int { try Int(GraphQLNode(parsing: Array(text.utf8))) }
        #expect(try integer("9223372036854775807") == .max)
        #expect(try integer("-9223372036854775808") == .min)
        #expect(try integer("-0") == 0)
        for text in ["9223372036854775808", "-9223372036854775809", "1.0", "1e2", "\"1\"", "true", "null", "[1]"] {
            #expect(throws: GraphQLReadingError.self) { try integer(text) }
        }
        #expect(throws: GraphQLReadingError.self) { try Double(GraphQLNode(parsing: Array("1e400".utf8))) }
        #expect(try Double(GraphQLNode(parsing: Array("-1.25e2".utf8))) == -125)
    }

    @Test("data are read as nodes, and errors and cost as JSON values")
    func body() throws {
        let text = #"{"errors":[{"message":"no"}],"data":{"shop":{"name":"A"},"n":1},"extensions":{"cost":1}}"#
        let body = try GraphQLResponseBody(parsing: Array(text.utf8))
        let data = try #require(body.data)
        #expect(try data.member("shop").field("name") == "A")
        #expect(throws: GraphQLReadingError(path: ".shop.name", expected: "an integer")) {
            try data.member("shop").field("name", as: Int.self)
        }
        #expect(body.errors == .array([.object(["message": .string("no")])]))
        #expect(body.cost == .integer(1))
        #expect(try GraphQLResponseBody(parsing: Array(#"{"data":null,"errors":"x"}"#.utf8)).data == nil)
        #expect(try GraphQLResponseBody(parsing: Array("{}".utf8)).data == nil)
        for text in ["[]", "null", "\"data\"", "<html>", ""] {
            #expect(throws: JSONError.self) { try GraphQLResponseBody(parsing: Array(text.utf8)) }
        }
    }

    @Test("data whose fields are all null count as empty")
    func onlyNulls() throws {
        for (text, isEmpty) in [
            ("{}", true), ("null", true), (#"{"a":null,"b":null}"#, true), (#"{"a":null,"b":""}"#, false),
            (#"{"a":{}}"#, false), (#"{"a":{"b":null},"c":null}"#, false), ("[]", false), ("0", false),
        ] {
            #expect(try GraphQLNode(parsing: Array(text.utf8)).hasOnlyNulls == isEmpty, "\(text)")
        }
    }

    @Test("printing or dumping a node shows no value")
    func silence() throws {
        let node = try GraphQLNode(parsing: Array(#"{"email":"canary@example.com"}"#.utf8))
        var dumped = ""
        dump(node, to: &dumped)
        #expect(!"\(node)\(String(reflecting: node))\(dumped)".contains("canary"))
    }
}

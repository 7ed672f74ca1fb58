import IdentityKit
import ShopifyGraphQL
import TestGuides
import Testing

@Suite("Reading responses")
struct ReaderTests {
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

    @Test(
        "a response is parsed strictly",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"x":[{"é":1,"\u00e9":2}]}"#, #""\ud800""#, "01", "[1,]", "\u{FEFF}{}", "{}x", "",
        ]
    )
    func refusal(text: String) {
        #expect(throws: JSONError.self) { try GraphQLNode(parsing: Array(text.utf8)) }
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
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try GraphQLNode(parsing: nested(512), limits: unbounded)
        #expect(throws: JSONError.self) { try GraphQLNode(parsing: nested(513), limits: unbounded) }
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

import IdentityKit
import Testing

@Suite("Strict JSON")
struct JSONTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    @Test(
        "JSON texts that two parsers could read differently are refused",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "01", "+1", "1.", ".1",
            "1e",
            "-", "NaN", "Infinity", "tru", "nul", "'a'", "\"a", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"\u{1}\"", "\"\t\"", "[1] x", "{\"a\" 1}", "{a:1}", "[1 2]", "// c\n1", "\u{FEFF}1", "1,2", "{\"a\":}",
            "[,1]",
            "\"\\u12\"", "\"\\u12G4\"", "--1", "1e1.5", "0x10", "[", "\"\\", "}", "]", "[1", "[1,", "[1}", "{]",
            #"{"a"}"#, #"{1:1}"#, #"{"a":1 "b":2}"#, "{,}", "nulls", "True", "-01", "1e+", "1 2", "[] []", "{}x",
            "\"line\ninside the text, far from its beginning\"", #""\ud800\ud800""#, #""\ud800 and more""#,
            #"{"a":1,"b":2,"\u0061":3}"#, #"{"x":[{"é":1,"\u00e9":2}]}"#, #"{"a":{"a":1},"b":[],"a":{}}"#,
            #"{"a":{"b":1,"b":2}}"#,
        ] + [23, 24, 25, 100].flatMap { [members($0, and: #""m7":1"#), members($0, and: #""\u006d7":{}"#)] }
    )
    func refused(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    /// An object with members whose values are objects with members of the same names, and a last member.
    private static func members(_ count: Int, and last: String) -> String {
        "{" + (0..<count).map { "\"m\($0)\":{\"m\($0)\":[],\"m7\($0)\":0}," }.joined() + last + "}"
    }

    @Test(
        "the value of a JSON text",
        arguments: [
            ("-0", "-0"), ("12.50", "12.50"), ("1e400", "1e400"), ("-1.5E-7", "-1.5E-7"), (#""""#, #""""#),
            (" \t\r\n[ 1 , 2 ] \n", "[1,2]"), (#"{"a":{"b":[{},[],{"c":null}]},"":0}"#, nil),
            (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\u000a\u000d\u0009""#),
            (#""\u0041\u00e9\u20AC\ud83d\ude00\u0000""#, #""Aé€😀\u0000""#),
            (#""eight bytes and more, then an escape \/ and on""#, #""eight bytes and more, then an escape / and on""#),
            (#"{"a\u0062":1,"ac":2}"#, #"{"ab":1,"ac":2}"#), ("[[],[[]],{}]", nil), (" true ", "true"),
            (members(23, and: #""":1"#), nil), (members(24, and: #""é":1"#), nil), (members(100, and: #""m":{}"#), nil),
        ]
    )
    func value(text: String, serialized: String?) throws {
        #expect(String(decoding: try parse(text).serialized, as: UTF8.self) == serialized ?? text)
    }

    @Test(
        "invalid UTF-8 is refused in JSON strings and names",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80],
            [0xC3],
            [0xE2, 0x82],
        ]
    )
    func invalidUTF8(bytes: [UInt8]) {
        for wrap in [("\"", "\""), ("{\"", "\":1}"), ("\"\\n", "\""), ("", "")] {
            #expect(throws: JSONError.self) {
                try JSONValue(parsing: Array(wrap.0.utf8) + bytes + Array(wrap.1.utf8))
            }
        }
    }

    @Test("a character is read and written the same at every position of a long string", arguments: 0..<40)
    func positions(position: Int) throws {
        let before = String(repeating: "a", count: position)
        let after = String(repeating: "b", count: 40 - position)
        for character in ["\"", "\\", "\u{1}", "\u{7F}", "é", "\u{1F600}", "]"] {
            let text = before + character + after
            let bytes = JSONValue.string(text).serialized
            #expect(try JSONValue(parsing: bytes).string == text)
        }
        for byte: UInt8 in [0x1F, 0x80, 0xFF] {
            let bytes = Array("\"\(before)".utf8) + [byte] + Array("\(after)\"".utf8)
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
            #expect(error?.offset == position + 1)
        }
    }

    @Test(
        "the error of an invalid escape has the offset of the first wrong byte, and of a duplicate name the offset after it",
        arguments: [
            (#""a\xb""#, 3), (#""a\n\xb""#, 5), (#""\u12G4""#, 5), (#""a\"#, 3), (#"{"a":1,"\u0061":2}"#, 15),
            (members(24, and: #""m7":1"#), members(24, and: "").utf8.count + 3),
        ]
    )
    func offset(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try parse(text) }
        #expect(error?.offset == offset)
    }

    @Test("a JSON value is the same after it was serialized and parsed again")
    func accepted() throws {
        let text = #"{"a":[1,-2.5e3,true,false,null],"b":{"c":"\u00e9\ud83d\ude00\n"},"":""}"#
        let value = try parse(text)
        #expect(value["a"]?.array?[1].number?.double == -2500)
        #expect(value["b"]?["c"]?.string == "é😀\n")
        #expect(try JSONValue(parsing: value.serialized) == value)
    }

    @Test("JSON numbers keep their text, and their conversions never trap")
    func numbers() throws {
        #expect(try parse("9223372036854775807").number?.integer == Int.max)
        #expect(try parse("9223372036854775808").number?.integer == nil)
        #expect(try parse("1.0").number?.integer == nil)
        #expect(try parse("1e400").number?.double == nil)
        #expect(try parse("true").number == nil)
        #expect(try parse("1").bool == nil)
        #expect(try parse("123456789012345678901234567890").number?.text == "123456789012345678901234567890")
    }

    @Test("the depth and size of JSON are limited, and a duplicate among 40,000 members is refused")
    func bounds() throws {
        #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 100_000)) }
        _ = try parse(String(repeating: "[", count: 64) + String(repeating: "]", count: 64))
        #expect(throws: JSONError.self) {
            try parse(String(repeating: "[", count: 65) + String(repeating: "]", count: 65))
        }
        #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array("[1]".utf8), limits: JSONLimits(maximumBytes: 2))
        }
        let members = (0..<40_000).map { "\"m\($0)\":0" }.joined(separator: ",")
        #expect(try parse("{\(members)}").object?.members.count == 40_000)
        #expect(throws: JSONError.self) { try parse("{\(members),\"m7\":1}") }
    }

    @Test("names of JSON members are compared as bytes: KELVIN SIGN is not K")
    func identity() throws {
        let value = try parse("{\"\u{212A}\":1,\"K\":2}")
        #expect(value["K"]?.number?.integer == 2)
        #expect(JSONValue.string("\u{212A}") != JSONValue.string("K"))
    }
}

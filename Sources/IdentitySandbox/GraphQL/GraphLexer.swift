internal import IdentityKit

/// A document that is no GraphQL.
struct GraphSyntaxError: Error {
    let message: String
    let location: GraphLocation
}

/// The smallest unit of a document.
enum GraphToken: Equatable {
    case name(String)
    case number(String)
    case string(String)
    case punctuator(String)
    case end
}

/// Cuts a document into tokens (GraphQL specification of October 2021, section 2.1).
struct GraphLexer {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var location: GraphLocation { GraphLocation(line: line, column: index - lineStart + 1) }

    mutating func next() throws(GraphSyntaxError) -> (GraphToken, GraphLocation) {
        skipIgnored()
        let start = location
        guard index < bytes.count else { return (.end, start) }
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            return (.name(take(while: Self.isNamePart)), start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            return (.number(try number()), start)
        case UInt8(ascii: "\""):
            return (.string(try string()), start)
        case UInt8(ascii: "."):
            guard bytes.count - index >= 3, bytes[index + 1] == byte, bytes[index + 2] == byte else {
                throw GraphSyntaxError(message: "Parse error on \".\"", location: start)
            }
            index += 3
            return (.punctuator("..."), start)
        default:
            guard "!$&()[]{}:=@|".utf8.contains(byte) else {
                throw GraphSyntaxError(message: "Parse error on an unexpected character", location: start)
            }
            index += 1
            return (.punctuator(String(decoding: [byte], as: UTF8.self)), start)
        }
    }

    private mutating func skipIgnored() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                index += 1
                line += 1
                lineStart = index
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: ","): index += 1
            case UInt8(ascii: "#"): while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            default: return
            }
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> String {
        let start = index
        while index < bytes.count, condition(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func number() throws(GraphSyntaxError) -> String {
        let start = location
        let text = take { "+-.eE0123456789".utf8.contains($0) }
        // The grammar of numbers is JSON's.
        guard let value = try? JSONValue(parsing: Array(text.utf8)), value.number != nil else {
            throw GraphSyntaxError(message: "Parse error on a number", location: start)
        }
        return text
    }

    private mutating func string() throws(GraphSyntaxError) -> String {
        let start = location
        if bytes.count - index >= 3, bytes[index + 1] == UInt8(ascii: "\""), bytes[index + 2] == UInt8(ascii: "\"") {
            return try blockString(start)
        }
        let from = index
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\n") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            throw GraphSyntaxError(message: "Parse error on an unterminated string", location: start)
        }
        index += 1
        // The escapes are JSON's as well.
        guard let value = try? JSONValue(parsing: Array(bytes[from..<index])), let text = value.string else {
            throw GraphSyntaxError(message: "Parse error on a string", location: start)
        }
        return text
    }

    private mutating func blockString(_ start: GraphLocation) throws(GraphSyntaxError) -> String {
        index += 3
        let from = index
        while index + 2 < bytes.count {
            if bytes[index..<index + 3].allSatisfy({ $0 == UInt8(ascii: "\"") }) {
                let text = String(decoding: bytes[from..<index], as: UTF8.self)
                index += 3
                return text
            }
            if bytes[index] == UInt8(ascii: "\n") {
                line += 1
                lineStart = index + 1
            }
            index += 1
        }
        throw GraphSyntaxError(message: "Parse error on an unterminated string", location: start)
    }
}

package struct GraphSyntaxError: Error {
    package let message: String
    package let location: GraphLocation
}

package enum GraphToken: Equatable, Sendable {
    case name(String)
    case number(String)
    case string(String)
    case punctuator(String)
    case end
}

/// Splits a document into tokens (GraphQL specification of October 2021, section 2.1).
struct GraphLexer {
    let bytes: [UInt8]
    var index = 0
    private var line = 1
    private var lineStart = 0
    /// The comment lines directly above the next token.
    private(set) var comment: [String] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        // A byte order mark counts as white space.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    var location: GraphLocation { GraphLocation(line: line, column: index - lineStart + 1) }

    mutating func next() throws(GraphSyntaxError) -> (GraphToken, GraphLocation) {
        try skipIgnored()
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

    private mutating func skipIgnored() throws(GraphSyntaxError) {
        comment = []
        var lineHasText = index > lineStart
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                // An empty line separates a comment from the next token.
                if !lineHasText { comment = [] }
                lineHasText = false
                breakLine()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): index += 1
            case UInt8(ascii: "#"):
                let text = take { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.dropFirst()
                // A comment on the same line as a token belongs to that token, and not to the next one.
                if !lineHasText { comment.append(String(text.first == " " ? text.dropFirst() : text)) }
                lineHasText = true
            default: return
            }
        }
    }

    mutating func breakLine() {
        let isReturn = bytes[index] == UInt8(ascii: "\r")
        index += 1
        if isReturn, index < bytes.count, bytes[index] == UInt8(ascii: "\n") { index += 1 }
        line += 1
        lineStart = index
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
        let isFollowedByName = index < bytes.count && Self.isNamePart(bytes[index])
        let number = /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
        guard !isFollowedByName, text.wholeMatch(of: number) != nil else {
            throw GraphSyntaxError(message: "Parse error on an invalid number", location: start)
        }
        return text
    }
}

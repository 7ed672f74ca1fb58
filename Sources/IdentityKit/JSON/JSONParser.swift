internal import IdentityHTTP

extension JSONValue {
    /// Parses a JSON text strictly (RFC 8259), and refuses duplicate names (RFC 7493 section 2.3).
    ///
    /// - Parameters:
    ///   - bytes: The whole text in UTF-8, without a byte order mark.
    ///   - limits: Bounds on size and nesting.
    /// - Throws: ``JSONError`` if the text is not exactly one well-formed value, or exceeds a limit.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard bytes.count <= limits.maximumBytes else {
            throw JSONError(reason: "the text is larger than \(limits.maximumBytes) bytes", offset: 0)
        }
        var parser = JSONParser(bytes: bytes, maximumDepth: limits.maximumDepth)
        self = try parser.parseDocument()
    }
}

/// A recursive-descent parser over bytes; the depth limit bounds its recursion.
private struct JSONParser {
    let bytes: [UInt8]
    let maximumDepth: Int
    /// Whether the whole text is ASCII, so that its strings need no separate check.
    var isASCII = false
    var index = 0
    var depth = 0

    mutating func parseDocument() throws(JSONError) -> JSONValue {
        // The whole text is validated as UTF-8 once, so strings without escapes are not checked again.
        isASCII = JSONText.firstNonASCII(in: bytes.span) == bytes.count
        if !isASCII, let invalid = JSONText.firstInvalidByte(in: bytes.span) {
            throw JSONError(reason: "invalid UTF-8", offset: invalid)
        }
        skipWhitespace()
        let value = try parseValue()
        skipWhitespace()
        guard index == bytes.count else { throw failure("data after the value") }
        return value
    }

    private func failure(_ reason: String) -> JSONError {
        JSONError(reason: reason, offset: index)
    }

    private mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func parseValue() throws(JSONError) -> JSONValue {
        guard index < bytes.count else { throw failure("the text ends where a value is expected") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return .object(try parseObject())
        case UInt8(ascii: "["): return .array(try parseArray())
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseLiteral("true", as: .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", as: .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", as: .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        default: throw failure("unexpected character")
        }
    }

    private mutating func parseLiteral(_ literal: StaticString, as value: JSONValue) throws(JSONError) -> JSONValue {
        for expected in literal.description.utf8 {
            guard index < bytes.count, bytes[index] == expected else { throw failure("unknown literal") }
            index += 1
        }
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= maximumDepth else { throw failure("nesting is deeper than \(maximumDepth)") }
        index += 1
        skipWhitespace()
    }

    private mutating func parseArray() throws(JSONError) -> [JSONValue] {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        if accept(UInt8(ascii: "]")) { return elements }
        elements.reserveCapacity(4)
        while true {
            elements.append(try parseValue())
            skipWhitespace()
            if accept(UInt8(ascii: "]")) { return elements }
            guard accept(UInt8(ascii: ",")) else { throw failure("expected a comma or the end of an array") }
            skipWhitespace()
        }
    }

    private mutating func parseObject() throws(JSONError) -> JSONObject {
        try enter()
        defer { depth -= 1 }
        var object = JSONObject()
        // The first 16 names are compared one by one to find a duplicate. After that, the names are kept in a set, because an attacker's
        // object with many members must not cost quadratic time.
        var seen: Set<[UInt8]> = []
        if accept(UInt8(ascii: "}")) { return object }
        while true {
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
                throw failure("expected a member name")
            }
            let name = try parseString()
            if object.members.count == 16 { seen = Set(object.members.map { Array($0.name.utf8) }) }
            let isNew =
                object.members.count < 16
                ? !object.contains(name)
                : seen.insert(Array(name.utf8)).inserted
            guard isNew else { throw failure("duplicate member name") }
            skipWhitespace()
            guard accept(UInt8(ascii: ":")) else { throw failure("expected a colon") }
            skipWhitespace()
            object.append(name, try parseValue())
            skipWhitespace()
            if accept(UInt8(ascii: "}")) { return object }
            guard accept(UInt8(ascii: ",")) else { throw failure("expected a comma or the end of an object") }
            skipWhitespace()
        }
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func parseNumber() throws(JSONError) -> JSONNumber {
        let (bytes, start) = (bytes, index)
        try JSONText.skipNumber(in: bytes.span, at: &index)
        return JSONNumber(validated: JSONText.text(ofValid: bytes.span.extracting(start..<index), isASCII: true))
    }

    private mutating func parseString() throws(JSONError) -> String {
        index += 1
        let start = index
        index = JSONText.firstSpecialByte(in: bytes.span, from: start)
        guard index < bytes.count else { throw failure("the text ends inside a string") }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            index += 1
            // The string is valid UTF-8, because the whole text is, and quotation marks do not cut a character.
            return JSONText.text(ofValid: bytes.span.extracting(start..<index - 1), isASCII: isASCII)
        case UInt8(ascii: "\\"): return try parseEscapedString(from: start)
        default: throw failure("unescaped control character")
        }
    }

    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        let bytes = bytes
        var decoded = Array(bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: decoded, as: UTF8.self) else { throw failure("invalid UTF-8") }
                index += 1
                return text
            case UInt8(ascii: "\\"):
                index += 1
                try JSONText.readEscape(in: bytes.span, at: &index, into: &decoded)
            case 0x00..<0x20: throw failure("unescaped control character")
            default:
                decoded.append(byte)
                index += 1
            }
        }
        throw failure("the text ends inside a string")
    }
}

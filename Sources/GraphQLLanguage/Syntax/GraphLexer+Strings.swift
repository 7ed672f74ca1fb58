extension GraphLexer {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    mutating func string() throws(GraphSyntaxError) -> String {
        let start = location
        if isTripleQuote(at: index) { return try blockString(start) }
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case Self.quote:
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw GraphSyntaxError(message: "Parse error on an unterminated string", location: start)
            case Self.backslash: text += try escape()
            default:
                guard byte >= 0x20 || byte == UInt8(ascii: "\t") else {
                    let message = "Parse error on a control character in a string"
                    throw GraphSyntaxError(message: message, location: location)
                }
                text.append(byte)
                index += 1
            }
        }
        throw GraphSyntaxError(message: "Parse error on an unterminated string", location: start)
    }

    /// Reads an escape sequence (GraphQL specification, section 2.9.4) or a surrogate pair, and returns the UTF-8 bytes of the character.
    private mutating func escape() throws(GraphSyntaxError) -> [UInt8] {
        let start = location
        let failure = GraphSyntaxError(message: "Parse error on an invalid escape in a string", location: start)
        index += 1
        guard index < bytes.count else { throw failure }
        let byte = bytes[index]
        index += 1
        switch byte {
        case Self.quote, Self.backslash, UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): break
        default: throw failure
        }
        guard var code = codePoint() else { throw failure }
        if (0xD800..<0xDC00).contains(code) {
            guard index + 1 < bytes.count, bytes[index] == Self.backslash, bytes[index + 1] == UInt8(ascii: "u") else {
                throw failure
            }
            index += 2
            guard let low = codePoint(), (0xDC00..<0xE000).contains(low) else { throw failure }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure }
        return Array(String(Character(scalar)).utf8)
    }

    /// Reads the four hexadecimal digits of a code point, or up to six in braces; nil if they are malformed.
    private mutating func codePoint() -> UInt32? {
        var limit = 4
        let isBraced = index < bytes.count && bytes[index] == UInt8(ascii: "{")
        if isBraced {
            index += 1
            limit = 6
        }
        var digits = ""
        while digits.utf8.count < limit, index < bytes.count, Character(Unicode.Scalar(bytes[index])).isHexDigit {
            digits.unicodeScalars.append(Unicode.Scalar(bytes[index]))
            index += 1
        }
        if isBraced {
            guard index < bytes.count, bytes[index] == UInt8(ascii: "}") else { return nil }
            index += 1
        } else if digits.utf8.count != 4 {
            return nil
        }
        return UInt32(digits, radix: 16)
    }

    private func isTripleQuote(at place: Int) -> Bool {
        bytes.count - place >= 3 && bytes[place..<place + 3].allSatisfy { $0 == Self.quote }
    }

    private mutating func blockString(_ start: GraphLocation) throws(GraphSyntaxError) -> String {
        index += 3
        var lines: [[UInt8]] = [[]]
        while index < bytes.count {
            if isTripleQuote(at: index) {
                index += 3
                return Self.dedented(lines)
            }
            switch bytes[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                breakLine()
                lines.append([])
            case Self.backslash where isTripleQuote(at: index + 1):
                lines[lines.count - 1] += [Self.quote, Self.quote, Self.quote]
                index += 4
            default:
                lines[lines.count - 1].append(bytes[index])
                index += 1
            }
        }
        throw GraphSyntaxError(message: "Parse error on an unterminated string", location: start)
    }

    /// A block string's value: without common indentation, and without blank lines around it (`BlockStringValue()`).
    private static func dedented(_ lines: [[UInt8]]) -> String {
        func indentation(_ line: [UInt8]) -> Int { line.prefix { $0 == 0x20 || $0 == 0x09 }.count }
        func isBlank(_ line: [UInt8]) -> Bool { indentation(line) == line.count }
        let common = lines.dropFirst().filter { !isBlank($0) }.map(indentation).min() ?? 0
        var result = lines.enumerated().map { $0 == 0 ? $1 : Array($1.dropFirst(common)) }
        while let last = result.last, isBlank(last) { result.removeLast() }
        result = Array(result.drop(while: isBlank))
        return String(decoding: Array(result.joined(separator: [0x0A])), as: UTF8.self)
    }
}

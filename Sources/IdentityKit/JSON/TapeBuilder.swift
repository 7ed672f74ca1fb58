/// Reads a JSON text into a tape, strictly (RFC 8259, and RFC 7493 section 2.3) and without recursion.
package struct TapeBuilder {
    private let maximumDepth: Int
    private let maximumElements: Int
    var entries: [TapeEntry] = []
    var decoded: [UInt8] = []
    private var depth = 0
    /// The index of the innermost open list or object.
    var innermost = 0
    var hashes: Set<Int> = []
    var index = 0

    /// Reads a text; by default, `maximumElements` sets no limit, because the size of the text already limits the number of elements.
    package static func tape(
        _ bytes: [UInt8],
        _ limits: JSONLimits,
        maximumElements: Int = .max,
        root: (JSONTape) -> Int = { _ in 0 }
    ) throws(JSONError) -> JSONTape {
        let maximum = min(limits.maximumBytes, TapeEntry.limit)
        guard bytes.count <= maximum else {
            throw JSONError(reason: "the text is larger than \(maximum) bytes", offset: 0)
        }
        var builder = TapeBuilder(maximumDepth: limits.maximumDepth, maximumElements: maximumElements)
        builder.entries.reserveCapacity(min(bytes.count / 12 + 4, maximumElements))
        let text = bytes.span
        // The whole text is validated once. The code that reads strings relies on this check.
        let isASCII = JSONText.firstNonASCII(in: text) == bytes.count
        if !isASCII, let invalid = JSONText.firstInvalidByte(in: text) {
            throw JSONError(reason: "invalid UTF-8", offset: invalid)
        }
        try builder.read(text)
        let (decoded, entries) = (builder.decoded, builder.entries)
        let tape = JSONTape(bytes: bytes, isASCII: isASCII, decoded: decoded, entries: entries, root: 0)
        let first = root(tape)
        return first == 0
            ? tape : JSONTape(bytes: bytes, isASCII: isASCII, decoded: decoded, entries: entries, root: first)
    }

    private init(maximumDepth: Int, maximumElements: Int) {
        self.maximumDepth = maximumDepth
        self.maximumElements = maximumElements
    }

    func failure(_ reason: String) -> JSONError {
        JSONError(reason: reason, offset: index)
    }

    private mutating func read(_ bytes: Span<UInt8>) throws(JSONError) {
        repeat {
            skipWhitespace(bytes)
            try readValue(bytes)
            try readEnds(bytes)
        } while depth > 0
        skipWhitespace(bytes)
        guard index == bytes.count else { throw failure("data after the value") }
    }

    /// Reads a scalar, an empty list or an empty object, and before it the starts of the lists and objects that contain it.
    private mutating func readValue(_ bytes: Span<UInt8>) throws(JSONError) {
        while true {
            guard index < bytes.count else { throw failure("the text ends where a value is expected") }
            switch bytes[index] {
            case UInt8(ascii: "{"):
                try enter(.object, bytes)
                if accept(UInt8(ascii: "}"), bytes) { return leave() }
                try readName(bytes)
                continue
            case UInt8(ascii: "["):
                try enter(.list, bytes)
                if accept(UInt8(ascii: "]"), bytes) { return leave() }
                entries[innermost].count()
                continue
            case UInt8(ascii: "\""): try append(readText(bytes))
            case UInt8(ascii: "t"): try readLiteral("true", .yes, bytes)
            case UInt8(ascii: "f"): try readLiteral("false", .no, bytes)
            case UInt8(ascii: "n"): try readLiteral("null", .null, bytes)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try append(readNumber(bytes))
            default: throw failure("unexpected character")
            }
            return
        }
    }

    /// Reads what follows a value: ends of lists and objects, commas and names.
    private mutating func readEnds(_ bytes: Span<UInt8>) throws(JSONError) {
        while depth > 0 {
            skipWhitespace(bytes)
            let isObject = entries[innermost].kind == .object
            if accept(UInt8(ascii: ","), bytes) {
                guard isObject else { return entries[innermost].count() }
                skipWhitespace(bytes)
                return try readName(bytes)
            }
            guard accept(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), bytes) else {
                throw failure("expected a comma or the end of an \(isObject ? "object" : "array")")
            }
            leave()
        }
    }

    private mutating func append(_ entry: TapeEntry) throws(JSONError) {
        guard entries.count < maximumElements else {
            throw failure("more than \(maximumElements) values and names")
        }
        entries.append(entry)
    }

    private mutating func enter(_ kind: TapeEntry.Kind, _ bytes: Span<UInt8>) throws(JSONError) {
        guard depth < maximumDepth else { throw failure("nesting is deeper than \(maximumDepth)") }
        try append(TapeEntry(kind, place: innermost))
        innermost = entries.count - 1
        depth += 1
        index += 1
        skipWhitespace(bytes)
    }

    private mutating func leave() {
        let entry = entries[innermost]
        entries[innermost] = TapeEntry(entry.kind, length: entry.length, place: entries.count)
        innermost = entry.place
        depth -= 1
    }

    private mutating func readName(_ bytes: Span<UInt8>) throws(JSONError) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw failure("expected a member name") }
        let name = try readText(bytes)
        guard isNew(name, bytes) else { throw failure("duplicate member name") }
        try append(name)
        entries[innermost].count()
        skipWhitespace(bytes)
        guard accept(UInt8(ascii: ":"), bytes) else { throw failure("expected a colon") }
        skipWhitespace(bytes)
    }

    private mutating func accept(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func readLiteral(
        _ literal: StaticString,
        _ kind: TapeEntry.Kind,
        _ bytes: Span<UInt8>
    ) throws(JSONError) {
        for offset in 0..<literal.utf8CodeUnitCount {
            guard accept(unsafe literal.utf8Start[offset], bytes) else { throw failure("unknown literal") }
        }
        try append(TapeEntry(kind))
    }
}

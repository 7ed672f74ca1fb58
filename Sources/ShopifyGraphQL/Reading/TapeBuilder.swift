internal import IdentityKit

/// Reads a JSON text into a tape, strictly and without recursion.
///
/// Within its limits, it accepts exactly what `JSONValue(parsing:)` accepts. The two parsers are separate on purpose: the fuzz target
/// `graphql-response` compares their results.
struct TapeBuilder {
    private struct Open {
        let entry: Int
        let firstName: Int
        let isObject: Bool
        var length = 0
    }

    private let limits: GraphQLLimits
    private var entries: [TapeEntry] = []
    var decoded: [UInt8] = []
    private var open: [Open] = []
    /// The member names of all open objects, with those of the innermost object at the end.
    private var names: [TapeEntry] = []
    var index = 0

    static func tape(
        _ bytes: [UInt8],
        _ limits: GraphQLLimits,
        root: (GraphQLTape) -> Int = { _ in 0 }
    ) throws(JSONError) -> GraphQLTape {
        let maximum = min(limits.maximumBytes, TapeEntry.limit)
        guard bytes.count <= maximum else {
            throw JSONError(reason: "the text is larger than \(maximum) bytes", offset: 0)
        }
        // `GraphQLTape.json` is recursive, so deeper nesting could overflow the stack.
        var limits = limits
        limits.maximumDepth = min(limits.maximumDepth, 512)
        var builder = TapeBuilder(limits: limits)
        builder.entries.reserveCapacity(min(bytes.count / 12 + 4, limits.maximumElements))
        let text = bytes.span
        // The code that reads strings relies on this check of the whole body.
        if let invalid = JSONText.firstInvalidByte(in: text) {
            throw JSONError(reason: "invalid UTF-8", offset: invalid)
        }
        try builder.read(text)
        let tape = GraphQLTape(bytes: bytes, decoded: builder.decoded, entries: builder.entries, root: 0)
        let first = root(tape)
        return first == 0
            ? tape : GraphQLTape(bytes: bytes, decoded: builder.decoded, entries: builder.entries, root: first)
    }

    func failure(_ reason: String) -> JSONError {
        JSONError(reason: reason, offset: index)
    }

    private mutating func read(_ bytes: Span<UInt8>) throws(JSONError) {
        repeat {
            skipWhitespace(bytes)
            try readValue(bytes)
            try readEnds(bytes)
        } while !open.isEmpty
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
                if accept(UInt8(ascii: "}"), bytes) { return try leave(bytes) }
                try readName(bytes)
                continue
            case UInt8(ascii: "["):
                try enter(.list, bytes)
                if accept(UInt8(ascii: "]"), bytes) { return try leave(bytes) }
                count()
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
        while let innermost = open.last {
            skipWhitespace(bytes)
            if accept(UInt8(ascii: ","), bytes) {
                guard innermost.isObject else { return count() }
                skipWhitespace(bytes)
                return try readName(bytes)
            }
            guard accept(innermost.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), bytes) else {
                throw failure("expected a comma or the end of an object or array")
            }
            try leave(bytes)
        }
    }

    private mutating func append(_ entry: TapeEntry) throws(JSONError) {
        guard entries.count < limits.maximumElements else {
            throw failure("more than \(limits.maximumElements) values and names")
        }
        entries.append(entry)
    }

    private mutating func count() {
        open[open.count - 1].length += 1
    }

    private mutating func enter(_ kind: TapeEntry.Kind, _ bytes: Span<UInt8>) throws(JSONError) {
        guard open.count < limits.maximumDepth else { throw failure("nesting is deeper than \(limits.maximumDepth)") }
        open.append(Open(entry: entries.count, firstName: names.count, isObject: kind == .object))
        try append(TapeEntry(kind))
        index += 1
        skipWhitespace(bytes)
    }

    private mutating func leave(_ bytes: Span<UInt8>) throws(JSONError) {
        guard let innermost = open.popLast() else { return }
        let kind: TapeEntry.Kind = innermost.isObject ? .object : .list
        entries[innermost.entry] = TapeEntry(kind, length: innermost.length, place: entries.count)
        guard innermost.isObject else { return }
        guard !MemberNames.hasTwins(names[innermost.firstName...], bytes, decoded.span) else {
            throw failure("duplicate member name")
        }
        names.removeSubrange(innermost.firstName...)
    }

    private mutating func readName(_ bytes: Span<UInt8>) throws(JSONError) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw failure("expected a member name") }
        let name = try readText(bytes)
        try append(name)
        names.append(name)
        count()
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

/// A parsed JSON text: its bytes, and a flat list of its values.
///
/// Entries are in the order of the JSON text: members follow their object, each with the name before the value, and elements follow their
/// list. The entry of a list or object contains the index after its end, so that a reader can skip the list or object in one step.
package final class JSONTape: Sendable {
    let bytes: [UInt8]
    /// Whether all bytes are ASCII, so that strings need no separate check.
    let isASCII: Bool
    /// The strings that contain escapes, decoded, one after the other.
    let decoded: [UInt8]
    package let entries: [TapeEntry]
    /// The index of the entry at which the paths in errors start.
    package let root: Int

    init(bytes: [UInt8], isASCII: Bool, decoded: [UInt8], entries: [TapeEntry], root: Int) {
        self.bytes = bytes
        self.isASCII = isASCII
        self.decoded = decoded
        self.entries = entries
        self.root = root
    }

    /// Parses a JSON text like ``JSONValue/init(parsing:limits:)``, without creating its values.
    package static func parsing(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONTape {
        try TapeBuilder.tape(bytes, limits)
    }

    /// The index of the entry after a value and its contents.
    package func next(_ index: Int) -> Int {
        let entry = entries[index]
        return entry.isContainer ? entry.place : index + 1
    }

    package func size(_ index: Int) -> Int { next(index) - index }

    /// The index of the value of an object's member; nil if the object has no such member.
    package func member(_ name: String, of object: Int) -> Int? {
        let wanted = name.utf8.span
        var index = object + 1
        for _ in 0..<entries[object].length {
            let name = entries[index]
            if name.length == wanted.count, isText(name, wanted) { return index + 1 }
            let value = entries[index + 1]
            index = value.isContainer ? value.place : index + 2
        }
        return nil
    }

    package func isText(_ entry: TapeEntry, _ wanted: Span<UInt8>) -> Bool {
        guard entry.length == wanted.count else { return false }
        // Two calls instead of one call with a variable for the array: the variable would retain the array, which is slower.
        return entry.isKind(.text)
            ? Self.isText(bytes, at: entry.place, wanted) : Self.isText(decoded, at: entry.place, wanted)
    }

    private static func isText(_ text: [UInt8], at place: Int, _ wanted: Span<UInt8>) -> Bool {
        text.span.extracting(place..<place + wanted.count).isEqual(to: wanted)
    }

    /// The decoded text of a text entry, or the digits of a number entry.
    package func text(_ entry: TapeEntry) -> String {
        entry.kind == .decodedText
            ? Self.text(entry, in: decoded, isASCII: false) : Self.text(entry, in: bytes, isASCII: isASCII)
    }

    private static func text(_ entry: TapeEntry, in bytes: [UInt8], isASCII: Bool) -> String {
        // `ofValid` is safe: `TapeBuilder` has validated the bytes as UTF-8, and a string or number ends between two characters.
        JSONText.text(ofValid: bytes.span.extracting(entry.place..<entry.place + entry.length), isASCII: isASCII)
    }

    /// The value of a number entry; nil if the number has a fraction or an exponent, or does not fit into `Int`.
    package func number(_ index: Int) -> Int? {
        let entry = entries[index]
        var digits = bytes[entry.place..<entry.place + entry.length]
        let sign = digits.first == UInt8(ascii: "-") ? -1 : 1
        if sign < 0 { digits.removeFirst() }
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (shifted, isTooLong) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = shifted.addingReportingOverflow(sign * (Int(digit) - 0x30))
            guard !isTooLong, !isTooLarge else { return nil }
            value = sum
        }
        return value
    }

    /// The recursion is bounded, because `TapeBuilder` limits the nesting.
    package func json(_ index: Int) -> JSONValue {
        let entry = entries[index]
        switch entry.kind {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .number: return .number(JSONNumber(validated: text(entry)))
        case .text, .decodedText: return .string(text(entry))
        case .list:
            var elements: [JSONValue] = []
            elements.reserveCapacity(entry.length)
            var place = index + 1
            while place < entry.place {
                elements.append(json(place))
                place = next(place)
            }
            return .array(elements)
        case .object:
            var object = JSONObject(capacity: entry.length)
            var place = index + 1
            while place < entry.place {
                object.append(text(entries[place]), json(place + 1))
                place = next(place + 1)
            }
            return .object(object)
        }
    }

    /// The path from ``root`` to an entry, for errors.
    package func path(to target: Int) -> String {
        var path = ""
        var index = root
        while index < target, entries[index].isContainer {
            let entry = entries[index]
            var place = index + 1
            var position = 0
            while place < entry.place {
                let value = entry.kind == .object ? place + 1 : place
                if target < next(value) {
                    path += entry.kind == .object ? ".\(text(entries[place]))" : "[\(position)]"
                    index = value
                    break
                }
                place = next(value)
                position += 1
            }
            guard place < entry.place else { break }
        }
        return path
    }
}

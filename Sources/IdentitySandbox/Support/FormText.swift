/// `application/x-www-form-urlencoded`, read strictly, so that encoding errors of a client are detected.
package enum FormText {
    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    /// The fields; nil for an invalid escape, a byte that must be escaped, or invalid UTF-8.
    package static func decode(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let name = decode(first, spaces: true),
                let value = decode(parts.count > 1 ? parts[1] : [], spaces: true)
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    /// One component of a URL, decoded.
    package static func decode(_ text: String) -> String? {
        decode(Array(text.utf8)[...], spaces: false)
    }

    /// One value of a form, decoded.
    static func decodeField(_ text: String) -> String? {
        decode(Array(text.utf8)[...], spaces: true)
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, spaces: Bool) -> String? {
        var output: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                    return nil
                }
                output.append(high << 4 | low)
            case UInt8(ascii: "+") where spaces: output.append(UInt8(ascii: " "))
            case 0x00...0x20, 0x7F...0xFF: return nil
            default: output.append(byte)
            }
        }
        guard !output.contains(0) else { return nil }
        return String(validating: output, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// A component with everything but unreserved characters escaped.
    static func escape(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            default:
                output += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Fields as a form body or query.
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { escape($0.name) + "=" + escape($0.value) }.joined(separator: "&")
    }

    /// A URL with fields appended to its query.
    package static func append(_ fields: [(name: String, value: String)], to url: String) -> String {
        guard !fields.isEmpty else { return url }
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + encode(fields)
    }
}

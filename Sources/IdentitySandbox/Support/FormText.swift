internal import IdentityHTTP

/// Reads and writes `application/x-www-form-urlencoded`.
///
/// The decoder does not use the SDK's `FormEncoding`, because tests could not detect an error in shared code.
package enum FormText {
    /// Decodes a form; returns nil if an escape is incorrect, or if a space, a control byte or a non-ASCII byte is not escaped.
    ///
    /// The result is also nil if a decoded name or value is not UTF-8 or contains a zero byte.
    package static func decode(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let name = decode(first), let value = decode(parts.count > 1 ? parts[1] : [])
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    static func decodeField(_ text: String) -> String? {
        decode(Array(text.utf8)[...])
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        var output: [UInt8] = []
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(ASCII.hexValue),
                    let low = iterator.next().flatMap(ASCII.hexValue)
                else { return nil }
                output.append(high << 4 | low)
            case UInt8(ascii: "+"): output.append(UInt8(ascii: " "))
            case 0x00...0x20, 0x7F...0xFF: return nil
            default: output.append(byte)
            }
        }
        guard !output.contains(0) else { return nil }
        return String(validating: output, as: UTF8.self)
    }

    static func encode(_ fields: [(name: String, value: String)]) -> String {
        String(decoding: FormEncoding.encode(fields), as: UTF8.self)
    }

    package static func append(_ fields: [(name: String, value: String)], to url: String) -> String {
        guard !fields.isEmpty else { return url }
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + encode(fields)
    }
}

internal import IdentityHTTP

/// Decodes `application/x-www-form-urlencoded`.
///
/// It is independent of the SDK's encoder, so that tests find errors of that encoder.
package enum FormFields {
    package static func decode(_ bytes: some Collection<UInt8>) -> [(String, String)] {
        Array(bytes).split(separator: UInt8(ascii: "&")).map { field in
            let equals = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            return (text(field[..<equals]), text(field[equals...].dropFirst()))
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "+") {
                decoded.append(0x20)
            } else if byte == UInt8(ascii: "%"), digits.count == 2, let high = digits.first.flatMap(ASCII.hexValue),
                let low = digits.last.flatMap(ASCII.hexValue)
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}

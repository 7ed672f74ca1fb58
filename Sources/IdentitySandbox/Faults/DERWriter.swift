/// Writes the ASN.1 types of public keys and certificates in DER (X.690).
enum DERWriter {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

    static func set(_ parts: [UInt8]...) -> [UInt8] { element(0x31, parts.flatMap { $0 }) }

    /// An unsigned number, most significant octet first.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        // A DER integer is signed: if its highest bit is set, a zero octet must come first. Zero itself is one zero octet.
        let isNegative = digits.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (isNegative ? [0] : []) + digits)
    }

    static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

    static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    static func utcTime(_ text: String) -> [UInt8] { element(0x17, Array(text.utf8)) }

    static func identifier(_ arcs: [UInt8]) -> [UInt8] { element(0x06, arcs) }

    static let null = element(0x05, [])

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + content }
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(digits.count)] + digits + content
    }
}

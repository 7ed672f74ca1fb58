internal import IdentityHTTP
public import IdentityKit

/// A color as Shopify wrote it (scalar `Color`): `#6A8D48`, also with three, four or eight digits.
public struct ShopifyColor: Hashable, Sendable, CustomStringConvertible {
    /// The color as it was written.
    public let text: String
    /// The red part, 0 to 255.
    public let red: UInt8
    /// The green part, 0 to 255.
    public let green: UInt8
    /// The blue part, 0 to 255.
    public let blue: UInt8
    /// The opacity, 0 to 255; 255 if it is not written.
    public let opacity: UInt8

    /// Creates a color from its text; nil unless it is a number sign with three, four, six or eight hexadecimal digits.
    public init?(text: String) {
        let bytes = Array(text.utf8.prefix(10))
        let digits = bytes.dropFirst().compactMap(ASCII.hexValue)
        guard bytes.first == UInt8(ascii: "#"), digits.count == bytes.count - 1 else { return nil }
        var parts: [UInt8]
        switch digits.count {
        case 3, 4: parts = digits.map { $0 * 17 }
        case 6, 8: parts = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        default: return nil
        }
        if parts.count == 3 { parts.append(255) }
        self.text = text
        (red, green, blue, opacity) = (parts[0], parts[1], parts[2], parts[3])
    }

    /// The same as ``text``.
    public var description: String { text }
}

extension ShopifyColor: GraphQLReadable, GraphQLWritable {
    /// Reads a color's text.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = ShopifyColor(text: try node.text()) else { throw node.error("a color") }
        self = value
    }

    /// The color as a JSON string.
    public var graphQLValue: JSONValue { .string(text) }
}

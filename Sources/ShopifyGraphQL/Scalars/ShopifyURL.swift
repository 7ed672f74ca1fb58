public import FoundationEssentials
public import IdentityKit

/// A URL as Shopify wrote it (scalar `URL`).
///
/// Shopify's URLs may contain secret keys of carts, orders and accounts, so ``description`` shows only scheme and host.
public struct ShopifyURL: Hashable, Sendable {
    /// The URL as it was written.
    public let text: String

    /// Creates a URL from its text; nil if the text exceeds 8,192 bytes, or has no valid scheme or nothing after the scheme.
    ///
    /// Nil also if the text contains spaces, control characters, double quotation marks, angle brackets or backslashes. Non-ASCII
    /// characters are left as they are (RFC 3987).
    public init?(text: String) {
        guard Self.isURL(text) else { return nil }
        self.text = text
    }

    /// The URL as Foundation's type; nil if Foundation cannot read it.
    public var url: URL? { URL(string: text) }

    private static func isURL(_ text: String) -> Bool {
        guard (1...8_192).contains(text.utf8.count), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return false
        }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, (first | 0x20) &- UInt8(ascii: "a") < 26,
            scheme.allSatisfy({ byte in
                (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
                    || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
            })
        else { return false }
        let rest = text.utf8[text.utf8.index(after: colon)...]
        return !rest.isEmpty
            && rest.allSatisfy { byte in
                switch byte {
                case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"): false
                default: true
                }
            }
    }

    /// Whether both URLs have the same bytes.
    public static func == (left: ShopifyURL, right: ShopifyURL) -> Bool {
        left.text.isIdentical(to: right.text)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension ShopifyURL: Redacted {
    /// The scheme and the host, without the rest of the URL.
    public var description: String {
        let host = url?.host() ?? ""
        return "\(text.prefix { $0 != ":" })://\(host)/…"
    }
}

extension ShopifyURL: GraphQLReadable, GraphQLWritable {
    /// Reads a URL's text.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = ShopifyURL(text: try node.text()) else { throw node.error("a URL") }
        self = value
    }

    /// The whole URL as a JSON string.
    public var graphQLValue: JSONValue { .string(text) }
}

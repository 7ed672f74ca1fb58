public import IdentityKit
public import ShopifyGraphQL

/// A cart's whole id, `gid://shopify/Cart/{token}?key={secret}`.
///
/// ``description`` does not show the id, but ``rawValue`` does. Keep ``rawValue`` out of logs and URLs.
public struct CartID: Sendable, Hashable {
    /// The whole id, byte for byte as it was passed or received; a secret, because anyone who has the id can read and change the cart.
    public let rawValue: String

    /// Creates an id; nil for an empty text and for a text of more than 2048 bytes.
    public init?(rawValue: String) {
        guard (1...2048).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    /// Compares bytes.
    public static func == (left: CartID, right: CartID) -> Bool {
        left.rawValue.isIdentical(to: right.rawValue)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension CartID: Redacted {
    /// A constant text.
    public var description: String { "<cart id>" }
}

extension CartID: GraphQLReadable, GraphQLWritable {
    /// Reads a cart's id.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = CartID(rawValue: try node.text()) else { throw node.error("a cart id") }
        self = value
    }

    /// The whole id, for a request's body only.
    public var graphQLValue: JSONValue { .string(rawValue) }
}

extension CustomerAccessToken: GraphQLWritable {
    /// The token itself, for a request's body only.
    public var graphQLValue: JSONValue { .string(token.reveal()) }
}

public import IdentityKit

/// The id of an object (scalar `ID`), for example `gid://shopify/Product/1`.
///
/// Ids of carts and of customers' addresses contain secret keys, so ``description`` shows only type and number. ``text`` is the whole id.
public struct ShopifyID: Hashable, Sendable {
    /// The id as Shopify wrote it.
    public let text: String

    /// Creates an id from a text of 1 to 2,048 bytes; nil for an empty or longer text.
    public init?(text: String) {
        guard (1...2_048).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// The type's name, such as `Product`, if the id has the form `gid://shopify/{type}/{rest}`.
    public var type: String? { parts?.type }

    /// The number, if the id has the form `gid://shopify/{type}/{number}`.
    public var number: Int? { parts.flatMap { Int($0.rest) } }

    private var parts: (type: String, rest: Substring)? {
        let beginning = "gid://shopify/"
        guard text.utf8.starts(with: beginning.utf8) else { return nil }
        let rest = text.dropFirst(beginning.utf8.count).split(separator: "/", omittingEmptySubsequences: false)
        guard rest.count == 2, GraphQLName.isName(String(rest[0])) else { return nil }
        return (String(rest[0]), rest[1])
    }

    /// Whether both ids have the same bytes.
    public static func == (left: ShopifyID, right: ShopifyID) -> Bool {
        left.text.isIdentical(to: right.text)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension ShopifyID: Redacted {
    /// The type and the number, without the keys that an id may contain.
    public var description: String { "\(type ?? "id")/\(number.map { String($0) } ?? "…")" }
}

extension ShopifyID: GraphQLReadable, GraphQLWritable {
    /// Reads an id.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        guard let value = ShopifyID(text: try node.text()) else { throw node.error("an id") }
        self = value
    }

    /// The whole id as a JSON string.
    public var graphQLValue: JSONValue { .string(text) }
}

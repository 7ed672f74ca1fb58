public import IdentityKit

/// Text with HTML markup (scalar `HTML`), from the shop's staff, from apps or, in a comment on an article, from a visitor.
///
/// The markup is already HTML, so escaping would show its tags. Sanitize markup that the shop has not checked before a page shows it.
public struct ShopifyHTML: Hashable, Sendable, CustomStringConvertible {
    /// The markup.
    public let text: String

    /// Creates a value from markup.
    public init(text: String) {
        self.text = text
    }

    /// The markup.
    public var description: String { text }

    /// Whether both texts have the same bytes.
    public static func == (left: ShopifyHTML, right: ShopifyHTML) -> Bool {
        left.text.isIdentical(to: right.text)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension ShopifyHTML: GraphQLReadable, GraphQLWritable {
    /// Reads markup.
    public init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        text = try node.text()
    }

    /// The markup as a JSON string.
    public var graphQLValue: JSONValue { .string(text) }
}

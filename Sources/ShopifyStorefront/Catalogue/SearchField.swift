/// A field of Shopify's search syntax.
public struct SearchField: RawRepresentable, Hashable, Sendable {
    /// The field's name, for example `product_type`.
    public let rawValue: String

    /// Creates a field; nil for an invalid name, which could change the structure of the query.
    ///
    /// - Parameter rawValue: One or more parts with dots between them, such as `metafields.custom.size`, at most 100 bytes. Each part
    ///   begins with an ASCII letter or `_`. After this character, ASCII letters, digits, `_` and `-` are permitted.
    public init?(rawValue: String) {
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            guard let first = part.first, Self.isLetter(first) else { return false }
            return part.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
        }
        guard isName, rawValue.utf8.count <= 100 else { return nil }
        self.rawValue = rawValue
    }

    private init(known name: String) {
        rawValue = name
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    /// Whether the product is available for sale, `true` or `false`.
    public static let availableForSale = Self(known: "available_for_sale")
    /// The time of creation, an ISO 8601 date or time.
    public static let createdAt = Self(known: "created_at")
    /// The product's type.
    public static let productType = Self(known: "product_type")
    /// A tag.
    public static let tag = Self(known: "tag")
    /// A tag that the product must not have.
    public static let tagNot = Self(known: "tag_not")
    /// The title.
    public static let title = Self(known: "title")
    /// The time of the last change, an ISO 8601 date or time.
    public static let updatedAt = Self(known: "updated_at")
    /// The price of a variant.
    public static let variantPrice = Self(known: "variants.price")
    /// The vendor.
    public static let vendor = Self(known: "vendor")
    /// The type of a collection, `custom` or `smart`.
    public static let collectionType = Self(known: "collection_type")
}

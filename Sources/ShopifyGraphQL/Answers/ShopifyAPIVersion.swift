/// A version of a GraphQL API of Shopify, as it stands in the path: one calendar for all of them.
///
/// A version is served for at least a year. One that has left is answered by the oldest that has not, without an error;
/// ``GraphQLMetadata/servedVersion`` tells which one answered.
/// Source: shopify.dev, "API versioning".
public struct ShopifyAPIVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The version as text, for example `2026-10`.
    public let rawValue: String

    /// A version with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The version as text.
    public var description: String { rawValue }

    /// January 2026; leaves on 1 January 2027.
    public static let v2026_01 = Self(rawValue: "2026-01")
    /// April 2026.
    public static let v2026_04 = Self(rawValue: "2026-04")
    /// July 2026.
    public static let v2026_07 = Self(rawValue: "2026-07")
    /// October 2026.
    public static let v2026_10 = Self(rawValue: "2026-10")
    /// The version that is used unless another is asked for: 2026-10.
    public static let standard = v2026_10

    /// Whether it can stand in a path as it is.
    package var isPathSegment: Bool {
        (1...32).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

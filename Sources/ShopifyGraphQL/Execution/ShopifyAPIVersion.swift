internal import IdentityHTTP

/// A version of Shopify's GraphQL APIs, as in the path of the URL.
///
/// Shopify serves a version for at least a year. After that, Shopify answers requests for this version with its oldest supported version
/// and without an error. ``GraphQLMetadata/servedVersion`` says which version that is.
/// Source: shopify.dev, "API versioning".
public struct ShopifyAPIVersion: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The version as text, for example `2026-10`.
    public let rawValue: String

    /// Creates a version from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The version as text.
    public var description: String { rawValue }

    /// January 2026; served until 1 January 2027.
    public static let v2026_01 = Self(rawValue: "2026-01")
    /// April 2026.
    public static let v2026_04 = Self(rawValue: "2026-04")
    /// July 2026.
    public static let v2026_07 = Self(rawValue: "2026-07")
    /// October 2026.
    public static let v2026_10 = Self(rawValue: "2026-10")
    /// The default version: 2026-10.
    public static let standard = v2026_10

    /// Whether the text has 1 to 32 characters, all of them lower-case letters, digits or hyphens.
    package var isPathSegment: Bool {
        (1...32).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
    }
}

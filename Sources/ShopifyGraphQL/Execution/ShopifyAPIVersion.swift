package import IdentityHTTP
internal import IdentityKit

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

    /// Whether the version can be a segment of a URL's path: 1 to 32 lower-case letters, digits or hyphens.
    package var isPathSegment: Bool {
        (1...32).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
    }
}

extension ShopifyAPIVersion {
    /// Whether a text is a version of Shopify's APIs: `YYYY-MM` or `unstable`.
    package static func isVersion(_ text: some StringProtocol) -> Bool {
        if text.isIdentical(to: "unstable") { return true }
        let bytes = Array(text.utf8)
        return bytes.count == 7
            && bytes.enumerated().allSatisfy { $0 == 4 ? $1 == UInt8(ascii: "-") : (0x30...0x39).contains($1) }
    }

    /// Replaces the version in the path of a discovered URL with this version; nil if the new URL is not valid.
    ///
    /// Shopify's discovery documents name the newest version. A URL without a version is returned unchanged.
    package func replacingVersion(in url: HTTPURL) -> HTTPURL? {
        var segments = url.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let index = segments.lastIndex(where: { Self.isVersion($0) }) else { return url }
        segments[index] = rawValue
        return try? url.replacing(path: segments.joined(separator: "/"), query: url.query)
    }
}

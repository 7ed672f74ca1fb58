package import IdentityHTTP
internal import IdentityKit

extension ShopifyAPIVersion {
    /// Whether a text is a version of Shopify's APIs: `YYYY-MM` or `unstable`.
    package static func isVersion(_ text: some StringProtocol) -> Bool {
        if text.isIdentical(to: "unstable") { return true }
        let bytes = Array(text.utf8)
        return bytes.count == 7
            && bytes.enumerated().allSatisfy { $0 == 4 ? $1 == UInt8(ascii: "-") : (0x30...0x39).contains($1) }
    }

    /// Replaces the version in the path of a discovered URL, which always has Shopify's newest version, with this version.
    ///
    /// A URL without a version is returned unchanged.
    package func replacingVersion(in url: HTTPURL) -> HTTPURL? {
        var segments = url.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let index = segments.lastIndex(where: { Self.isVersion($0) }) else { return url }
        segments[index] = rawValue
        return try? url.replacing(path: segments.joined(separator: "/"), query: url.query)
    }
}

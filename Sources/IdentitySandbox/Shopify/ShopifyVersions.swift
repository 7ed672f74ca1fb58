package enum ShopifyVersions {
    package static let supported = ["2026-01", "2026-04", "2026-07", "2026-10"]
    package static let newest = "2026-10"
    package static let oldest = "2026-01"

    /// Returns the version that answers a request for the version `wanted`; nil if `wanted` is malformed or not yet supported.
    ///
    /// For every version before ``oldest``, even one that never existed, the result is ``oldest``, as at Shopify for retired versions.
    package static func serving(_ wanted: String) -> String? {
        if wanted == "unstable" || supported.contains(wanted) { return wanted }
        let parts = wanted.split(separator: "-")
        guard wanted.utf8.count == 7, parts.count == 2, Int(parts[0]) != nil,
            ["01", "04", "07", "10"].contains(String(parts[1])), wanted < oldest
        else { return nil }
        return oldest
    }
}

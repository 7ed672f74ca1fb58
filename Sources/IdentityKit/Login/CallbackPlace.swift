/// Where a callback arrived: its URL up to the query.
///
/// A framework may leave out the origin, and a presenter all but the query.
package struct CallbackPlace: Sendable {
    private let bytes: [UInt8]

    /// The place that a URL names: whole, as a path, or not at all.
    package init(url: String) {
        bytes = Array(Self.place(url))
    }

    /// Whether the callback may have arrived at this redirect URI; compared byte for byte.
    package func mayBe(_ redirectURI: String) -> Bool {
        let expected = Self.place(redirectURI)
        return bytes.isEmpty || bytes.elementsEqual(expected) || bytes.elementsEqual(Self.path(of: expected))
    }

    private static func place(_ url: String) -> Substring.UTF8View {
        url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    /// What follows scheme and authority; a slash where nothing does.
    private static func path(of place: Substring.UTF8View) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var rest = Array(place.drop { $0 != UInt8(ascii: ":") }.dropFirst())[...]
        if rest.starts(with: [slash, slash]) { rest = rest.dropFirst(2).drop { $0 != slash } }
        return rest.isEmpty ? [slash] : Array(rest)
    }
}

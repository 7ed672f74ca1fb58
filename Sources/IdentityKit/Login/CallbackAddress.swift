/// The address at which a callback arrived: its URL up to the query.
///
/// A web framework may pass the URL without its origin, and a ``Presenter`` may return only the query.
package struct CallbackAddress: Sendable {
    private static let slash = UInt8(ascii: "/")

    private let bytes: [UInt8]

    package init(url: String) {
        bytes = Self.address(of: url)
    }

    /// Whether this address equals the redirect URI's address, byte for byte; false if only a part of this address is known.
    package func equals(_ redirectURI: String) -> Bool { bytes == Self.address(of: redirectURI) }

    /// Whether the known part of this address equals the same part of the redirect URI, byte for byte; true if no part is known.
    package func matches(_ redirectURI: String) -> Bool {
        bytes.isEmpty || equals(redirectURI) || bytes == Self.path(of: Self.address(of: redirectURI))
    }

    /// Whether the callback's path equals the path of the redirect URI; true if the callback's address is not known.
    ///
    /// The origin is not compared, because behind a proxy the app may see another origin than the browser.
    func hasPath(of redirectURI: String) -> Bool {
        let path = bytes.first == Self.slash ? bytes : Self.path(of: bytes)
        return bytes.isEmpty || path == Self.path(of: Self.address(of: redirectURI))
    }

    /// A URL up to its query; a slash follows the host if the path is empty, because browsers send this slash (RFC 3986 section 6.2.3).
    private static func address(of url: String) -> [UInt8] {
        let address = Array(Array(url.utf8).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        let rest = address.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let endsWithHost = rest.starts(with: "//".utf8) && !rest.dropFirst(2).contains(slash)
        return endsWithHost && address.first != slash ? address + [slash] : address
    }

    private static func path(of address: [UInt8]) -> [UInt8] {
        var rest = address.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        if rest.starts(with: "//".utf8) { rest = rest.dropFirst(2).drop { $0 != slash } }
        return rest.isEmpty ? [slash] : Array(rest)
    }
}

internal import IdentityHTTP
internal import IdentityKit

enum RedirectRule {
    /// The loopback URIs that are registered for programs that choose their own port (RFC 8252 section 7.3).
    static let loopback = ["http://127.0.0.1/callback", "http://[::1]/callback"]

    /// Whether a URI is equal to a registered URI, byte for byte; only the port of a loopback URI may differ (RFC 8252 section 7.3).
    ///
    /// If `allowsLoopback` is false, no URI at `http://127.0.0.1` or `http://[::1]` is permitted, not even a registered URI.
    static func permits(_ uri: String, registered: [String], allowsLoopback: Bool = true) -> Bool {
        guard let rest = withoutPort(uri) else { return registered.contains { $0.isIdentical(to: uri) } }
        return allowsLoopback && registered.contains { withoutPort($0) == rest }
    }

    /// A URI at `http://127.0.0.1` or `http://[::1]` without its port; nil for every other URI, and for an invalid port.
    private static func withoutPort(_ uri: String) -> [UInt8]? {
        for origin in ["http://127.0.0.1", "http://[::1]"] where uri.utf8.starts(with: origin.utf8) {
            var rest = uri.utf8.dropFirst(origin.utf8.count)
            if rest.first == UInt8(ascii: ":") {
                let digits = rest.dropFirst().prefix(while: ASCII.isDigit)
                guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else { return nil }
                rest = rest[digits.endIndex...]
            }
            // Only a path or a query may follow the host and the port: the host of http://127.0.0.1@evil.example is evil.example.
            let isWhole = rest.first.map { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? true
            return isWhole ? Array(origin.utf8) + rest : nil
        }
        return nil
    }
}

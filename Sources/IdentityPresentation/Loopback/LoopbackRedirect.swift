internal import IdentityHTTP
internal import IdentityKit
internal import IdentityLoopback

/// A redirect URI whose host is a loopback address, with or without a port (RFC 8252 section 7.3).
struct LoopbackRedirect: Sendable {
    let address: LoopbackAddress
    /// Nil if the redirect URI contains no port, so that the kernel chooses a free port.
    let port: UInt16?
    let path: String
    /// `http://127.0.0.1` or `http://[::1]`, byte for byte as in the redirect URI.
    private let schemeAndHost: String
    private let pathAndQuery: String

    /// Parses a redirect URI; an error names `member`, the configuration member that contains the URI.
    init(_ text: String?, member: String) throws(IdentityError) {
        guard let text else { throw Self.refused(member, "is missing") }
        let url: HTTPURL
        do { url = try HTTPURL(text) } catch { throw Self.refused(member, Self.problem) }
        guard !url.isSecure, let address = Self.address(url.host) else { throw Self.refused(member, Self.problem) }
        self.address = address
        path = url.path
        let bytes = Array(text.utf8)
        let authority = "http://".utf8.count + url.host.utf8.count
        let hasPort = authority < bytes.count && bytes[authority] == UInt8(ascii: ":")
        port = hasPort ? url.port : nil
        let rest = bytes[authority...].drop { hasPort && ($0 == UInt8(ascii: ":") || ASCII.isDigit($0)) }
        schemeAndHost = String(decoding: bytes[..<authority], as: UTF8.self)
        pathAndQuery = String(decoding: rest, as: UTF8.self)
    }

    /// The redirect URI with the listener's port; all other bytes are unchanged.
    func text(listeningOn port: UInt16) -> String {
        "\(schemeAndHost):\(port)\(pathAndQuery)"
    }

    /// Whether `Host` is missing or names this listener; a request with another `Host` may come from another site (DNS rebinding).
    func accepts(host: String?, port: UInt16) -> Bool {
        guard let host else { return true }
        let literal = schemeAndHost.dropFirst("http://".utf8.count)
        return host.isIdentical(to: "\(literal):\(port)") || (port == 80 && host.isIdentical(to: String(literal)))
    }

    private static func address(_ host: String) -> LoopbackAddress? {
        switch host {
        case "127.0.0.1": .v4
        case "[::1]": .v6
        default: nil
        }
    }

    private static let problem = "must be an http URL with the host 127.0.0.1 or [::1] and without a fragment"

    private static func refused(_ member: String, _ problem: String) -> IdentityError {
        IdentityError(
            configuration:
                "The app cannot receive the browser's return on a loopback port: \(member) \(problem).",
            hint:
                "Register an address such as http://127.0.0.1/callback at the provider and set \(member) to this address. If the "
                + "provider permits no loopback address, use another presenter (in identity-lab: --callback stdin). For a login, "
                + "you can use ManualPresenter, which needs no port.",
            reference: "RFC 8252 section 7.3"
        )
    }
}

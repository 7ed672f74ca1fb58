/// A cookie for a response to a browser, with the attributes of its `Set-Cookie` field (RFC 6265bis section 4.1).
///
/// Printing or dumping it shows everything except the value.
///
/// ```swift
/// try headers.append("Set-Cookie", cookie.headerValue)
/// ```
public struct ResponseCookie: Sendable, Equatable {
    /// Which requests from other sites carry the cookie.
    public enum SameSite: String, Sendable {
        /// No request from another site carries the cookie.
        case strict = "Strict"
        /// A request from another site carries the cookie only if the browser opens a page with a safe method, such as GET.
        case lax = "Lax"
        /// All requests from other sites carry the cookie; browsers then require `Secure`.
        case none = "None"
    }

    /// The largest total of a cookie's name and value that browsers keep, in bytes (RFC 6265bis section 5.6).
    package static let maximumBytes = 4096

    /// The cookie's name.
    public let name: String
    /// The value, which may be a secret.
    public let value: String
    /// The browser sends the cookie only to this path and to the paths below it; by default `/`.
    public let path: String
    /// How long the browser keeps the cookie.
    ///
    /// If nil, the browser keeps the cookie until the browser is closed. A time below one second removes the cookie.
    public let maximumAge: Duration?
    /// Whether the browser sends the cookie over TLS only.
    ///
    /// Some browsers, such as Chrome and Firefox, make an exception for loopback addresses.
    public let isSecure: Bool
    /// Whether scripts in the browser cannot read the cookie.
    public let isHTTPOnly: Bool
    /// Which requests from other sites carry this cookie.
    public let sameSite: SameSite

    /// Creates a cookie.
    ///
    /// - Throws: ``HTTPTransportError/Code/invalidHeader`` when the name is not a token, when the value or the path contains a character
    ///   that a cookie cannot have, when name and value together are longer than 4,096 bytes, and when the path does not begin with `/`.
    ///   A name with the prefix `__Host-` or `__Secure-`, and `sameSite` `.none`, need `isSecure`. `__Host-` also needs the path `/`.
    public init(
        _ name: String,
        _ value: String,
        path: String = "/",
        maximumAge: Duration? = nil,
        isSecure: Bool = true,
        isHTTPOnly: Bool = true,
        sameSite: SameSite = .lax
    ) throws(HTTPTransportError) {
        let prefix = name.prefix(9).lowercased()
        let isHostPrefixed = prefix.hasPrefix("__host-")
        let needsSecure = isHostPrefixed || prefix == "__secure-" || sameSite == .none
        guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken), value.utf8.allSatisfy(Self.isValueByte),
            name.utf8.count + value.utf8.count <= Self.maximumBytes,
            path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ Self.isValueByte($0) || $0 == 0x2C }),
            isSecure || !needsSecure, !isHostPrefixed || path.utf8.count == 1
        else {
            let shown = !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) ? name : "?"
            throw .notSent(
                .invalidHeader,
                """
                The cookie \(shown) is invalid. Check name, value, path and length (at most 4,096 bytes). `__Host-`, `__Secure-` and \
                SameSite=None need isSecure, and `__Host-` needs the path /.
                """
            )
        }
        self.name = name
        self.value = value
        self.path = path
        self.maximumAge = maximumAge
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }

    /// The value of the `Set-Cookie` field.
    public var headerValue: String {
        description(of: value)
    }

    private func description(of value: String) -> String {
        var parts = ["\(name)=\(value)", "Path=\(path)"]
        if let maximumAge { parts.append("Max-Age=\(max(0, maximumAge.components.seconds))") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        parts.append("SameSite=\(sameSite.rawValue)")
        return parts.joined(separator: "; ")
    }

    /// Whether a byte may be part of a value (`cookie-octet`, RFC 6265 section 4.1.1).
    private static func isValueByte(_ byte: UInt8) -> Bool {
        ASCII.isVisible(byte) && ![0x22, 0x2C, 0x3B, 0x5C].contains(byte)
    }
}

extension ResponseCookie: Redacted {
    /// The `Set-Cookie` field with `…` in place of the value.
    public var description: String { description(of: value.isEmpty ? "" : "…") }
}

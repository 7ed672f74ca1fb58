/// Reads the bytes of one `Set-Cookie` value (RFC 6265 sections 5.2 and 5.3).
struct CookieParser {
    let url: HTTPURL
    /// The current time in seconds since 1970; an `Expires` at or before this time is in the past.
    let now: Int64

    private typealias Bytes = ArraySlice<UInt8>

    /// The cookie, and whether its expiry is in the past, so that the jar removes the cookie.
    ///
    /// Returns nil if the line is malformed, or if a response from `url` may not set the cookie.
    func parse(_ line: String) -> (cookie: Cookie, removes: Bool)? {
        let bytes = Array(line.utf8)
        guard bytes.allSatisfy(ASCII.isFieldValue) else { return nil }
        var pieces = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = pieces.popFirst(), let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = ASCII.trimmed(pair[..<equals])
        guard !name.isEmpty, name.allSatisfy(ASCII.isToken) else { return nil }
        var cookie = Cookie(
            name: text(name),
            value: text(ASCII.trimmed(pair[(equals + 1)...])),
            domain: url.host,
            isHostOnly: true,
            path: defaultPath(),
            isSecure: false
        )
        var hasPath = false
        var maximumAge: Bool?
        var expires: Bool?
        for piece in pieces {
            let equals = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
            let value = ASCII.trimmed(piece[equals...].dropFirst())
            switch text(ASCII.trimmed(piece[..<equals])).lowercased() {
            case "domain":
                guard setDomain(value, of: &cookie) else { return nil }
            case "path":
                hasPath = true
                cookie.path = value.first == UInt8(ascii: "/") ? text(value) : defaultPath()
            case "secure":
                cookie.isSecure = true
            case "max-age":
                maximumAge = isPast(maximumAge: value) ?? maximumAge
            case "expires":
                expires = CookieDate.parse(value).map { $0 <= now } ?? expires
            default:
                break
            }
        }
        guard meetsPrefixRequirements(cookie, hasPath: hasPath) else { return nil }
        guard !cookie.isSecure || url.isSecure(orLoopback: true) else { return nil }
        // Max-Age takes precedence over Expires (RFC 6265 section 5.3 step 3).
        return (cookie, maximumAge ?? expires ?? false)
    }

    private func setDomain(_ value: Bytes, of cookie: inout Cookie) -> Bool {
        let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
        guard !name.isEmpty else { return true }
        let domain = text(name).lowercased()
        let isHost = domain.utf8.elementsEqual(url.host.utf8)
        // A `Domain` of one label, such as `com` or `localhost`, must be the host itself. The cookie stays host-only.
        guard domain.utf8.contains(UInt8(ascii: ".")) else { return isHost }
        guard isHost || url.hasHost(below: domain) else { return false }
        cookie.domain = domain
        cookie.isHostOnly = NumericAddress.parse(domain) != nil
        return true
    }

    // A cookie whose name begins with `__Host-` or `__Secure-` is refused if it breaks the rules of the prefix (RFC 6265bis section
    // 4.1.3), because servers rely on these rules.
    private func meetsPrefixRequirements(_ cookie: Cookie, hasPath: Bool) -> Bool {
        let name = cookie.name.lowercased()
        if name.hasPrefix("__host-") {
            return cookie.isSecure && cookie.isHostOnly && hasPath && cookie.path.utf8.elementsEqual("/".utf8)
        }
        return !name.hasPrefix("__secure-") || cookie.isSecure
    }

    private func isPast(maximumAge value: Bytes) -> Bool? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return isNegative || digits.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    private func defaultPath() -> String {
        let path = Array(url.path.utf8)
        guard let last = path.lastIndex(of: UInt8(ascii: "/")), last > 0 else { return "/" }
        return text(path[..<last])
    }

    private func text(_ bytes: Bytes) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

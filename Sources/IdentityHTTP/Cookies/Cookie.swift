struct Cookie: Sendable {
    var name: String
    var value: String
    /// The host that set the cookie, or the `Domain` attribute without its leading dot; in lower case.
    var domain: String
    /// Whether the cookie is sent to this host only, not to its subdomains.
    var isHostOnly: Bool
    var path: String
    var isSecure: Bool

    var size: Int { name.utf8.count + value.utf8.count }

    /// Whether a new cookie replaces this cookie (RFC 6265 section 5.3 step 11); the comparison of `isHostOnly` is from RFC 6265bis.
    func isSame(as other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && domain.utf8.elementsEqual(other.domain.utf8)
            && path.utf8.elementsEqual(other.path.utf8) && isHostOnly == other.isHostOnly
    }

    func belongs(to url: HTTPURL) -> Bool {
        let isHost = url.host.utf8.elementsEqual(domain.utf8)
        guard isHost || !isHostOnly && url.hasHost(below: domain) else { return false }
        // A `Secure` cookie is also sent over http to a loopback address, because the request does not leave the machine.
        guard !isSecure || url.isSecure(orLoopback: true) else { return false }
        return Cookie.pathMatches(url.path, path)
    }

    /// Whether a cookie's path matches a request's path (RFC 6265 section 5.1.4): `/a` matches `/a` and `/a/b`, but not `/ab`.
    private static func pathMatches(_ request: String, _ path: String) -> Bool {
        let (request, path) = (Array(request.utf8), Array(path.utf8))
        guard request.starts(with: path) else { return false }
        return request.count == path.count || path.last == UInt8(ascii: "/") || request[path.count] == UInt8(ascii: "/")
    }
}

/// An absolute `http` or `https` URL, parsed strictly and kept exactly as it was given.
///
/// Only the syntax of RFC 3986 is permitted, because two programs may find different hosts in any other text:
///
/// - ASCII of at most 8 KiB, without spaces, control characters and backslashes; two hexadecimal digits follow every `%`;
/// - no user information and no fragment;
/// - a host that is a registered name, an IPv4 address of four decimal numbers, or an IPv6 address in brackets; a name has
///   labels of letters, digits, `-` and `_`, separated by dots, and its last label does not look like a number;
/// - a port from 1 to 65535.
///
/// Two URLs are equal when their texts are equal byte for byte.
public struct HTTPURL: Sendable {
    /// The URL exactly as it was given.
    public let text: String
    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }
    /// The host in lower case; an IPv6 literal keeps its brackets.
    public let host: String
    /// The port; if the URL contains no port, 443 for `https` and 80 for `http`.
    public var port: UInt16 { parts.port }
    /// Whether the scheme is `https`.
    public var isSecure: Bool { parts.isSecure }
    /// Whether the host is a literal of 127.0.0.0/8 or `[::1]`; false for `localhost`, because this name may resolve to any address.
    public var isLoopback: Bool { parts.isLoopback }

    package func isSecure(orLoopback permitsLoopback: Bool) -> Bool {
        isSecure || permitsLoopback && isLoopback
    }

    private let parts: HTTPURLParser.Parts

    /// Parses a URL.
    ///
    /// - Throws: ``HTTPURLError``, whose message does not contain the text.
    public init(_ text: String) throws(HTTPURLError) {
        let bytes = Array(text.utf8)
        let (parts, host) = try HTTPURLParser(bytes).parse()
        // A copy saves memory, because the storage of the given String may have a larger capacity.
        self.init(
            String(decoding: bytes, as: UTF8.self),
            parts,
            host: String(decoding: bytes[host].map(ASCII.lowercased), as: UTF8.self)
        )
    }

    /// Parses an origin: scheme, host, an optional port and an optional slash; nil for any other text.
    ///
    /// Upper case and the default port are accepted, so compare ``origin`` and not the text.
    package init?(origin text: String) {
        guard let url = try? HTTPURL(text), url.path.utf8.count == 1, url.query == nil else { return nil }
        self = url
    }

    /// Parses an origin in the form that browsers send (RFC 6454 section 6.2); nil for any other text.
    ///
    /// The text must be in lower case, without a slash at the end and without the default port, so that it can be compared byte by byte.
    package init?(serializedOrigin text: String) {
        // Both texts are ASCII, so `==` compares the bytes.
        guard let url = try? HTTPURL(text), url.origin == text else { return nil }
        self = url
    }

    private init(_ text: String, _ parts: HTTPURLParser.Parts, host: String) {
        self.text = text
        self.host = host
        self.parts = parts
    }

    /// The path as given, with its percent escapes; `/` if the URL has none.
    public var path: String {
        parts.path.isEmpty ? "/" : slice(parts.path)
    }

    /// The query as given, without the question mark; `nil` if the URL has no query.
    ///
    /// The query may contain authorization codes and other secrets.
    public var query: String? {
        parts.query.map(slice)
    }

    /// Scheme and host, such as `https://host`, with `:port` only if it is not the default port of the scheme (RFC 6454 section 6.2).
    public var origin: String {
        port == (isSecure ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// Whether both URLs have the same ``origin``; faster than a comparison of the texts.
    package func hasOrigin(of other: HTTPURL) -> Bool {
        // Both hosts are ASCII, so `==` compares the bytes.
        host == other.host && port == other.port && isSecure == other.isSecure
    }

    /// Whether the host is a subdomain of a domain, which must be in lower case; false for numeric hosts.
    package func hasHost(below domain: String) -> Bool {
        NumericAddress.parse(host) == nil && host.utf8.suffix(domain.utf8.count + 1).elementsEqual(("." + domain).utf8)
    }

    /// Calls a closure with the request target as a C string: the path and the query (RFC 9112 section 3.2.1).
    package func withRequestTarget<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        guard !parts.path.isEmpty else { return unsafe ("/" + (query.map { "?" + $0 } ?? "")).withCString(body) }
        return unsafe text.withCString { unsafe body($0 + Int(parts.path.lowerBound)) }
    }

    /// Returns this URL with fields appended to its query.
    ///
    /// The fields must be encoded already, such as `a=1&b=2%20c`. An empty text changes nothing.
    ///
    /// - Throws: ``HTTPURLError`` if the result is not a URL.
    public func appending(queryFields raw: String) throws(HTTPURLError) -> HTTPURL {
        let (url, start) = appending(Array(raw.utf8))
        // The other parts were checked when this URL was parsed.
        try HTTPURLParser(Array(url.text.utf8)).checkQuery(from: start)
        return url
    }

    package func appending(fields: [(name: String, value: String)]) throws(HTTPURLError) -> HTTPURL {
        try appending(encoded: FormEncoding.encode(fields))
    }

    /// Appends fields that ``FormEncoding`` has encoded; throws if the result is longer than a URL may be, and checks nothing else.
    package func appending(encoded: [UInt8]) throws(HTTPURLError) -> HTTPURL {
        let url = appending(encoded).url
        try HTTPURLParser.checkLength(url.text.utf8.count)
        return url
    }

    /// This URL with encoded fields appended to its query, and the position in the text where the fields begin.
    private func appending(_ fields: [UInt8]) -> (url: HTTPURL, start: Int) {
        guard !fields.isEmpty else { return (self, text.utf8.count) }
        var separator: UInt8?
        if let query = parts.query {
            if !query.isEmpty, text.utf8.last != UInt8(ascii: "&") { separator = UInt8(ascii: "&") }
        } else {
            separator = UInt8(ascii: "?")
        }
        let start = text.utf8.count + (separator == nil ? 0 : 1)
        // One allocation is enough for the whole text; `+` would copy the long URL of a login page more than once.
        let joined = unsafe String(unsafeUninitializedCapacity: start + fields.count) { output in
            _ = unsafe output.update(fromContentsOf: text.utf8)
            if let separator { unsafe output[start - 1] = separator }
            _ = unsafe output[start...].update(fromContentsOf: fields)
            return start + fields.count
        }
        var parts = parts
        // `clamping` prevents a trap for a URL that is too long; the callers check the length afterwards.
        parts.query = (parts.query?.lowerBound ?? UInt32(clamping: start))..<UInt32(clamping: start + fields.count)
        return (HTTPURL(joined, parts, host: host), start)
    }

    /// A URL with the scheme, host and port of this URL, but with another path and query.
    ///
    /// The path and the query must be encoded already. The query has no question mark; `nil` makes a URL without a query.
    ///
    /// - Throws: ``HTTPURLError`` if the path does not begin with `/` or contains `?`, or the result is not a URL.
    public func replacing(path: String, query: String? = nil) throws(HTTPURLError) -> HTTPURL {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(UInt8(ascii: "?")) else {
            throw HTTPURLError(
                code: .character,
                message: "The new path must begin with a slash and must not contain a question mark."
            )
        }
        return try HTTPURL(origin + path + (query.map { "?" + $0 } ?? ""))
    }

    private func slice(_ range: Range<UInt32>) -> String {
        let start = text.utf8.index(text.utf8.startIndex, offsetBy: Int(range.lowerBound))
        return String(text[start..<text.utf8.index(start, offsetBy: range.count)])
    }
}

extension HTTPURL: Hashable {
    /// Whether the texts are equal byte for byte; both are ASCII, so `==` of `String` compares the bytes.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.text == right.text
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension HTTPURL: Redacted {
    /// Scheme, host, port and path; a query is shown as `?…`, because it may contain an authorization code.
    public var description: String {
        origin + path + (parts.query == nil ? "" : "?…")
    }
}

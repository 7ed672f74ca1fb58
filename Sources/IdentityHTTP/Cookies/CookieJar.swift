internal import IdentityPlatform

/// The cookies of **one** login with a provider that requires cookies, such as Salesforce Commerce Cloud.
///
/// Create one jar for each login and discard it afterwards, so that one buyer's cookies are never sent with another buyer's requests.
///
/// The rules are stricter than RFC 6265 section 5. The jar keeps at most 64 cookies, 32 KiB in total and 4 KiB each, and ignores a
/// cookie that would exceed a limit. A `Domain` must be the host or a parent domain with at least two labels. A cookie whose expiry is in
/// the past removes the stored cookie that it would replace. Any other expiry is ignored.
///
/// Printing or dumping a jar shows only the number of cookies.
public struct CookieJar: Sendable {
    private static let maximumCount = 64
    private static let maximumCookieBytes = 4 << 10
    private static let maximumTotalBytes = 32 << 10

    private var cookies: [Cookie] = []

    /// Creates an empty jar.
    public init() {}

    /// The number of cookies.
    public var count: Int { cookies.count }

    /// Stores the cookies that a response sets; `url` is the URL of the request.
    public mutating func absorb(_ response: HTTPResponse, from url: HTTPURL) {
        let now = Int64(time(nil))
        for line in response.headers.values(for: "Set-Cookie") {
            guard line.utf8.count <= 2 * CookieJar.maximumCookieBytes,
                let (cookie, removes) = CookieParser(url: url, now: now).parse(line),
                cookie.size <= CookieJar.maximumCookieBytes
            else { continue }
            store(cookie, removes: removes)
        }
    }

    /// The value of the `Cookie` header for a request, or `nil` if no cookie matches.
    ///
    /// Cookies with longer paths come first. If two paths have the same length, the older cookie comes first (RFC 6265 section 5.4).
    public func header(for url: HTTPURL) -> String? {
        let fitting = cookies.enumerated().filter { $0.element.belongs(to: url) }
        guard !fitting.isEmpty else { return nil }
        let ordered = fitting.sorted { left, right in
            let (leftLength, rightLength) = (left.element.path.utf8.count, right.element.path.utf8.count)
            return leftLength == rightLength ? left.offset < right.offset : leftLength > rightLength
        }
        return ordered.map { $0.element.name + "=" + $0.element.value }.joined(separator: "; ")
    }

    /// The values of the cookies, so that the caller can redact them in errors.
    package var values: [String] { cookies.map(\.value) }

    private mutating func store(_ cookie: Cookie, removes: Bool) {
        let old = cookies.firstIndex { $0.isSame(as: cookie) }
        if removes {
            if let old { cookies.remove(at: old) }
            return
        }
        let total = cookies.reduce(cookie.size) { $0 + $1.size } - (old.map { cookies[$0].size } ?? 0)
        guard total <= CookieJar.maximumTotalBytes else { return }
        if let old {
            cookies[old] = cookie
        } else if cookies.count < CookieJar.maximumCount {
            cookies.append(cookie)
        }
    }
}

extension CookieJar: Redacted {
    /// The number of cookies.
    public var description: String { "CookieJar(\(count) cookies)" }
}

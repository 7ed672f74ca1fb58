internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// The little of a browser that the storefront's controllers need, for one login: cookies, and redirects that stay at home.
struct SFCCHTTPClient {
    private static let maximumHops = 3
    private static let party = "The SFCC storefront"

    let httpClient: ProviderHTTPClient
    /// The session's lock, under which a refresh token is sent.
    private let hold: SessionHold?
    private var cookies = CookieJar()

    init(httpClient: ProviderHTTPClient, under hold: SessionHold? = nil) {
        self.httpClient = httpClient
        self.hold = hold
    }

    /// An answer with whether redirects led to it.
    struct Page {
        var response: HTTPResponse
        var wasRedirected: Bool
        /// What the cookies of the login hold by now.
        var cookies: [Secret]
    }

    mutating func get(_ url: HTTPURL) async throws -> Page {
        try await follow(try await send(.get, url, headers: [], body: nil), from: url)
    }

    mutating func post(_ url: HTTPURL, _ form: [(name: String, value: String)]) async throws -> Page {
        let response = try await send(
            .post,
            url,
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: FormEncoding.encode(form)
        )
        // To follow these two is to post again.
        guard response.status != 307, response.status != 308 else { throw Self.redirectRefused(response) }
        return try await follow(response, from: url)
    }

    private mutating func send(
        _ method: HTTPMethod,
        _ url: HTTPURL,
        headers: [(name: String, value: String)],
        body: [UInt8]?
    ) async throws -> HTTPResponse {
        var headers = headers
        if let cookie = cookies.header(for: url) { headers.append(("Cookie", cookie)) }
        let response = try await httpClient.send(
            method,
            url,
            headers: try ProviderHTTPClient.headers(headers),
            body: body,
            once: true,
            under: hold,
            asking: Self.party
        )
        cookies.absorb(response, from: url)
        return response
    }

    /// Follows redirects with GET as long as they stay at the same scheme, host and port.
    private mutating func follow(_ first: HTTPResponse, from start: HTTPURL) async throws -> Page {
        var (response, url, hops) = (first, start, 0)
        while [301, 302, 303, 307, 308].contains(response.status) {
            guard hops < Self.maximumHops, let next = Self.target(response.headers["Location"], from: url),
                next.origin.isIdentical(to: start.origin)
            else { throw Self.redirectRefused(response) }
            hops += 1
            url = next
            response = try await send(.get, url, headers: [], body: nil)
        }
        return Page(
            response: response,
            wasRedirected: hops > 0,
            cookies: cookies.values.map { Secret($0) }
        )
    }

    /// The target of a `Location`, absolute or relative (RFC 9110 section 10.2.2); its fragment means nothing here.
    static func target(_ location: String?, from url: HTTPURL) -> HTTPURL? {
        guard let location else { return nil }
        let text = String(decoding: location.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        guard !text.isEmpty else { return nil }
        if let absolute = try? HTTPURL(text) { return absolute }
        if text.hasPrefix("//") { return try? HTTPURL("\(url.scheme):\(text)") }
        if text.hasPrefix("/") { return try? HTTPURL(url.origin + text) }
        if text.hasPrefix("?") { return try? HTTPURL(url.origin + url.path + text) }
        let firstSegment = text.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !firstSegment.contains(UInt8(ascii: ":")) else { return nil }
        let folder = url.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { url.path[...$0] } ?? "/"
        return try? HTTPURL(url.origin + folder + text)
    }

    private static func redirectRefused(_ response: HTTPResponse) -> IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The SFCC storefront redirected to where the login must not go, or too often.",
            hint:
                "Redirects are followed three times at most, and only at the configured host. Compare host and site with "
                + "the storefront's own URLs.",
            providerAnswer: IdentityError.ProviderAnswer(status: response.status)
        )
    }
}

internal import IdentityHTTP
internal import IdentityKit

/// Sends the requests of one login or refresh to the storefront's controllers, with cookies and redirects within the storefront.
struct SFCCHTTPClient {
    private static let maximumRedirects = 3

    let httpClient: ProviderHTTPClient
    /// The session's lock during a refresh; nil for a login.
    var lock: HeldLock?
    private(set) var cookies = CookieJar()
    private(set) var hasResponse = false

    struct Result {
        var response: HTTPResponse
        var wasRedirected: Bool
        var cookies: [Secret]
    }

    mutating func get(_ url: HTTPURL) async throws -> Result {
        try await follow(try await send(.get, url), from: url)
    }

    mutating func post(_ url: HTTPURL, _ form: [(name: String, value: Secret)]) async throws -> Result {
        let response = try await send(.post, url, form)
        // A redirect with status 307 or 308 requires a second POST, which would send the form again.
        guard response.status != 307, response.status != 308 else { throw Self.redirectRefused(response) }
        return try await follow(response, from: url)
    }

    private mutating func send(
        _ method: HTTPMethod,
        _ url: HTTPURL,
        _ form: [(name: String, value: Secret)]? = nil
    ) async throws -> HTTPResponse {
        var headers = form == nil ? [] : [(name: "Content-Type", value: MediaType.form.rawValue)]
        if let cookie = cookies.header(for: url) { headers.append(("Cookie", cookie)) }
        let response = try await httpClient.send(
            method,
            url,
            headers: try ProviderHTTPClient.headers(headers),
            body: form.map { FormEncoding.encode($0.map { ($0.name, $0.value.reveal()) }) },
            once: true,
            under: lock,
            asking: "The SFCC storefront"
        )
        hasResponse = true
        cookies.absorb(response, from: url)
        return response
    }

    private mutating func follow(_ first: HTTPResponse, from start: HTTPURL) async throws -> Result {
        var (response, url, redirects) = (first, start, 0)
        while [301, 302, 303, 307, 308].contains(response.status) {
            guard redirects < Self.maximumRedirects, let next = Self.target(response.headers["Location"], from: url),
                next.origin.isIdentical(to: start.origin)
            else { throw Self.redirectRefused(response) }
            redirects += 1
            url = next
            response = try await send(.get, url)
        }
        return Result(
            response: response,
            wasRedirected: redirects > 0,
            cookies: cookies.values.map { Secret($0) }
        )
    }

    /// Resolves a `Location` header (RFC 9110 section 10.2.2) without its fragment; nil if the header is missing or invalid.
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
            "The SFCC storefront sent a redirect that the SDK does not follow.",
            hint:
                "Compare host, site, controller paths and endpoints with the storefront's own URLs. The SDK follows at most three "
                + "redirects. A redirect must keep the scheme, host and port, and must not require a second POST (307, 308).",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login, SFCC Integration",
            providerResponse: IdentityError.ProviderResponse(status: response.status)
        )
    }
}

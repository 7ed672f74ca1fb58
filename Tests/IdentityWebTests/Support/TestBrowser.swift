import FoundationEssentials
import IdentityHTTP
import IdentityWeb
import Synchronization

/// A simulated browser that keeps cookies and sends those that their `SameSite` attribute permits.
final class TestBrowser: Sendable {
    enum Source {
        /// The address bar, or a link of the same site.
        case sameSite
        /// A link or a redirect from another site.
        case otherSite
        /// A form that another site posts.
        case postFromOtherSite
    }

    private struct Kept {
        let value: String
        let sameSite: String
        let isSecure: Bool
    }

    private let cookies = Mutex<[String: Kept]>([:])
    private let routes: SignInRoutes
    private let userAgent: String
    /// The app's own pages.
    private let app: @Sendable (WebContext) async throws -> WebResponse

    init(
        _ routes: SignInRoutes,
        userAgent: String = "Test browser",
        app: @escaping @Sendable (WebContext) async throws -> WebResponse = { _ in .html("app") }
    ) {
        self.routes = routes
        self.userAgent = userAgent
        self.app = app
    }

    var cookieNames: [String] { cookies.withLock { $0.keys.sorted() } }

    func value(of name: String) -> String? { cookies.withLock { $0[name]?.value } }

    /// Puts a cookie into the browser, as an attacker might.
    func plant(_ name: String, _ value: String) {
        cookies.withLock { $0[name] = Kept(value: value, sameSite: "Lax", isSecure: true) }
    }

    func forget(_ name: String) { cookies.withLock { $0[name] = nil } }

    func get(
        _ target: String,
        from source: Source = .sameSite,
        headers: [String: String] = [:]
    ) async throws -> WebResponse {
        try await send(.get, target, [], source, headers)
    }

    func head(_ target: String, headers: [String: String] = [:]) async throws -> WebResponse {
        try await send(.head, target, [], .sameSite, headers)
    }

    /// Posts a form as a browser does from a page of the app.
    func post(
        _ target: String,
        _ fields: [(name: String, value: String)] = [],
        from source: Source = .sameSite,
        headers: [String: String] = ["Sec-Fetch-Site": "same-origin"]
    ) async throws -> WebResponse {
        var headers = headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/x-www-form-urlencoded"
        return try await send(.post, target, FormEncoding.encode(fields), source, headers)
    }

    private func send(
        _ method: HTTPMethod,
        _ target: String,
        _ body: [UInt8],
        _ source: Source,
        _ fields: [String: String]
    ) async throws -> WebResponse {
        var headers = HTTPHeaders()
        for (name, value) in fields { try headers.append(name, value) }
        try headers.append("User-Agent", userAgent)
        let sent = cookies.withLock { kept in
            kept.filter {
                source == .sameSite || $0.value.sameSite == "None" || source == .otherSite && $0.value.sameSite == "Lax"
            }
            .map { "\($0.key)=\($0.value.value)" }.sorted()
        }
        if !sent.isEmpty { try headers.append("Cookie", sent.joined(separator: "; ")) }
        let request = WebRequest(
            method: method,
            target: target,
            headers: headers,
            body: body,
            clientAddress: "203.0.113.7"
        )
        let response = await routes.handle(request, otherwise: app)
        for line in response.headers.values(for: "Set-Cookie") { keep(line) }
        return response
    }

    private func keep(_ line: String) {
        let parts = line.split(separator: ";").map { $0.drop { $0 == " " } }
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let attributes = parts.dropFirst().map { String($0) }
        let name = String(pair[0])
        let sameSite = attributes.first { $0.hasPrefix("SameSite=") }.map { String($0.dropFirst(9)) } ?? "Lax"
        let isSecure = attributes.contains("Secure")
        // A browser refuses SameSite=None and the prefix __Host- without Secure.
        guard isSecure || sameSite != "None" && !name.hasPrefix("__Host-"), attributes.contains("Path=/") else {
            return
        }
        cookies.withLock { cookies in
            cookies[name] =
                attributes.contains("Max-Age=0")
                ? nil : Kept(value: String(pair[1]), sameSite: sameSite, isSecure: isSecure)
        }
    }
}

extension HTTPResponse {
    var location: String { headers["Location"] ?? "" }
    var text: String { String(decoding: body, as: UTF8.self) }
}

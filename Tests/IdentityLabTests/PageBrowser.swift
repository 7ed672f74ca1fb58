import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import Synchronization
import Testing

/// A browser without scripts, for the page of `serve`.
final class PageBrowser: Sendable {
    let origin: String
    let transport: CurlTransport
    /// The token of this run, which every form must contain.
    let token: String
    private let cookies = Mutex<[String: String]>([:])

    init(_ url: String) async throws {
        origin = try HTTPURL(url).origin
        transport = try CurlTransport()
        var request = HTTPRequest(method: .get, url: try HTTPURL(url), allowsLoopbackHTTP: true)
        var first = try await transport.send(request)
        if let cookie = first.headers["Set-Cookie"]?.prefix(while: { $0 != ";" }) {
            // With a public origin, the first response sets a cookie with the key of the page.
            let pair = cookie.split(separator: "=")
            cookies.withLock { $0[String(pair[0])] = String(pair[1]) }
            request.url = try HTTPURL(origin + "/")
            try request.headers.set("Cookie", String(cookie))
            first = try await transport.send(request)
        }
        let page = String(decoding: first.body, as: UTF8.self)
        token = try #require(Self.values(of: "name=\"token\" value=\"", in: page).first)
    }

    func send(
        _ method: HTTPMethod,
        _ target: String,
        _ fields: [(name: String, value: String)] = [],
        keepingCookies: Bool = true
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method: method, url: try HTTPURL(origin + target), allowsLoopbackHTTP: true)
        let sent = cookies.withLock { $0.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        if !sent.isEmpty { try request.headers.set("Cookie", sent) }
        if method == .post {
            try request.headers.set("Content-Type", "application/x-www-form-urlencoded")
            try request.headers.set("Sec-Fetch-Site", "same-origin")
            request.body = FormEncoding.encode(fields)
        }
        let response = try await transport.send(request)
        for line in response.headers.values(for: "Set-Cookie") where keepingCookies {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies.withLock { $0[String(pair[0])] = pair.count == 2 ? String(pair[1]) : nil }
        }
        return response
    }

    func press(_ target: String, _ fields: [(name: String, value: String)] = []) async throws {
        let response = try await send(.post, target, fields + [(name: "token", value: token)])
        #expect(response.status == 303 && response.headers["Location"] == "/", "\(target) \(response.status)")
    }

    func page() async throws -> String { String(decoding: try await send(.get, "/").body, as: UTF8.self) }

    func column(_ side: String) async throws -> String {
        let body = try await send(.get, "/columns/\(side)?after=-1").body
        return try #require(try JSONValue(parsing: body)["html"]?.string)
    }

    /// Signs in from a column as a buyer does, through the callback.
    func signIn(_ side: String, _ provider: String, _ entry: String) async throws -> HTTPResponse {
        try await press("/columns/\(side)/sign-in", [("provider", provider), ("entry_point", entry)])
        let url = try #require(try await send(.get, "/columns/\(side)/open").headers["Location"])
        let address = "\(origin)/auth/callback/\(provider)"
        let callback = try await SandboxBuyer(transport: transport).login(at: url, redirectURI: address)
        return try await send(.get, String(callback.dropFirst(origin.count)))
    }

    static func values(of start: String, in page: String) -> [String] {
        page.components(separatedBy: start).dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }
}

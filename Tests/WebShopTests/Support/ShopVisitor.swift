import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityWeb
import Testing
import WebShop

/// A buyer's browser that keeps cookies and shows no pages: it sends requests to the shop without a server.
struct ShopVisitor {
    let stage: ShopStage
    private var cookies = CookieJar()

    init(_ stage: ShopStage) {
        self.stage = stage
    }

    mutating func get(_ target: String) async throws -> WebResponse { try await send(.get, target) }

    /// Posts a form of one of the shop's pages.
    mutating func post(_ target: String, _ fields: [(name: String, value: String)]) async throws -> WebResponse {
        try await send(.post, target, fields)
    }

    mutating func send(
        _ method: HTTPMethod,
        _ target: String,
        _ fields: [(name: String, value: String)]? = nil
    ) async throws -> WebResponse {
        let url = try HTTPURL(stage.origin)
        var headers = HTTPHeaders()
        if let sent = cookies.header(for: url) { try headers.append("Cookie", sent) }
        if fields != nil {
            try headers.append("Sec-Fetch-Site", "same-origin")
            try headers.append("Content-Type", "application/x-www-form-urlencoded")
        }
        let body = fields.map(FormEncoding.encode) ?? []
        let response = await stage.shop.respond(
            to: WebRequest(method: method, target: target, headers: headers, body: body, clientAddress: "203.0.113.7")
        )
        cookies.absorb(response, from: url)
        return response
    }

    mutating func add(_ handle: String, quantity: Int = 1) async throws {
        let page = String(decoding: try await get("/products/\(handle)").body, as: UTF8.self)
        let fields = [("variant", try value(of: "variant", in: page)), ("quantity", String(quantity))]
        #expect(try await post("/cart/add", fields).headers["Location"] == "/cart?notice=added")
    }

    mutating func signIn(_ provider: String) async throws {
        let sent = try await get("/auth/login/\(provider)?return=/cart")
        let callback = try await SandboxBuyer().callback(
            at: sent.headers["Location"] ?? "",
            redirectURI: "\(stage.origin)/auth/callback/\(provider)"
        )
        let back = try await get(String(callback.url.dropFirst(stage.origin.count)))
        #expect(back.status == 303 && back.headers["Location"] == "/cart")
    }

    /// The value of the first field with a name.
    func value(of name: String, in page: String) throws -> String {
        let field = try #require(page.range(of: "name=\"\(name)\" value=\""))
        return String(page[field.upperBound...].prefix { $0 != "\"" })
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

import Foundation
import IdentityHTTP
import IdentityKit
import IdentityWeb
import ShopifyGraphQL
import ShopifyStorefront
import Testing

/// The code samples of the guide.
///
/// The test below compares the page with this code.
private enum Guide {
    static func ordersPage(of session: SessionID) async throws -> WebResponse { .html(session.description) }
    @Sendable static func isBlocked(_ buyer: Buyer) async throws -> Bool { buyer.subject.isEmpty }

    // swift-format-ignore
    static func server(
        _ request: WebRequest, _ sessions: SessionManager, _ carts: CartAdapter, _ variant: String
    ) async throws -> WebResponse {
// Once, at start:
let routes = try SignInRoutes(
    sessions: sessions, carts: carts, configuration: .init(publicOrigin: "https://shop.example"))

// For every request:
let response = await routes.handle(request) { context in
    switch context.request.path {
    case "/orders":
        let session = try await context.requireSession()       // or the browser signs in, and comes back
        return try await ordersPage(of: session.id)
    case "/cart/add":
        try context.refuseCSRF()
        let session = try await context.beginCartSession()     // the buyer's, or a guest's
        _ = try await carts.add([CartLineInput(merchandiseID: variant)], for: session.id)
        return try .redirect(to: "/cart")
    default:
        return .html("<h1>Shop</h1>")
    }
}
        return response
    }

    // swift-format-ignore
    static func admission(_ configuration: inout SignInRoutes.Configuration) {
configuration.admit = { signIn in
    if try await isBlocked(signIn.buyer) { return .refuse }
    return signIn.returnPath == nil ? .acceptAndGo(to: "/welcome") : .accept
}
    }

    // swift-format-ignore
    static func stepUp(_ context: WebContext) async throws {
let session = try await context.requireSession(maxAge: .seconds(300), acr: ["urn:example:two-factor"])
        _ = session
    }

    // swift-format-ignore
    static func signIns(_ context: WebContext, _ reference: SessionReference) async throws {
        var rows: [(SessionReference, Bool, Date, Date, BuyerBrowser?)] = []
for signIn in try await context.signIns() {
    rows.append((signIn.reference, signIn.isCurrent, signIn.createdAt, signIn.lastUsedAt, signIn.browser))
}
try await context.endSignIn(reference)       // from the form of one row; false for another buyer's
try await context.endOtherSignIns()          // "sign out the others"
    }

    // swift-format-ignore
    static func ownRoutes(
        _ request: WebRequest, _ response: inout WebResponse, _ options: LoginOptions, _ sessions: SessionManager,
        _ cookies: SignInCookies
    ) async throws {
// GET /login/shopify
let login = try await sessions.begin("shopify", options: options)
try response.headers.append("Set-Cookie", cookies.login(login).headerValue)
// redirect to login.url.text

// GET /callback/shopify
let callback = try LoginCallback(url: request.target)
let completed = try await sessions.complete(
    callback, browserBinding: cookies.binding(of: callback, in: request), provider: "shopify")
try response.headers.append("Set-Cookie", cookies.session(completed.session.id).headerValue)
// redirect to completed.returnPath ?? "/", so that the code leaves the address bar
    }

    // swift-format-ignore
    static func returnPaths() throws {
var configuration = SessionManager.Configuration()
configuration.returnPaths = try ReturnPathPolicy(origins: ["https://blog.example"], otherwise: "/")
        _ = configuration
    }

    // swift-format-ignore
    static func token(_ id: SessionID, _ sessions: SessionManager) async throws {
let answer = try await sessions.tokens(for: id, validFor: .seconds(60))
        _ = answer
    }

    // swift-format-ignore
    static func events() {
let bridge = EventBridge { event in
    print(event.level, event.name, event.labels, event.metadata)
}
        _ = bridge
    }
}

@Suite("The server guide")
struct ServerAppGuideTests {
    private static func page() throws -> (text: String, source: String) {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appending(path: "Documentation/Using/ServerApp.md")
        return (
            try String(contentsOf: page, encoding: .utf8), try String(contentsOf: here, encoding: .utf8)
        )
    }

    @Test("the table of errors matches the responses of the routes")
    func errors() throws {
        let section = try #require(
            try Self.page().text.components(separatedBy: "## Errors\n").last?.components(separatedBy: "\n## ").first
        )
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.count == 9)
        #expect(Set(rows.map { $0[1] }).count == 5)
        for row in rows {
            let kind = try #require(IdentityError.Kind(rawValue: row[1].replacing("`", with: "")))
            let named = row[2].replacing("`", with: "").components(separatedBy: ", ")
            let codes = row[2].hasPrefix("`") ? named : ["other"]
            for code in codes {
                let error = IdentityError(kind, IdentityError.Code(rawValue: code), "Internal.", hint: "Internal.")
                #expect(String(error.httpStatus) == row[3], "\(kind) \(code)")
                #expect((error.httpRetryAfter == .seconds(5)) == !row[4].isEmpty, "\(kind) \(code)")
                #expect(error.buyerSentence == row[5], "\(kind) \(code)")
            }
        }
        let pause = IdentityError(.retryLater, .throttled, "Internal.", hint: "Internal.", retryAfter: .seconds(17))
        #expect(pause.httpRetryAfter == .seconds(17))
    }

    @Test("every Swift sample of the page is code that compiles")
    func code() throws {
        let (page, source) = try Self.page()
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 8)
        for block in blocks { #expect(source.contains(block.components(separatedBy: "```")[0])) }
    }
}

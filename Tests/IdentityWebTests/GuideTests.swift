import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import ShopifyGraphQL
import StorefrontSandbox
import TestGuides
import Testing

@Suite("The server guide")
struct ServerAppGuideTests {
    @Test("the table of errors matches the responses of the routes")
    func errors() throws {
        let page = try GuidePage("Documentation/Using/ServerApp.md").text
        let section = try #require(
            page.components(separatedBy: "## Errors\n").last?.components(separatedBy: "\n## ").first
        )
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.count == 8)
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

    @Test("the routes behave as the table for shops on Hydrogen says")
    func hydrogen() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = TestBrowser(stage.routes) { context in
            let session = try await context.requireSession()
            return .html(try await stage.sessions.tokens(for: session.id).outcome.rawValue)
        }
        // A whole URL is refused, also one of the app's own origin.
        for url in ["\(WebStage.origin)/orders", "https://evil.example/orders"] {
            #expect(try await browser.get("/auth/login/op?return=\(FormEncoding.escape(url))").status == 400)
        }
        #expect(try await stage.signIn(browser).location == "/orders")
        // There is no refresh route: the app's page gets new tokens, and the browser keeps its cookie.
        stage.clock.advance(by: .seconds(3_601))
        let refreshed = try await browser.get("/auth/refresh")
        #expect(refreshed.status == 200 && refreshed.text == "refreshed_late")
        #expect(refreshed.headers["Set-Cookie"] == nil)
        #expect(try await browser.get("/auth/logout").status == 200)
        #expect(try await browser.post("/auth/logout").location.hasPrefix(stage.sandbox.openID.issuer))
    }
}

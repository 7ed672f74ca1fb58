import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import TestStores
import Testing

@Suite("Errors that become responses")
struct FailedRequestTests {
    private struct AppError: Error {
        let secret = "do-not-report"
    }

    /// The codes and correlation ids of the reported errors.
    private func reported(_ log: EventLog) -> [[String]] {
        log.all.filter { $0.name == "identity_request_failed" }.map { event in
            #expect(event.level == .notice)
            return [event.labels.first { $0.name == "detail" }, event.metadata.first { $0.name == "correlation_id" }]
                .compactMap { $0?.value }
        }
    }

    private func supportID(_ page: WebResponse) throws -> String {
        let start = try #require(page.text.range(of: "mention <code>"))
        return String(page.text[start.upperBound...].prefix { $0 != "<" })
    }

    @Test("an error of the app becomes an event with the correlation id of the page")
    func errorOfApp() async throws {
        let log = EventLog()
        let stage = try await WebStage(providers: ["op"], bridge: log.bridge)
        let browser = TestBrowser(stage.routes) { _ in throw AppError() }
        let page = try await browser.get("/orders")
        let shown = try supportID(page)
        #expect(page.status == 503 && reported(log) == [["system_failure", shown]])
        let json = try await browser.get("/orders", headers: ["Accept": "application/json"])
        let id = try #require(try JSONValue(parsing: json.body)["correlation_id"]?.string)
        #expect(reported(log).last == ["system_failure", id])
        for event in log.all { #expect(!"\(event)".contains("do-not-report")) }
    }

    @Test("a sign-in that cannot begin becomes an event with the correlation id of the page")
    func begin() async throws {
        let log = EventLog()
        let stage = try await WebStage(providers: ["op"], bridge: log.bridge)
        stage.sandbox.openID.planFault(.status(503), on: .discovery, times: .max)
        let page = try await stage.browser().get("/auth/login/op")
        let shown = try supportID(page)
        #expect(page.status == 503 && reported(log) == [["provider_unavailable", shown]])
    }

    @Test("an error of a framework's own handler becomes an event with the error's correlation id")
    func handlerOfFramework() async throws {
        let log = EventLog()
        let stage = try await WebStage(providers: ["op"], bridge: log.bridge)
        let context = stage.routes.context(for: try await TestSignIn().request(to: stage.routes, .get, "/orders"))
        stage.store.isBroken = true
        let error = await #expect(throws: IdentityError.self) { try await context.session() }
        _ = context.response(for: try #require(error))
        #expect(reported(log) == [["store_unavailable", error?.correlationID ?? ""]])
    }

    @Test("a cancelled request gets status 503, and a session whose provider is not configured gets 500")
    func notOfBuyer() async throws {
        let stage = try await WebStage(providers: ["op"])
        let cancelled = try await TestBrowser(stage.routes) { _ in throw CancellationError() }.get("/orders")
        #expect(cancelled.status == 503 && cancelled.text.contains("href=\"/\""))
        var signIn = TestSignIn()
        signIn.provider = "removed"
        let request = try await signIn.request(to: stage.routes, .get, "/orders")
        let page = await stage.routes.handle(request) { .html(try await $0.requireSession(acr: ["gold"]).provider) }
        #expect(page.status == 500 && page.text.contains("Sign in again"))
    }

    @Test("a guest whose record cannot be read counts as no guest and can be replaced, and an event reports the error")
    func damagedGuest() async throws {
        let log = EventLog()
        let stage = try await WebStage(providers: ["op"], bridge: log.bridge)
        let browser = TestBrowser(stage.routes) { context in
            let session = try await context.request.method == .get ? context.cartSession() : context.beginCartSession()
            return .html(session?.id.rawValue ?? "no cart")
        }
        let old = try await browser.post("/cart").text
        stage.store.damage(try #require(SessionID(rawValue: old)))
        #expect(try await browser.get("/cart").text == "no cart")
        #expect(reported(log).map(\.first) == ["store_corrupt"])
        let new = try await browser.post("/cart").text
        #expect(new != old && browser.value(of: WebStage.guest) == new)
        stage.store.isBroken = true
        #expect(try await browser.get("/cart").status == 503)
    }

    @Test("a page that is no error, such as a redirect to the sign-in, becomes no event")
    func noError() async throws {
        let log = EventLog()
        let stage = try await WebStage(providers: ["op"], bridge: log.bridge)
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        #expect(try await browser.get("/orders").status == 303)
        #expect(try await browser.get("/auth/login/nothing").status == 404)
        #expect(reported(log).isEmpty)
    }
}

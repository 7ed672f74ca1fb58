import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Testing

@Suite("Callbacks that a browser repeats")
struct RepeatedCallbackTests {
    @Test("a browser that repeats the callback of a completed sign-in is not reported", arguments: ["op", "posted"])
    func completed(provider: String) async throws {
        let log = EventLog()
        let stage = try await WebStage(bridge: log.bridge)
        let browser = stage.browser()
        let callback = try await stage.begin(browser, provider)
        for _ in 0..<2 { #expect(try await stage.deliver(callback, browser).location == "/orders") }
        #expect(!log.all.contains { $0.name == "identity_login_failed" })
    }
}

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

    @Test(
        "a browser that loads the page of a failed sign-in again is not suspected of an attack, but another browser is",
        arguments: ["op", "posted"]
    )
    func failed(provider: String) async throws {
        let log = EventLog()
        let stage = try await WebStage(bridge: log.bridge)
        let browser = stage.browser()
        let cancelled = try await stage.begin(browser, provider, as: SandboxBuyer(behaviour: .deny))
        let callback = try await stage.begin(browser, provider)
        stage.sandbox.openID.planFault(.status(503), on: .token, times: .max)
        for (callback, status) in [(cancelled, 200), (callback, 503)] {
            #expect(try await stage.deliver(callback, browser).status == status)
            let again = try await stage.deliver(callback, browser)
            #expect(again.status == 400 && again.text.contains("This sign-in has expired"))
        }
        func alarms() -> Int { log.all.count { $0.level == .critical } }
        #expect(alarms() == 0)
        #expect(try await stage.deliver(callback, stage.browser()).status == 400)
        #expect(alarms() == 1)
    }
}

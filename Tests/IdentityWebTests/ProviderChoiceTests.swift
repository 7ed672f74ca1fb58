import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Testing

@Suite("The choice of a provider")
struct ProviderChoiceTests {
    @Test("texts from requests and configuration are escaped in pages")
    func escaping() async throws {
        let stage = try await WebStage(providers: ["op", "<b>&\"'"])
        let page = try await stage.browser().get("/auth/login?return=%22%3E%3Cscript%3E")
        #expect(page.status == 200 && page.text.contains(">&lt;b&gt;&amp;&quot;&#39;</a>"))
        #expect(!page.text.contains("<b>") && !page.text.contains("<script"))
    }

    @Test("a configured provider can begin a sign-in, by GET only and with a return path of the app")
    func thirdParty() async throws {
        let stage = try await WebStage()
        var configuration = SignInRoutes.Configuration(publicOrigin: WebStage.origin)
        configuration.thirdPartyLogins = [stage.sandbox.openID.issuer: "op"]
        let browser = TestBrowser(try SignInRoutes(sessions: stage.sessions, configuration: configuration))
        let iss = FormEncoding.escape(stage.sandbox.openID.issuer)
        func target(_ text: String) -> String { "/auth/login?iss=\(iss)&target_link_uri=\(FormEncoding.escape(text))" }

        let begun = try await browser.get(target("https://shop.example/sale?x=1"), from: .otherSite)
        #expect(begun.status == 303 && begun.location.hasPrefix(stage.sandbox.openID.issuer))
        let callback = try await stage.ada.callback(
            at: begun.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(callback, browser).location == "/sale?x=1")
        for (address, page) in [
            ("https://shop.example", "/"), ("https://shop.example?x=1", "/?x=1"),
            ("https://shop.example/auth/logout/done", "/"),
        ] {
            let begun = try await browser.get(target(address), from: .otherSite)
            let callback = try await stage.ada.callback(
                at: begun.location,
                redirectURI: "\(WebStage.origin)/auth/callback/op"
            )
            #expect(try await stage.deliver(callback, browser).location == page)
        }
        for foreign in ["https://shop.example.evil.example/", "https://evil.example/", "//evil.example"] {
            #expect(try await browser.get(target(foreign)).status == 400)
        }
        #expect(
            try await browser.get(target("/sale") + "&login_hint=ada%40shop").location.contains("login_hint=ada%40shop")
        )
        let long = try await browser.get(target("/sale") + "&login_hint=" + String(repeating: "x", count: 257))
        #expect(long.status == 303 && !long.location.contains("login_hint"))
        // The address of another app whose origin begins like this one's is not a path of this app.
        let port = try await browser.get(target("https://shop.example:444/sale"))
        #expect(port.status == 400)
        #expect(try await browser.get("/auth/login?iss=https%3A%2F%2Fevil.example").status == 403)
        let posted = try await browser.post(
            "/auth/login",
            [("iss", stage.sandbox.openID.issuer), ("target_link_uri", "/sale"), ("other", "x")],
            from: .postFromOtherSite
        )
        #expect(posted.status == 303 && posted.location == "/auth/login?iss=\(iss)&target_link_uri=%2Fsale")
        // Without the setting, the parameter has no effect, and a POST is refused.
        let plain = stage.browser()
        #expect(try await plain.get("/auth/login?iss=\(iss)").text.contains("Choose how you want to sign in."))
        #expect(try await plain.post("/auth/login").status == 405)
    }

    @Test("the buttons of two providers say different things, also if both have the same display name")
    func displayNames() async throws {
        let stage = try await WebStage(
            providers: ["op", "second", "shop", "third"],
            displayNames: ["op": "Acme", "second": "Acme", "third": "Acme (op)"]
        )
        let page = try await stage.browser().get("/auth/login")
        let buttons = page.text.split(separator: "<a class=\"button\"").dropFirst().compactMap { button in
            button.split(separator: "</a>").first?.split(separator: ">").last.map { String($0) }
        }
        #expect(buttons == ["Acme (op)", "Acme (second)", "shop", "Acme (op) (third)"])
    }

    @Test("with several providers the buyer chooses one")
    func choice() async throws {
        let stage = try await WebStage()
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        let sent = try await browser.get("/orders")
        #expect(sent.status == 303 && sent.location == "/auth/login?return=%2Forders")
        let page = try await browser.get(sent.location)
        #expect(page.text.contains("href=\"/auth/login/op?return=%2Forders\""))
        #expect(page.text.contains("href=\"/auth/login/posted?return=%2Forders\""))
    }
}

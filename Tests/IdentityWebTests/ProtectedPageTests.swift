import IdentityHTTP
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Testing

@Suite("Pages that need a sign-in")
struct ProtectedPageTests {
    private static let long = "/orders?q=" + String(repeating: "x", count: 2_048)

    /// A request target, and the page after the sign-in; nil for the home page.
    static let targets: [(String, String?)] = [
        ("/orders?filter[status]=open", "/orders?filter%5Bstatus%5D=open"),
        ("/orders?q=a|b{c}^`\"<>\\", "/orders?q=a%7Cb%7Bc%7D%5E%60%22%3C%3E%5C"),
        ("/orders?discount=100%&x=%41%zz%4", "/orders?discount=100%25&x=%41%25zz%254"),
        ("/orders|a?q=\u{E9}", "/orders%7Ca?q=%C3%A9"),
        ("/files/a%2Fb", nil), ("/orders//1", nil), ("//evil.example", nil), ("/\\evil.example", nil),
        ("/orders?q=%0D%0A", nil), (long, nil),
    ]

    private func stage(_ providers: [String]) async throws -> WebStage {
        try await WebStage(providers: providers) { _ in
        } routes: {
            $0.homePath = "/home"
        }
    }

    @Test("a page that needs a buyer sends the browser to sign in and back; a script gets 401")
    func required() async throws {
        let stage = try await WebStage(providers: ["op"])
        let browser = TestBrowser(stage.routes) { context in
            let session = try await context.requireSession()
            return .html(session.buyer.email?.value ?? "")
        }
        let sent = try await browser.get("/orders?page=2")
        #expect(sent.status == 303 && sent.location.hasPrefix(stage.sandbox.openID.issuer))
        let callback = try await stage.ada.callback(
            at: sent.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(callback, browser).location == "/orders?page=2")
        let page = try await browser.get("/orders?page=2")
        #expect(page.text == stage.ada.email)
        #expect(page.headers["Cache-Control"] == "private, no-store" && page.headers["Vary"] == "Cookie")
        let script = try await stage.routes.handle(
            WebRequest(method: .get, target: "/orders", headers: .init(["Accept": "application/json"]))
        ) { .html(try await $0.requireSession().provider) }
        #expect(script.status == 401 && script.text.contains("\"sign_in\":\"/auth/login\""))
        // A client that also accepts HTML is treated as a browser. A form cannot be sent again after the sign-in.
        let other = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        let form = try await other.post("/orders", headers: ["Accept": "text/html, application/json;q=0.9"])
        #expect(form.status == 303 && form.location.hasPrefix(stage.sandbox.openID.issuer))
        let answered = try await stage.ada.callback(
            at: form.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(answered, other).location == "/")
    }

    @Test(
        "a sign-in and a step-up lead back to the page, or to the home page if the policy refuses it",
        arguments: targets
    )
    func target(_ target: String, page: String?) async throws {
        let stage = try await stage(["op"])
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession(maxAge: .seconds(300)).provider) }
        for _ in ["sign-in", "step-up"] {
            let sent = try await browser.get(target)
            #expect(sent.status == 303 && sent.location.hasPrefix(stage.sandbox.openID.issuer))
            let callback = try await stage.ada.callback(
                at: sent.location,
                redirectURI: "\(WebStage.origin)/auth/callback/op"
            )
            #expect(try await stage.deliver(callback, browser).location == page ?? "/home")
            #expect(try await browser.get(target).text == "op")
            stage.clock.advance(by: .seconds(600))
        }
    }

    @Test("the redirect to the choice of a provider names the page only if the policy accepts it", arguments: targets)
    func choice(_ target: String, page: String?) async throws {
        let stage = try await stage(["op", "posted"])
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        let parameter = page.map { "?return=" + FormEncoding.escape($0) } ?? ""
        #expect(try await browser.get(target).location == "/auth/login" + parameter)
        #expect(try await browser.get("/auth/login/op" + parameter).status == 303)
    }

    @Test("after a form the sign-in leads to the home page, also to one at another origin than the policy permits")
    func form() async throws {
        let home = "https://www.shop.example/"
        let stage = try await WebStage(providers: ["op"]) { _ in
        } routes: {
            $0.homePath = home
        }
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        let sent = try await browser.post("/orders")
        #expect(sent.status == 303 && sent.location.hasPrefix(stage.sandbox.openID.issuer))
        let callback = try await stage.ada.callback(
            at: sent.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        #expect(try await stage.deliver(callback, browser).location == home)
    }

    @Test("HEAD of a page that needs a sign-in is redirected, and begins no sign-in and no step-up")
    func head() async throws {
        let stage = try await WebStage(providers: ["op"]) { _ in
        } routes: {
            $0.loginLimit.burst = 2
        }
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession(maxAge: .seconds(300)).provider) }
        for needsStepUp in [false, true] {
            if needsStepUp {
                // HEAD does not count for the limit of sign-ins.
                try await stage.signIn(browser)
                #expect(try await browser.head("/orders?page=2").status == 200)
                stage.clock.advance(by: .seconds(600))
            }
            let names = browser.cookieNames
            for _ in 0..<3 {
                let head = try await browser.head("/orders?page=2")
                #expect(head.status == 303 && head.location == "/auth/login?return=%2Forders%3Fpage%3D2")
            }
            #expect(browser.cookieNames == names)
        }
    }

    @Test(
        "an image, a frame and a background fetch begin no sign-in and no step-up, and do not count for the limit",
        arguments: [("image", "no-cors"), ("iframe", "navigate"), ("empty", "cors")]
    )
    func partOfPage(destination: String, mode: String) async throws {
        let stage = try await WebStage(providers: ["op"]) { _ in
        } routes: {
            $0.loginLimit.burst = 1
        }
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession(maxAge: .seconds(300)).provider) }
        let headers = ["Sec-Fetch-Dest": destination, "Sec-Fetch-Mode": mode]
        let page = try await browser.get("/orders", headers: headers)
        #expect(page.status == 401 && page.text.contains("\"code\":\"not_signed_in\""))
        #expect(try await browser.get("/auth/login/op", headers: headers).status == 403)
        #expect(browser.cookieNames.isEmpty)
        try await stage.signIn(browser)
        #expect(try await browser.get("/orders", headers: headers).text == "op")
        stage.clock.advance(by: .seconds(600))
        let stepUp = try await browser.get("/orders", headers: headers)
        #expect(stepUp.status == 401 && stepUp.text.contains("\"code\":\"insufficient_user_authentication\""))
    }

    @Test(
        "a page begins a sign-in, also one that is prerendered or that a service worker fetches",
        arguments: [
            [:], ["Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"],
            ["Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Purpose": "prefetch;prerender"],
            ["Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "navigate"],
        ]
    )
    func wholePage(headers: [String: String]) async throws {
        let stage = try await stage(["op"])
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        for target in ["/orders", "/auth/login/op"] {
            let sent = try await browser.get(target, headers: headers)
            #expect(sent.status == 303 && sent.location.hasPrefix(stage.sandbox.openID.issuer))
        }
    }
}

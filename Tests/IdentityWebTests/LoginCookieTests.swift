import IdentityHTTP
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Testing

@Suite("Cookies of logins and logouts")
struct LoginCookieTests {
    @Test("a browser keeps the cookies of a login and a logout at least as long as the store keeps the attempt")
    func maximumAge() async throws {
        let stage = try await WebStage {
            $0.attemptLifetime = .seconds(1_800)
        }
        let browser = stage.browser()
        let begun = try await browser.get("/auth/login/op")
        #expect(begun.headers["Set-Cookie"]?.contains("; Max-Age=2100;") == true)
        try await stage.signIn(browser)
        let lines = try await browser.post("/auth/logout").headers.values(for: "Set-Cookie")
        let logout = try #require(lines.first { $0.hasPrefix("__Host-identity-logout=") })
        #expect(logout.contains("; Max-Age=1800;"))
    }

    @Test("a new login ends completed logins before a pending one that is older")
    func completedFirst() async throws {
        let stage = try await WebStage { _ in
        } routes: {
            $0.maximumOpenLogins = 2
        }
        let browser = stage.browser()
        let pending = try await stage.begin(browser, returning: "/pending")
        stage.clock.advance(by: .seconds(1))
        try await stage.signIn(browser)
        stage.clock.advance(by: .seconds(1))
        _ = try await stage.begin(browser)
        #expect(try await stage.deliver(pending, browser).location == "/pending")
    }

    @Test(
        "the cookie of a surplus login is removed with the attributes with which it was set",
        arguments: [WebStage.origin, "http://127.0.0.1:8080"]
    )
    func removal(origin: String) async throws {
        let stage = try await WebStage(origin: origin, routes: { $0.maximumOpenLogins = 1 })
        let browser = stage.browser()
        var last: String?
        for provider in ["posted", "op", "posted"] {
            let lines = try await browser.get("/auth/login/\(provider)").headers.values(for: "Set-Cookie")
            if let last {
                let parts = last.split(separator: ";")
                let removal = [parts[0].prefix { $0 != "=" } + "=", parts[1], " Max-Age=0"] + parts[3...]
                #expect(lines.first == removal.joined(separator: ";"))
            }
            last = lines.last
        }
        #expect(browser.cookieNames.count == 1)
    }

    @Test("the cookies of six completed logins are small, also if their return paths were long")
    func size() async throws {
        let stage = try await WebStage()
        let browser = stage.browser()
        let short = "/orders?page=2"
        for path in Array(repeating: "/orders?q=" + String(repeating: "/", count: 1_300), count: 5) + [short] {
            let callback = try await stage.begin(browser, returning: path)
            #expect(try await stage.deliver(callback, browser).location == path)
            #expect(try await stage.deliver(callback, browser).location == (path == short ? short : "/"))
            stage.clock.advance(by: .seconds(1))
        }
        let logins = browser.cookieNames.filter { $0.hasPrefix("__Host-identity-login-") }
        #expect(logins.count == 6)
        #expect(logins.reduce(0) { $0 + $1.utf8.count + (browser.value(of: $1)?.utf8.count ?? 0) } < 2_048)
    }
}

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
}

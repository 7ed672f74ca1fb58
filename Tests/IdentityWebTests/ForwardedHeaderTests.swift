import IdentityHTTP
import IdentitySandbox
import IdentityWeb
import Testing

@Suite("Forwarded headers")
struct ForwardedHeaderTests {
    /// Headers with which an attacker, or a proxy that passes them on, names another host.
    private static let foreign = [
        "Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http",
        "X-Forwarded-Port": "81", "X-Forwarded-Prefix": "/evil", "X-Original-URL": "https://evil.example/",
        "Forwarded": "for=192.0.2.1;host=evil.example;proto=http",
    ]

    @Test("foreign Host and forwarded headers change no redirect URI, location, cookie or check of forged requests")
    func foreignHeaders() async throws {
        let usual = try await observations(adding: [:])
        #expect(usual.contains("redirect_uri https://shop.example/auth/callback/op"))
        #expect(usual.contains("post_logout_redirect_uri https://shop.example/auth/logout/done"))
        #expect(usual.contains("own POST 303") && usual.contains("foreign POST 403"))
        #expect(try await observations(adding: Self.foreign) == usual)
    }

    /// What a browser sees from sign-in to sign-out if all its requests have these headers.
    private func observations(adding headers: [String: String]) async throws -> [String] {
        let stage = try await WebStage()
        let browser = TestBrowser(stage.routes) { .html(try await $0.requireSession().provider) }
        var seen: [String] = []
        func see(_ response: WebResponse) {
            seen += response.headers.values(for: "Set-Cookie").map(Self.withoutValues)
            let path = response.location.hasPrefix("/") ? response.location : ""
            seen.append("\(response.status) \(path)")
        }
        let page = try await browser.get("/orders", headers: headers)
        see(page)
        see(try await browser.get(page.location, headers: headers))
        let login = try await browser.get("/auth/login/op?return=/orders", headers: headers)
        see(login)
        seen.append("redirect_uri \(try Self.parameter("redirect_uri", of: login) ?? "")")
        let callback = try await stage.ada.callback(
            at: login.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        let target = String(callback.url.dropFirst(WebStage.origin.count))
        see(try await browser.get(target, from: .otherSite, headers: headers))
        // The origin of a page at the host that the forwarded headers name.
        let foreign = headers.merging(["Origin": "https://evil.example"]) { $1 }
        seen.append("foreign POST \(try await browser.post("/auth/logout", headers: foreign).status)")
        let own = headers.merging(["Origin": WebStage.origin]) { $1 }
        let logout = try await browser.post("/auth/logout", headers: own)
        see(logout)
        seen.append("own POST \(logout.status)")
        seen.append("post_logout_redirect_uri \(try Self.parameter("post_logout_redirect_uri", of: logout) ?? "")")
        see(try await browser.post("/auth/logout", headers: own))
        return seen
    }

    /// A cookie's name without a login's id, and its attributes.
    private static func withoutValues(_ line: String) -> String {
        let name = line.prefix { $0 != "=" }
        let isLogin = name.hasPrefix("__Host-identity-login-")
        return "\(isLogin ? "__Host-identity-login-" : name)\(line.drop { $0 != ";" })"
    }

    private static func parameter(_ name: String, of response: WebResponse) throws -> String? {
        let query = try HTTPURL(response.location).query ?? ""
        return FormEncoding.decode(Array(query.utf8))?.first { $0.name == name }?.value
    }
}

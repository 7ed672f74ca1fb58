import IdentityHTTP
import Testing

@Suite struct CookieJarTests {
    private func jar(_ lines: [String], from url: String = "https://www.shop.example/a/b") throws -> CookieJar {
        var jar = CookieJar()
        jar.absorb(try response(lines), from: try HTTPURL(url))
        return jar
    }

    private func response(_ lines: [String]) throws -> HTTPResponse {
        var headers = HTTPHeaders()
        for line in lines { try headers.append("Set-Cookie", line) }
        return HTTPResponse(status: 200, headers: headers)
    }

    @Test(
        "a cookie is sent to its own host, domain, path and scheme only",
        arguments: [
            ("a=1", "https://www.shop.example/a/c", true),
            ("a=1", "https://www.shop.example/ab", false),
            ("a=1; Path=/", "https://www.shop.example/x", true),
            ("a=1; Path=/", "https://shop.example/x", false),
            ("a=1; Path=/", "https://x.www.shop.example/x", false),
            ("a=1; Path=/; Domain=shop.example", "https://shop.example/", true),
            ("a=1; Path=/; Domain=.SHOP.example", "https://other.shop.example/", true),
            ("a=1; Path=/; Domain=shop.example", "https://notshop.example/", false),
            ("a=1; Path=/; Domain=shop.example", "https://shop.example.evil.example/", false),
            ("a=1; Path=/; Domain=www.shop.example", "https://x.www.shop.example/", true),
            ("a=1; Path=/; Domain=other.example", "https://other.example/", false),
            ("a=1; Path=/; Domain=x.www.shop.example", "https://x.www.shop.example/", false),
            ("a=1; Path=/; Domain=example", "https://www.shop.example/", false),
            ("a=1; Path=/; Secure", "http://www.shop.example/", false),
            ("a=1; Path=/; Secure", "https://www.shop.example:8443/", true),
            ("a=1; Path=/a/", "https://www.shop.example/a", false),
            ("a=1; Path=/a/", "https://www.shop.example/a/z", true),
            ("a=1; Path=/; Max-Age=0", "https://www.shop.example/", false),
            ("a=1; Path=/; Max-Age=-5", "https://www.shop.example/", false),
            ("a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.shop.example/", true),
            ("a=1; Path=/; Expires=Thu, 01-Jan-1970 00:00:10 GMT", "https://www.shop.example/", false),
            ("a=1; Path=/; Expires=Wed, 09 Jun 2199 10:18:14 GMT", "https://www.shop.example/", true),
            ("a=1; Path=/; Expires=nonsense", "https://www.shop.example/", true),
            ("a=1; Path=/; Expires=Mon, 29 Feb 1995 00:00:10 GMT", "https://www.shop.example/", true),
            ("a=1; Path=/; Expires=Thu, 29 Feb 1996 00:00:10 GMT", "https://www.shop.example/", false),
            ("a=1; Path=/; Expires=Sun, 31 Dec 1995 00:00:10 GMT", "https://www.shop.example/", false),
            ("__Host-a=1; Path=/; Secure", "https://www.shop.example/", true),
            ("__Host-a=1; Path=/; Secure; Domain=shop.example", "https://www.shop.example/", false),
            ("__Host-a=1; Path=/", "https://www.shop.example/", false),
            ("__Secure-a=1; Path=/", "https://www.shop.example/", false),
            ("=1; Path=/", "https://www.shop.example/", false),
            ("a b=1; Path=/", "https://www.shop.example/", false),
            ("novalue", "https://www.shop.example/a/c", false),
        ]
    )
    func scope(line: String, url: String, belongs: Bool) throws {
        #expect((try jar([line]).header(for: HTTPURL(url)) != nil) == belongs)
    }

    @Test("a cookie whose name begins with __Host- is ignored without a Path, also if its default path is /")
    func hostPrefix() throws {
        let jar = try jar(["__Host-a=1; Secure", "__Host-b=2; Secure; Path=/"], from: "https://www.shop.example/")
        #expect(jar.header(for: try HTTPURL("https://www.shop.example/")) == "__Host-b=2")
    }

    @Test(
        "a cookie of an IP address is sent to that address only, and a cookie whose Domain is a part of the address is ignored"
    )
    func numericHost() throws {
        let jar = try jar(
            ["a=1; Path=/; Domain=127.0.0.1", "b=2; Path=/; Domain=0.0.1; Secure", "c=3; Secure"],
            from: "http://127.0.0.1/"
        )
        #expect(jar.header(for: try HTTPURL("http://127.0.0.1:9/")) == "a=1; c=3")
        #expect(jar.header(for: try HTTPURL("http://127.0.0.2/")) == nil)
    }

    @Test(
        "cookies with longer paths come first, a later value replaces an earlier one, and a past expiry removes a cookie"
    )
    func order() throws {
        var jar = try jar(["a=1; Path=/", "b=2; Path=/a", "c=\"3 x\"; Path=/", "a=4; Path=/"])
        let url = try HTTPURL("https://www.shop.example/a/b")
        #expect(jar.header(for: url) == "b=2; a=4; c=\"3 x\"")
        jar.absorb(try response(["a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]), from: url)
        #expect(jar.header(for: url) == "b=2; c=\"3 x\"")
    }

    @Test("the number and the size of cookies are limited")
    func bounds() throws {
        #expect(try jar((0..<500).map { "c\($0)=1" }).count == 64)
        #expect(try jar(["a=" + String(repeating: "x", count: 5000)]).count == 0)
        #expect(try jar((0..<60).map { "c\($0)=" + String(repeating: "x", count: 4000) }).count == 8)
    }
}

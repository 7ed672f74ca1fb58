import IdentityHTTP
import Testing

@Suite struct HTTPURLTests {
    @Test("an accepted URL keeps its text and has the right parts")
    func parts() throws {
        let url = try HTTPURL("HTTPS://Shop.Example:8443/a%2Fb/../c?x=1&y=%20")
        #expect(url.text == "HTTPS://Shop.Example:8443/a%2Fb/../c?x=1&y=%20")
        #expect(url.scheme == "https" && url.isSecure)
        #expect(url.host == "shop.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a%2Fb/../c")
        #expect(url.query == "x=1&y=%20")
        #expect(url.origin == "https://shop.example:8443")
    }

    @Test(
        "a URL without port, path or query gets their defaults",
        arguments: [
            ("https://a.example", "https://a.example", UInt16(443), "/", nil),
            ("https://a.example:443/", "https://a.example", 443, "/", nil),
            ("https://a.example?", "https://a.example", 443, "/", ""),
            ("https://a.example?b=/c?d", "https://a.example", 443, "/", "b=/c?d"),
            ("http://a_b.example:080/", "http://a_b.example", 80, "/", nil),
            ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443", 8443, "/x", nil),
            ("https://10.0.0.1/", "https://10.0.0.1", 443, "/", nil),
            ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example", 443, "/", nil),
            ("https://1a.2b/", "https://1a.2b", 443, "/", nil),
        ] as [(String, String, UInt16, String, String?)]
    )
    func defaults(text: String, origin: String, port: UInt16, path: String, query: String?) throws {
        let url = try HTTPURL(text)
        #expect(url.origin == origin)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.query == query)
    }

    @Test(
        "malicious and ambiguous URLs are refused",
        arguments: [
            ("", .scheme), ("https", .scheme), ("//a.example/", .scheme), ("/a", .scheme),
            ("https:/a.example", .scheme),
            ("https:\\\\a.example", .scheme), ("ftp://a.example/", .scheme), ("javascript://a.example/", .scheme),
            ("file:///etc/passwd", .scheme), (" https://a.example/", .scheme), ("hTTps;//a.example", .scheme),
            ("https://", .host), ("https:///a", .host), ("https://?a", .host), ("https://:443/", .host),
            ("https://user@a.example/", .userInformation), ("https://user:pass@a.example/", .userInformation),
            ("http://localhost:80@evil.example/", .userInformation), ("https://@a.example/", .userInformation),
            ("https://good.example\\@evil.example/", .character), ("https://good.example\\.evil.example/", .character),
            ("https://a.example/\\evil", .character), ("https://a.example/ b", .character),
            ("https://a.example/\r\nX: y", .character), ("https://a.example/\t", .character),
            ("https://a.example/\u{0}", .character), ("https://a.example/\u{7F}", .character),
            ("https://a.example/é", .character), ("https://ex\u{E4}mple.example/", .character),
            ("https://a.example\u{3002}evil.example/", .character), ("https://a.exampl\u{212A}/", .character),
            ("https://a.example/%", .character), ("https://a.example/%2", .character),
            ("https://a.example/%zz", .character),
            ("https://a.example/?q=%f", .character), ("https://a.example/<x>", .character),
            ("https://a.example/?a[0]=1", .character), ("https://a.example/{x}", .character),
            ("https://a.example/#f", .fragment), ("https://a.example#@evil.example/", .fragment),
            ("https://a.example:/", .port), ("https://a.example:0/", .port), ("https://a.example:65536/", .port),
            ("https://a.example:443x/", .port), ("https://a.example:+1/", .port), ("https://a.example:80:80/", .port),
            ("https://a.example:000443/", .port), ("https://a.example:99999999999999999999/", .port),
            ("https://[::1]443/", .port), ("https://[::1]x/", .port),
            ("https://a..example/", .host), ("https://.a.example/", .host), ("https://a.example./", .host),
            ("https://-a.example/", .host), ("https://a-.example/", .host), ("https://a%2eexample/", .host),
            ("https://a,b.example/", .host), ("https://a'b.example/", .host), ("https://a]b/", .host),
            ("https://127.1/", .host), ("https://2130706433/", .host), ("https://0x7f.0.0.1/", .host),
            ("https://0x7f000001/", .host), ("https://0177.0.0.1/", .host), ("https://127.0.0.01/", .host),
            ("https://1.2.3.4.5/", .host), ("https://256.1.1.1/", .host), ("https://a.example.1/", .host),
            ("https://a.0x10/", .host), ("https://[::1/", .host), ("https://[]/", .host), ("https://[1.2.3.4]/", .host),
            ("https://[fe80::1%25eth0]/", .host), ("https://[::g]/", .host),
        ] as [(String, HTTPURLError.Code)]
    )
    func refused(text: String, code: HTTPURLError.Code) {
        #expect { try HTTPURL(text) } throws: { ($0 as? HTTPURLError)?.code == code }
    }

    @Test("the lengths of a URL, a host name and its labels are limited")
    func bounds() throws {
        let label = String(repeating: "a", count: 63)
        _ = try HTTPURL("https://\(label).example/")
        #expect(throws: HTTPURLError.self) { try HTTPURL("https://a\(label).example/") }
        #expect(throws: HTTPURLError.self) { try HTTPURL("https://\(label).\(label).\(label).\(label).example/") }
        let head = "https://a.example/"
        _ = try HTTPURL(head + String(repeating: "a", count: 8192 - head.utf8.count))
        #expect { try HTTPURL(head + String(repeating: "a", count: 8193 - head.utf8.count)) } throws: {
            ($0 as? HTTPURLError)?.code == .tooLong
        }
    }

    @Test(
        "only literal addresses are loopback",
        arguments: [
            ("http://127.0.0.1/", true), ("http://127.255.0.9:1/", true), ("http://[::1]/", true),
            ("http://[0:0:0:0:0:0:0:1]/", true), ("http://localhost/", false),
            ("http://127.0.0.1.evil.example/", false),
            ("http://[::ffff:127.0.0.1]/", false), ("http://128.0.0.1/", false), ("http://[::]/", false),
            ("http://0.0.0.0/", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try HTTPURL(text).isLoopback == isLoopback)
    }

    @Test("plain http counts as secure only to a loopback address, and only where this is permitted")
    func secureOrLoopback() throws {
        for (text, strict, tolerant) in [
            ("https://a.example/", true, true), ("https://127.0.0.1/", true, true),
            ("http://127.0.0.1:1/", false, true),
            ("http://[::1]/", false, true), ("http://localhost/", false, false), ("http://a.example/", false, false),
            ("http://127.0.0.1.evil.example/", false, false),
        ] {
            let url = try HTTPURL(text)
            #expect(url.isSecure(orLoopback: false) == strict && url.isSecure(orLoopback: true) == tolerant, "\(text)")
        }
    }

    @Test("an origin has no path and no query, and a serialized origin is written as browsers write it")
    func origins() {
        for text in [
            "https://a.example", "https://a.example:8443", "http://a.example", "http://127.0.0.1:8080",
            "https://[::1]:8443",
        ] {
            #expect(HTTPURL(origin: text)?.origin == text)
            #expect(HTTPURL(serializedOrigin: text)?.origin == text)
        }
        for (text, origin) in [
            ("https://a.example/", "https://a.example"), ("HTTPS://A.Example:8443", "https://a.example:8443"),
            ("https://a.example:443", "https://a.example"), ("http://a.example:80/", "http://a.example"),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]"),
        ] {
            #expect(HTTPURL(origin: text)?.origin == origin)
            #expect(HTTPURL(serializedOrigin: text) == nil, "\(text)")
        }
        for text in [
            "https://a.example/b", "https://a.example//", "https://a.example?", "https://a.example/?b",
            "https://a.example#",
            "https://u@a.example", "a.example", "https://a.exampl\u{212A}", "null", "",
        ] {
            #expect(HTTPURL(origin: text) == nil && HTTPURL(serializedOrigin: text) == nil, "\(text)")
        }
    }

    @Test("a URL with appended fields or a replaced path is checked by the same parser")
    func building() throws {
        let url = try HTTPURL("https://a.example:8443/p")
        #expect(try url.appending(queryFields: "a=1").text == "https://a.example:8443/p?a=1")
        #expect(try url.appending(queryFields: "a=1").appending(queryFields: "b=2").query == "a=1&b=2")
        #expect(try url.appending(queryFields: "") == url)
        #expect(try HTTPURL("https://a.example?").appending(queryFields: "a=1").text == "https://a.example?a=1")
        #expect(try url.replacing(path: "/q", query: "x").text == "https://a.example:8443/q?x")
        #expect(throws: HTTPURLError.self) { try url.appending(queryFields: "a=1#x") }
        #expect(throws: HTTPURLError.self) { try url.appending(queryFields: "a=ü") }
        #expect(throws: HTTPURLError.self) { try url.replacing(path: "@evil.example/") }
        #expect(throws: HTTPURLError.self) { try url.replacing(path: "/a?b") }
        #expect(throws: HTTPURLError.self) { try url.replacing(path: "") }
    }

    @Test("fields are encoded, and the result is a URL that the parser accepts")
    func fields() throws {
        let url = try HTTPURL("https://a.example/p")
        #expect(try url.appending(fields: []) == url)
        #expect(try url.appending(fields: [("a b", "&=#\u{fc}"), ("c", "")]).query == "a%20b=%26%3D%23%C3%BC&c=")
        #expect(try HTTPURL("https://a.example?x").appending(fields: [("a", "1")]).query == "x&a=1")
        #expect(try HTTPURL("https://a.example?x&").appending(fields: [("a", "1")]).query == "x&a=1")
        #expect(try url.appending(encoded: Array("x=%20".utf8)).query == "x=%20")
        let everything = String(String.UnicodeScalarView((1...0x3FF).compactMap(Unicode.Scalar.init)))
        let query = try #require(HTTPURL(url.appending(fields: [("a", everything)]).text).query)
        #expect(FormEncoding.decode(Array(query.utf8))?.first.map { Array($0.value.utf8) } == Array(everything.utf8))
        #expect(throws: HTTPURLError.self) {
            try url.appending(fields: [("a", String(repeating: "&", count: 3000))])
        }
    }

    @Test("URLs are compared as bytes")
    func equality() throws {
        #expect(try HTTPURL("https://a.example/") != HTTPURL("https://a.example"))
        #expect(try Set([HTTPURL("https://a.example/"), HTTPURL("https://a.example/")]).count == 1)
    }
}

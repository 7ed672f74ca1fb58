import IdentityHTTP
import IdentityLoopback
import Testing

@Suite struct RedactionTests {
    private let canary = "c4n4ry"

    @Test("headers are iterated in their order, with repeated names")
    func iteration() throws {
        var headers = HTTPHeaders()
        for (name, value) in [("A", "1"), ("b", "ü"), ("A", "")] { try headers.append(name, value) }
        #expect(headers.map(\.name) == ["A", "b", "A"])
        #expect(headers.map(\.value) == ["1", "ü", ""])
    }

    @Test("the printed and dumped forms show no secrets")
    func redaction() throws {
        var headers = HTTPHeaders()
        try headers.set("Authorization", "Bearer \(canary)")
        let url = try HTTPURL("https://a.example/callback?code=\(canary)")
        let request = HTTPRequest(method: .post, url: url, headers: headers, body: Array(canary.utf8))
        let response = HTTPResponse(status: 200, headers: headers, body: Array(canary.utf8))
        var jar = CookieJar()
        var setCookie = HTTPHeaders()
        try setCookie.set("Set-Cookie", "dwsid=\(canary)")
        jar.absorb(HTTPResponse(status: 200, headers: setCookie), from: url)
        #expect(jar.count == 1)
        let received = LoopbackRequest(
            method: "POST",
            target: "/callback?code=\(canary)",
            headers: [("Cookie", canary)],
            body: Array(canary.utf8)
        )
        #expect("\(received)" == "POST /callback?… [\"Cookie\"] body: 6 bytes")
        let bytes = Array(canary.utf8).map(String.init).joined(separator: ", ")
        for value in [headers, url, request, response, jar, received] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(canary))
                #expect(!text.contains(bytes))
                // A dump of the buffer would list its bytes.
                #expect(!text.contains("- \(canary.utf8.first ?? 0)\n"))
            }
        }
        #expect("\(request)" == "POST https://a.example/callback?… [Authorization] body: 6 bytes")
    }

    @Test(
        "header names and values that break a message are refused",
        arguments: [
            ("", "v"), ("a b", "v"), ("a:", "v"), ("a\r\nb", "v"), ("ä", "v"), ("a\u{0}", "v"),
            ("a", "v\r\nx: y"), ("a", "v\n"), ("a", "\r"), ("a", "\u{0}"), ("a", "\u{1B}"),
        ]
    )
    func headerInjection(name: String, value: String) {
        var headers = HTTPHeaders()
        #expect { try headers.set(name, value) } throws: { ($0 as? HTTPTransportError)?.code == .invalidHeader }
        #expect { try headers.append(name, value) } throws: { ($0 as? HTTPTransportError)?.phase == .notSent }
        #expect(headers.count == 0)
    }

    @Test("header names are compared ignoring ASCII case only")
    func headerNames() throws {
        var headers = HTTPHeaders()
        try headers.append("Link", "1")
        try headers.append("lINK", "2")
        #expect(headers["LINK"] == "1")
        #expect(headers["lin\u{212A}"] == nil)
        #expect(headers.values(for: "link") == ["1", "2"])
        try headers.set("LINK", "3")
        #expect(headers.values(for: "link") == ["3"])
    }
}

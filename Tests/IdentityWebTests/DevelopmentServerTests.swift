import IdentityDevelopmentServer
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import IdentityWeb
import TestDoubles
import Testing

@Suite("The development server")
struct DevelopmentServerTests {
    private func send(_ method: HTTPMethod, _ url: String, _ body: [UInt8]? = nil) async throws -> HTTPResponse {
        var request = HTTPRequest(method: method, url: try HTTPURL(url), body: body)
        request.allowsLoopbackHTTP = true
        if body != nil { try request.headers.set("Content-Type", "application/x-www-form-urlencoded") }
        return try await CurlTransport().send(request)
    }

    @Test("requests and responses pass unchanged through both addresses of the server")
    func exchange() async throws {
        let server = try await DevelopmentServer.start(port: 0) { _ in
            { request in
                var response = WebResponse.html("\(request.method) \(request.target) \(request.formValue("a") ?? "")")
                try? response.headers.append("Set-Cookie", "one=1")
                try? response.headers.append("Set-Cookie", "two=2")
                response.status = request.clientAddress == "127.0.0.1" ? 200 : 500
                return response
            }
        }
        for origin in [server.origin, server.origin6].compactMap({ $0 }) {
            let answer = try await send(.post, origin + "/a%2Fb?c=%20d+e", Array("a=%C3%A4".utf8))
            #expect(answer.status == 200 && answer.text == "POST /a%2Fb?c=%20d+e ä")
            #expect(answer.headers.values(for: "Set-Cookie") == ["one=1", "two=2"])
        }
        await server.stop()
        // Another test's server may get the freed port, and does not give this response.
        let late = try? await send(.get, server.origin + "/late")
        #expect(late?.text.hasPrefix("GET /late") != true)
    }

    @Test("the development server meets the requirements for web adapters", arguments: WebAdapterConformance.cases)
    func conformance(_ testCase: WebAdapterConformance.Case) async throws {
        let server = try await DevelopmentServer.start(port: 0) { _ in WebAdapterConformance.handler }
        let port = try HTTPURL(server.origin).port
        try await testCase.run { try await WebAdapterConformance.exchange($0, port: port) }
        await server.stop()
    }

    @Test(
        "a request with another Host header is refused, as protection against DNS rebinding",
        arguments: ["https://lab.example", "https://Lab.example:443/"]
    )
    func rebinding(publicOrigin: String) async throws {
        let server = try await DevelopmentServer.start(port: 0, publicOrigin: publicOrigin) { origin in
            #expect(origin == "https://lab.example")
            return { _ in .html("reached") }
        }
        let port = try HTTPURL(server.origin).port
        for (host, isLocal) in [
            ("127.0.0.1:\(port)", true), ("localhost:\(port)", false), ("[::1]:\(port)", true),
            ("lab.example", true), ("Lab.example:443", true), ("lab.example:80", false), ("lab.example/", false),
            ("lab.example:\(port)", false), ("evil.example:\(port)", false),
            ("127.0.0.1.evil.example:\(port)", false), ("evil.example", false), ("127.0.0.1", true), ("[::1]", true),
            ("127.0.0.1.evil.example", false), ("127.0.0.1:\(port).evil.example", false),
        ] {
            let request = Array("GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
            let answer = String(decoding: try await WebAdapterConformance.exchange(request, port: port), as: UTF8.self)
            #expect(answer.hasPrefix(isLocal ? "HTTP/1.1 200" : "HTTP/1.1 421"), "\(host)")
        }
        await server.stop()
    }

    @Test("a port that is in use is an error with its number, and no server is left if the app cannot start")
    func failures() async throws {
        struct NoApp: Error {}
        let server = try await DevelopmentServer.start(port: 0) { _ in { _ in .html("") } }
        let port = try HTTPURL(server.origin).port
        let error = await #expect(throws: IdentityError.self) {
            try await DevelopmentServer.start(port: port) { _ in { _ in .html("") } }
        }
        #expect(error?.kind == .configuration && error?.message.contains("\(port)") == true)
        await server.stop()
        var failed = ""
        await #expect(throws: NoApp.self) {
            try await DevelopmentServer.start(port: 0) { origin in
                failed = origin
                throw NoApp()
            }
        }
        // A server without a handler responds with status 503. Another test's server may get the freed port.
        var left = try? await send(.get, failed).status
        for _ in 0..<5 where left == 503 {
            try await Task.sleep(for: .milliseconds(500))
            left = try? await send(.get, failed).status
        }
        #expect(left != 503)
    }

    @Test("a server that stops closes both ports at once, also while a request runs at one of them")
    func stopping() async throws {
        let stop = StoppingPoint()
        let server = try await DevelopmentServer.start(port: 0) { _ in
            { request in
                if request.path == "/long" { await stop.pass() }
                return .html("from the server that stops")
            }
        }
        // A machine without IPv6 has only one address.
        guard let origin6 = server.origin6 else { return await server.stop() }
        async let long = send(.get, server.origin + "/long").text
        await stop.arrived()
        let run = Task { await server.run() }
        run.cancel()
        // Another test's server may get the freed port, and does not give this response.
        while (try? await send(.get, origin6).text) == "from the server that stops" {}
        stop.release()
        #expect(try await long == "from the server that stops")
        await run.value
    }

    @Test("a buyer signs in at the development server with a real HTTP client")
    func signIn() async throws {
        let stage = try await WebStage(providers: ["op"])
        let server = try await DevelopmentServer.start(port: 0) { _ in
            { request in
                await stage.routes.handle(request) { context in
                    .html(try await context.requireSession().buyer.email?.value ?? "")
                }
            }
        }
        var jar = CookieJar()
        func get(_ target: String) async throws -> HTTPResponse {
            let url = try HTTPURL(server.origin + target)
            var request = HTTPRequest(method: .get, url: url)
            request.allowsLoopbackHTTP = true
            if let cookies = jar.header(for: url) { try request.headers.set("Cookie", cookies) }
            let answer = try await CurlTransport().send(request)
            jar.absorb(answer, from: url)
            return answer
        }
        let sent = try await get("/orders")
        let callback = try await stage.ada.callback(
            at: sent.location,
            redirectURI: "\(WebStage.origin)/auth/callback/op"
        )
        let back = try await get(String(callback.url.dropFirst(WebStage.origin.count)))
        #expect(back.status == 303 && back.location == "/orders")
        #expect(try await get("/orders").text == stage.ada.email)
        await server.stop()
    }
}

import IdentityHTTP
import IdentityKit
import IdentityPresentation
import Testing

@Suite("The loopback listener")
struct LoopbackPresenterTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    @Test("a free port enters the redirect URI, and the callback comes back as it was sent")
    func freePort() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser).present(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        #expect(await browser.redirectURI() == "http://127.0.0.1:\(port)/callback")
        let answer = try #require(await get(port, "/callback?code=a%2Bb&state=s"))
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("You can close this window"))
        #expect(answer.contains("Cache-Control: no-store"))
        #expect(answer.contains("Referrer-Policy: no-referrer"))
        #expect(answer.contains("default-src 'none'"))
        #expect(!answer.contains("a%2Bb"))
        #expect(try await callback == "http://127.0.0.1:\(port)/callback?code=a%2Bb&state=s")
        #expect(await get(port, "/callback?code=c&state=s") == nil)
    }

    @Test("a configured port is the one that is listened on, and a taken one is a matter of configuration")
    func fixedPort() async throws {
        let taken = try await LoopbackServer.start { _ in .message(status: 204) }
        let error = await #expect(throws: IdentityError.self) {
            try await LoopbackPresenter(browser: RecordingBrowser())
                .present(login(redirectURI: "\(taken.origin)/callback"))
        }
        #expect(error?.kind == .configuration)
        await taken.stop()

        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser)
            .present(login(redirectURI: "http://127.0.0.1:\(taken.port)/callback"))
        _ = await browser.opened.get()
        _ = await get(taken.port, "/callback?error=access_denied&state=s")
        #expect(try await callback == "http://127.0.0.1:\(taken.port)/callback?error=access_denied&state=s")
    }

    @Test("whatever is not the callback is answered and forgotten")
    func strangers() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser).present(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        let host = "Host: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        let strange = [
            ("404", "GET /favicon.ico HTTP/1.1\r\n\(host)\r\n"),
            ("404", "GET /callback/?code=x&state=y HTTP/1.1\r\n\(host)\r\n"),
            ("404", "GET /%63allback?code=x&state=y HTTP/1.1\r\n\(host)\r\n"),
            ("404", "GET /callback?code=x&state=y HTTP/1.1\r\nHost: shop.example\r\n\r\n"),
            ("404", "GET /callback?code=x&state=y HTTP/1.1\r\n\(host)Sec-Fetch-Dest: image\r\n\r\n"),
            ("405", "POST /callback?code=x&state=y HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n"),
            ("400", "GET /callback HTTP/1.1\r\n\(host)\r\n"),
            ("400", "GET /callback?code=x&state=y\u{1} HTTP/1.1\r\n\(host)\r\n"),
            ("400", "\u{16}\u{3}\u{1}\r\n\r\n"),
            ("431", "GET /callback HTTP/1.1\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n"),
        ]
        for (status, request) in strange {
            let answer = try #require(await exchange(port, request))
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(60)): \(answer.prefix(40))")
        }
        _ = await get(port, "/callback?code=real&state=s", "Sec-Fetch-Dest: document\r\n")
        #expect(try await callback == "http://127.0.0.1:\(port)/callback?code=real&state=s")
    }

    @Test("of several callbacks the first wins")
    func firstWins() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser).present(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        let answers = await withTaskGroup(of: (Int, String?).self) { group in
            for number in 0..<8 { group.addTask { (number, await get(port, "/callback?code=\(number)&state=s")) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 ?? "" }
        }
        let winners = answers.filter { $0.value.hasPrefix("HTTP/1.1 200 ") }.map(\.key)
        #expect(winners.count == 1)
        #expect(try await callback == "http://127.0.0.1:\(port)/callback?code=\(winners.first ?? -1)&state=s")
    }

    @Test("a cancelled login closes its port")
    func cancellation() async throws {
        let browser = RecordingBrowser()
        let task = Task { try await LoopbackPresenter(browser: browser).present(login(redirectURI: Self.redirectURI)) }
        let port = try await browser.port()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await get(port, "/callback?code=x&state=y") == nil)
    }

    @Test("a buyer who does not come back in time is waited for no longer, and the port is closed")
    func deadline() async throws {
        let browser = RecordingBrowser()
        let presenter = LoopbackPresenter(browser: browser, deadline: .milliseconds(20))
        let error = await #expect(throws: IdentityError.self) {
            try await presenter.present(login(redirectURI: Self.redirectURI))
        }
        #expect(error?.code == .attemptExpired)
        #expect(await get(try browser.port(), "/callback?code=x&state=y") == nil)
    }

    @Test(
        "only a literal loopback address is listened on",
        arguments: [
            nil, "https://127.0.0.1/callback", "http://localhost/callback", "http://192.0.2.1/callback",
            "http://127.0.0.2/c",
            "callback",
        ]
    )
    func otherPlaces(_ redirectURI: String?) async throws {
        let error = await #expect(throws: IdentityError.self) {
            try await LoopbackPresenter(browser: RecordingBrowser()).present(login(redirectURI: redirectURI))
        }
        #expect(error?.kind == .configuration)
    }
}

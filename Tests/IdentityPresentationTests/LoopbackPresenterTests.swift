import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityPresentation
import Testing

@Suite("The loopback listener")
struct LoopbackPresenterTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    @Test("the redirect URI contains the chosen free port, and the callback is returned unchanged")
    func freePort() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser)
            .present(login(redirectURI: "http://127.0.0.1/free-port"))
        let port = try await browser.port()
        #expect(await browser.redirectURI() == "http://127.0.0.1:\(port)/free-port")
        let answer = try #require(await get(port, "/free-port?code=a%2Bb&state=s"))
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("You can close this window"))
        #expect(answer.contains("Cache-Control: no-store"))
        #expect(answer.contains("Referrer-Policy: no-referrer"))
        #expect(answer.contains("default-src 'none'"))
        #expect(!answer.contains("a%2Bb"))
        #expect(try await callback == "http://127.0.0.1:\(port)/free-port?code=a%2Bb&state=s")
        #expect(await isDeaf(port, "/free-port"))
    }

    @Test("the first request to the logout address is the return, also without parameters")
    func logout() async throws {
        let browser = RecordingBrowser()
        async let back = LoopbackPresenter(browser: browser).presentLogout(returningTo: "http://127.0.0.1/out") {
            try HTTPURL("https://id.example/logout?post_logout_redirect_uri=\(FormEncoding.escape($0))")
        }
        let port = try await browser.port()
        #expect(await get(port, "/other")?.hasPrefix("HTTP/1.1 404 ") == true)
        #expect(await get(port, "/out")?.contains("You are signed out") == true)
        #expect(try await back == "http://127.0.0.1:\(port)/out?")
        let none = try await LoopbackPresenter(browser: browser)
            .presentLogout(returningTo: "http://127.0.0.1/out") { _ in nil }
        #expect(none == nil)
    }

    @Test("a configured port is used, and a taken port is a configuration error")
    func fixedPort() async throws {
        let taken = try await LoopbackServer.start { _ in .message(status: 204) }
        let error = await #expect(throws: IdentityError.self) {
            try await LoopbackPresenter(browser: RecordingBrowser())
                .present(login(redirectURI: "\(taken.origin)/callback"))
        }
        #expect(error?.kind == .configuration)
        await taken.stop()

        // Another test may get the freed port first. The test then tries another port.
        for attempt in 1...5 {
            let free = try await LoopbackServer.start { _ in .message(status: 204) }
            await free.stop()
            let (port, redirectURI) = (free.port, "\(free.origin)/callback")
            let presenter = LoopbackPresenter(browser: RecordingBrowser()) { _, _ in
                _ = await get(port, "/callback?error=access_denied&state=s")
            }
            do {
                let callback = try await presenter.present(login(redirectURI: redirectURI))
                #expect(callback == "\(redirectURI)?error=access_denied&state=s")
                return
            } catch let error as IdentityError where error.kind == .configuration && attempt < 5 {
                continue
            }
        }
    }

    @Test("requests that are not the callback get a response and are ignored")
    func otherRequests() async throws {
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

    @Test("with form_post, a small form and a redirect are accepted")
    func forms() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser)
            .presentCatchingForms(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        func post(_ body: String, _ type: String, _ more: String = "") async -> String? {
            let host = "Host: 127.0.0.1:\(port)\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
            let header = "\(host)Content-Type: \(type)\r\n\(more)\r\n"
            return await exchange(port, "POST /callback HTTP/1.1\r\n\(header)\(body)")
        }
        let form = "application/x-www-form-urlencoded"
        let good = "code=a%2Bb&state=s"
        let strange = [
            ("415", await post(good, "text/plain")), ("415", await post(good, "\(form)2")),
            ("415", await post(good, "\(form) text/plain")),
            ("413", await post(good + String(repeating: "a", count: 16_384), form)), ("400", await post("a=b", form)),
            ("404", await post(good, form, "Sec-Fetch-Dest: iframe\r\n")),
            (
                "405",
                await exchange(port, "PUT /callback HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: 0\r\n\r\n")
            ),
        ]
        for (status, answer) in strange { #expect(answer?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(status)") }
        let answer = await post(good, "Application/X-WWW-Form-Urlencoded;charset=UTF-8", "Sec-Fetch-Dest: document\r\n")
        #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
        let caught = try await callback
        #expect(caught.url == "http://127.0.0.1:\(port)/callback")
        #expect(caught.form == Array(good.utf8))

        let second = RecordingBrowser()
        async let redirected = LoopbackPresenter(browser: second)
            .presentCatchingForms(login(redirectURI: Self.redirectURI))
        let place = "/callback?error=login_required&state=s"
        let other = try await second.port()
        _ = await get(other, place)
        #expect(try await redirected.url == "http://127.0.0.1:\(other)\(place)")
        #expect(try await redirected.form == nil)
    }

    @Test("a callback with another login's state, none or two is ignored, and the listener keeps waiting")
    func foreignState() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser).present(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        let foreign = [
            "code=x&state=other", "code=x", "code=x&state=", "code=x&state=S", "code=x&state=s&state=s", "state=s%",
            "error=access_denied", "error=access_denied&state=other", "code=x&state=ss", "code=x&State=s",
            "code=x&state=" + String(repeating: "s", count: 20_000),
        ]
        for query in foreign {
            let answer = try #require(await get(port, "/callback?\(query)"))
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(query.prefix(40))")
            #expect(answer.contains("Content-Security-Policy"))
        }
        _ = await get(port, "/callback?code=real&state=s")
        #expect(try await callback == "http://127.0.0.1:\(port)/callback?code=real&state=s")
    }

    @Test("a posted form with another login's state is ignored, too")
    func foreignForm() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser)
            .presentCatchingForms(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        func post(_ body: String, query: String = "") async -> String? {
            let host = "Host: 127.0.0.1:\(port)\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
            let header = "\(host)Content-Type: application/x-www-form-urlencoded\r\n\r\n"
            return await exchange(port, "POST /callback\(query) HTTP/1.1\r\n\(header)\(body)")
        }
        #expect(await post("code=x&state=other")?.hasPrefix("HTTP/1.1 400 ") == true)
        #expect(await post("code=x", query: "?state=s")?.hasPrefix("HTTP/1.1 400 ") == true)
        #expect(await post("code=real&state=s")?.hasPrefix("HTTP/1.1 200 ") == true)
        #expect(try await callback.form == Array("code=real&state=s".utf8))
    }

    @Test("a process that keeps connections open cannot keep the buyer's browser out", .timeLimit(.minutes(10)))
    func exhaustion() async throws {
        let browser = RecordingBrowser()
        async let callback = LoopbackPresenter(browser: browser).present(login(redirectURI: Self.redirectURI))
        let port = try await browser.port()
        // Silent connections, and connections that stop in the middle of a request.
        let open = (0..<300).map { IdleConnection(port: port, sending: $0 % 2 == 0 ? "" : "GET /callback?code=") }
        // Connections are accepted in order, so after this response the listener has accepted all of them.
        #expect(await get(port, "/callback?code=x&state=other")?.hasPrefix("HTTP/1.1 400 ") == true)
        let held = open.filter(\.isOpen).count
        #expect(held <= 128, "the listener holds \(held) connections")
        _ = await get(port, "/callback?code=real&state=s")
        #expect(try await callback == "http://127.0.0.1:\(port)/callback?code=real&state=s")
    }

    @Test("the first of several callbacks is used")
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
        let redirectURI = "http://127.0.0.1/cancelled"
        let task = Task { try await LoopbackPresenter(browser: browser).present(login(redirectURI: redirectURI)) }
        let port = try await browser.port()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await isDeaf(port, "/cancelled"))
    }

    @Test("the login ends and the port is closed when the buyer does not come back before the deadline")
    func deadline() async throws {
        let browser = RecordingBrowser()
        let presenter = LoopbackPresenter(browser: browser, deadline: .milliseconds(20))
        let error = await #expect(throws: IdentityError.self) {
            try await presenter.present(login(redirectURI: "http://127.0.0.1/late"))
        }
        #expect(error?.code == .attemptExpired)
        #expect(await isDeaf(try browser.port(), "/late"))
    }

    @Test(
        "the listener accepts literal loopback addresses only",
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

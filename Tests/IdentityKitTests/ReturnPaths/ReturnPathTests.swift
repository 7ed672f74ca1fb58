import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Return paths")
struct ReturnPathTests {
    @Test(
        "open-redirect payloads of every known class are refused or replaced by the default page",
        arguments: Payloads.all
    )
    func payloads(text: String) throws {
        let strict = try ReturnPathPolicy(origins: ["https://shop.example"])
        let error = #expect(throws: IdentityError.self) { _ = try strict.location(for: text) }
        #expect(error?.code == .returnPathRefused)
        #expect(error?.kind == .rejected)
        // An error message may contain a text of up to four characters by chance.
        if let error, text.utf8.count > 4 { #expect(!"\(error)".contains(text)) }
        let kind = try ReturnPathPolicy(origins: ["https://shop.example"], otherwise: "/start")
        #expect(try kind.location(for: text) == "/start")
    }

    @Test("accepted return paths stay in the app, also without a path prefix and after up to two more decodings")
    func home() throws {
        let policy = try ReturnPathPolicy(origins: ["https://shop.example"])
        let random = SeededRandom(seed: 11)
        let pieces = [
            "/", "/", "\\", "%2f", "%5C", ".", "..", "%2e", "%2E%2e", "%25", "%252f", "%09", "%0d%0a", "\t", "\r\n",
            "\0", "@", ":",
            "?", "#", "evil.example", "https:", "javascript:", "a", ";", "%c0%af", "%ef%bc%8f", "／", "。", "%e3%80%82",
            "shop.example",
            "https://shop.example", "[::1]", " ", "%20",
        ]
        var passed = 0
        for _ in 0..<20_000 {
            let bytes = try random.bytes(7)
            let count = 1 + Int(bytes[0]) % 6
            let tail = bytes.dropFirst().prefix(count).map { pieces[Int($0) % pieces.count] }.joined()
            let text = bytes[0] < 200 ? "/" + tail : tail
            guard let location = try? policy.location(for: text) else { continue }
            passed += 1
            // The policy accepts its own result, and does not change it.
            #expect(try policy.location(for: location) == location)
            // A proxy may remove the path prefix under which the app is mounted.
            let path = location.prefix { $0 != "?" && $0 != "#" }
            if path.hasPrefix("/") { #expect(Browser.isAtHome(String(path.dropFirst().drop { $0 != "/" }))) }
            var decoded = location
            for _ in 0..<3 {
                #expect(Browser.isAtHome(decoded), "\(text.debugDescription) became \(decoded.debugDescription)")
                decoded = Browser.decode(decoded)
            }
        }
        #expect(passed > 1000)
    }

    @Test(
        "legitimate return paths are accepted in normalized form",
        arguments: [
            ("/", "/"), ("/account?tab=1#orders", "/account?tab=1#orders"), ("/a/./b/../c", "/a/c"), ("/a/..", "/"),
            ("/a/b/.", "/a/b/"), ("/%7euser/%c3%a9%2C", "/~user/%C3%A9%2C"),
            ("/a?next=%2F%2Fb&x=%5C", "/a?next=%2F%2Fb&x=%5C"),
            ("/a:b@c;d", "/a:b@c;d"), ("/a%20b/", "/a%20b/"), ("/%2e/a", "/a"), ("/a?", "/a?"),
        ]
    )
    func form(text: String, expected: String) throws {
        #expect(try ReturnPathPolicy.pathsOnly.location(for: text) == expected)
    }

    @Test("a return URL is accepted only if its origin is listed, with scheme, host and port")
    func origins() throws {
        let policy = try ReturnPathPolicy(origins: [
            "https://shop.example", "https://b.example:8443", "http://127.0.0.1:80",
        ])
        for (text, expected) in [
            ("https://shop.example", "https://shop.example/"),
            ("HTTPS://Shop.Example:443/a/../b?c#d", "https://shop.example/b?c#d"),
            ("https://b.example:8443/%2e", "https://b.example:8443/"), ("http://127.0.0.1/", "http://127.0.0.1/"),
            ("/a", "/a"), ("https://shop.example:0443/", "https://shop.example/"),
        ] {
            #expect(try policy.location(for: text) == expected)
            if text != "/a" {
                #expect(throws: IdentityError.self) { _ = try ReturnPathPolicy.pathsOnly.location(for: text) }
            }
        }
        for text in [
            "http://shop.example/", "https://shop.example:8443/", "https://b.example/", "https://a.shop.example/",
            "https://shop.example.evil.example/", "https://shop.example./", "https://shop.example@evil.example/",
            "https://evil.example#@shop.example/", "https://shop.example//evil.example", "https://shop.example/%2f",
            "http://127.1/",
            "https://xn--shop.example/", "https://SHOP.EXAMPLE\u{2024}evil/", "https://\u{17F}hop.example/",
        ] {
            #expect(throws: IdentityError.self, "\(text)") { _ = try policy.location(for: text) }
        }
    }

    @Test(
        "a return path policy with invalid origins or a refused default page is a configuration error",
        arguments: [
            (["http://shop.example"], nil), (["https://shop.example/a"], nil), (["https://*.example"], nil),
            (["shop.example"], nil),
            (["https://shop.example?"], nil), ([], "//evil.example"), ([], "https://shop.example/"), ([], ""),
        ] as [([String], String?)]
    )
    func wrongPolicy(origins: [String], page: String?) {
        #expect { _ = try ReturnPathPolicy(origins: origins, otherwise: page) } throws: {
            ($0 as? IdentityError)?.code == .configurationInvalid
        }
    }

    @Test("a return path is checked when the login begins, and again by the process that completes it")
    func login() async throws {
        let clock = ManualClock()
        let store = InMemoryStore()
        let strict = StrictProvider(clock: clock)
        func manager(_ policy: ReturnPathPolicy) throws -> SessionManager {
            var configuration = SessionManager.Configuration()
            configuration.returnPaths = policy
            let environment = IdentityEnvironment(transport: NoNetwork(), clock: clock)
            return SessionManager(
                providers: try ProviderRegistry([strict]),
                store: store,
                environment: environment,
                configuration: configuration
            )
        }
        let wide = try manager(ReturnPathPolicy(origins: ["https://shop.example"]))
        let narrow = try manager(.pathsOnly)
        let kind = try manager(ReturnPathPolicy(otherwise: "/start"))
        func complete(_ text: String, _ first: SessionManager, _ second: SessionManager) async throws -> String? {
            var options = LoginOptions()
            options.returnPath = text
            let started = try await first.begin("strict", options: options)
            let callback = try LoginCallback(form: Array("code=c&\(started.url.query ?? "")".utf8))
            return try await second.complete(callback, browserBinding: started.browserBinding).returnPath
        }
        #expect(try await complete("/a/../b?c#d", wide, wide) == "/b?c#d")
        #expect(try await complete("https://shop.example", wide, wide) == "https://shop.example/")
        #expect(try await complete("//evil.example", kind, kind) == "/start")
        #expect(try await complete("https://shop.example", wide, kind) == "/start")
        let longest = "/" + String(repeating: "a", count: 2047)
        #expect(try await complete(longest, narrow, narrow) == longest)
        for (text, first, second) in [("https://shop.example", wide, narrow), ("//evil.example", wide, wide)] {
            let error = await #expect(throws: IdentityError.self) { _ = try await complete(text, first, second) }
            #expect(error?.code == .returnPathRefused)
        }
        #expect(try await wide.sessions().count == 5)
    }
}

import Foundation
import Glibc
import IdentityHTTP
import IdentityKit
import Testing

// The packages in Examples/ compile these files as part of their own test module, so there they need no import.
#if canImport(TestDirectories)
import TestDirectories
import TestProcesses
#endif

/// A headless Chromium that is driven by WebDriver (W3C).
final class Browser: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let program = "/usr/bin/chromium"
    private static let driver = "/usr/bin/chromedriver"

    /// Whether Chromium and its driver are installed.
    static var isInstalled: Bool {
        unsafe access(program, X_OK) == 0 && access(driver, X_OK) == 0
    }
    static let howToInstall: Comment = "apt-get install chromium chromium-driver (the tests with a real browser)"

    private let process: Spawned
    private let folder: TemporaryDirectory
    private let origin: String
    private let session: String
    private let transport: CurlTransport

    /// Starts a browser with an empty profile, runs the body, and ends the browser; keeps a picture of the page if the body throws.
    ///
    /// The browser blocks the cookies of the origin `blocked`.
    static func run(
        blockingCookiesOf blocked: String? = nil,
        arguments: [String] = [],
        _ body: (Browser) async throws -> Void
    ) async throws {
        let browser = try await Browser(blocked, arguments)
        do {
            try await body(browser)
        } catch {
            await browser.keepScreenshot("failure")
            await browser.end()
            throw error
        }
        await browser.end()
    }

    private init(_ blocked: String?, _ arguments: [String]) async throws {
        folder = try TemporaryDirectory("chromium")
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = folder.path
        environment["HOME"] = folder.path
        let port: Int
        (process, port) = try Self.startDriver(environment)
        transport = try CurlTransport()
        origin = "http://127.0.0.1:\(port)"
        var preferences: JSONObject = ["credentials_enable_service": .bool(false)]
        if let blocked {
            preferences["profile"] = .object([
                "content_settings": .object([
                    "exceptions": .object(["cookies": .object(["\(blocked),*": .object(["setting": .integer(2)])])])
                ])
            ])
        }
        let flags =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                "--disable-sync", "--window-size=1280,1000", "--hide-scrollbars",
            ] + arguments
        let options: JSONObject = [
            "binary": .string(Self.program), "args": .array(flags.map { .string($0) }), "prefs": .object(preferences),
        ]
        let capabilities: JSONObject = [
            "browserName": .string("chrome"), "acceptInsecureCerts": .bool(true),
            "goog:chromeOptions": .object(options),
            "goog:loggingPrefs": .object(["browser": .string("ALL")]),
        ]
        let body: JSONObject = ["capabilities": .object(["alwaysMatch": .object(capabilities)])]
        do {
            let made = try await Self.send(.post, origin + "/session", body, transport)
            session = made["sessionId"]?.string ?? ""
        } catch {
            Self.end(process, SIGKILL)
            throw error
        }
    }

    /// Repeats the start, because the driver takes a free port of IPv6 and needs the same port of IPv4, which another test may have.
    private static func startDriver(_ environment: [String: String]) throws -> (process: Spawned, port: Int) {
        var attempts = 5
        while true {
            let process = try Spawned.start(driver, ["--port=0"], environment)
            do { return (process, try port(process.output)) } catch {
                end(process, SIGKILL)
                attempts -= 1
                if attempts == 0 { throw error }
            }
        }
    }

    private func end() async {
        _ = try? await Self.send(.delete, "\(origin)/session/\(session)", nil, transport)
        Self.end(process, SIGTERM)
        // Processes of the browser may still write into the folder, so that a removal fails.
        for _ in 0..<100 {
            folder.remove()
            guard FileManager.default.fileExists(atPath: folder.path) else { return }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func end(_ process: Spawned, _ signal: Int32) {
        kill(process.identifier, signal)
        _ = process.wait()
        for descriptor in [process.input, process.output, process.errors] { close(descriptor) }
    }

    /// Reads the port from the line with which the driver reports that it is ready.
    private static func port(_ output: Int32) throws -> Int {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = unsafe read(output, &buffer, buffer.count)
            guard count > 0 else { throw Failure(description: "chromedriver did not start: \(text)") }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            guard let found = text.range(of: "successfully on port ") else { continue }
            let digits = text[found.upperBound...].prefix { $0.isNumber }
            if let port = Int(digits), text[digits.endIndex...].first != nil { return port }
        }
    }

    // MARK: Commands

    @discardableResult
    private static func send(
        _ method: HTTPMethod,
        _ url: String,
        _ body: JSONObject?,
        _ transport: CurlTransport
    ) async throws -> JSONValue {
        let limits = HTTPLimits(
            firstByteTimeout: .seconds(120),
            totalTimeout: .seconds(120),
            maximumBodyBytes: 32 << 20
        )
        var request = HTTPRequest(method: method, url: try HTTPURL(url), limits: limits, allowsLoopbackHTTP: true)
        if let body {
            try request.headers.set("Content-Type", "application/json")
            request.body = JSONValue.object(body).serialized
        }
        let response = try await transport.send(request)
        let value = try JSONValue(parsing: response.body)["value"] ?? .null
        guard response.status == 200 else {
            throw Failure(description: "\(url.split(separator: "/").last ?? ""): \(value["message"]?.string ?? "")")
        }
        return value
    }

    @discardableResult
    private func command(_ method: HTTPMethod, _ path: String, _ body: JSONObject? = nil) async throws -> JSONValue {
        try await Self.send(
            method,
            "\(origin)/session/\(session)/\(path)",
            method == .post ? body ?? [:] : nil,
            transport
        )
    }

    func go(_ url: String) async throws { try await command(.post, "url", ["url": .string(url)]) }
    func back() async throws { try await command(.post, "back") }
    func forward() async throws { try await command(.post, "forward") }

    var url: String { get async throws { try await command(.get, "url").string ?? "" } }

    /// The visible text of the page.
    var text: String {
        get async throws { try await script("return document.body ? document.body.innerText : ''").string ?? "" }
    }

    @discardableResult
    func script(_ script: String) async throws -> JSONValue {
        try await command(.post, "execute/sync", ["script": .string(script), "args": .array([])])
    }

    private func element(_ selector: String) async throws -> String {
        // The page may not have loaded yet.
        for attempt in 0... {
            do {
                let query: JSONObject = ["using": .string("css selector"), "value": .string(selector)]
                let found = try await command(.post, "element", query)
                return found.object?.members.first?.value.string ?? ""
            } catch {
                guard attempt < 600 else {
                    throw Failure(description: "No \(selector) at \(try await url): \(try await text.prefix(300))")
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return ""
    }

    /// Clicks like a buyer, and waits until the page that the click opens has loaded.
    func click(_ selector: String) async throws {
        try await withElement(selector) { try await command(.post, "element/\($0)/click") }
    }

    func type(_ text: String, into selector: String) async throws {
        try await withElement(selector) { element in
            try await command(.post, "element/\(element)/clear")
            try await command(.post, "element/\(element)/value", ["text": .string(text)])
        }
    }

    /// Uses an element; looks for it again if the page has changed in between.
    private func withElement(_ selector: String, _ use: (String) async throws -> Void) async throws {
        for _ in 0..<20 {
            do {
                return try await use(try await element(selector))
            } catch let failure as Failure where failure.description.contains("stale element") {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await use(try await element(selector))
    }

    func attribute(_ name: String, of selector: String) async throws -> String {
        try await command(.get, "element/\(try await element(selector))/attribute/\(name)").string ?? ""
    }

    /// Presses keys on the element that has the focus; `\u{E004}` is Tab and `\u{E007}` Enter.
    func press(_ keys: String) async throws {
        let actions = keys.flatMap { key -> [JSONValue] in
            ["keyDown", "keyUp"].map { .object(["type": .string($0), "value": .string(String(key))]) }
        }
        let source: JSONObject = [
            "type": .string("key"), "id": .string("keyboard"), "actions": .array(actions),
        ]
        try await command(.post, "actions", ["actions": .array([.object(source)])])
    }

    func wait(for text: String) async throws {
        for _ in 0..<600 {
            if try await self.text.contains(text) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Failure(
            description: "Not found: \(text). The page \(try await url) says: \(try await self.text.prefix(400))"
        )
    }

    // MARK: Tabs, sizes, cookies

    var tab: String { get async throws { try await command(.get, "window").string ?? "" } }

    func openTab() async throws -> String {
        try await command(.post, "window/new", ["type": .string("tab")])["handle"]?.string ?? ""
    }

    func use(tab: String) async throws { try await command(.post, "window", ["handle": .string(tab)]) }

    func resize(width: Int, height: Int = 900) async throws {
        try await command(
            .post,
            "goog/cdp/execute",
            [
                "cmd": .string("Emulation.setDeviceMetricsOverride"),
                "params": .object([
                    "width": .integer(width), "height": .integer(height), "deviceScaleFactor": .integer(1),
                    "mobile": .bool(false),
                ]),
            ]
        )
    }

    var cookies: [JSONValue] { get async throws { try await command(.get, "cookie").array ?? [] } }

    /// Messages of the browser about the pages, above all violations of their Content-Security-Policy.
    var complaints: [String] {
        get async throws {
            try await command(.post, "se/log", ["type": .string("browser")]).array?
                .compactMap { $0["message"]?.string } ?? []
        }
    }

    /// Stores a picture of the page in the folder that IDENTITYKIT_SCREENSHOTS names; without it does nothing.
    func keepScreenshot(_ name: String) async {
        guard let folder = ProcessInfo.processInfo.environment["IDENTITYKIT_SCREENSHOTS"],
            let text = try? await command(.get, "screenshot").string, let data = Data(base64Encoded: text)
        else { return }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? data.write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
    }
}

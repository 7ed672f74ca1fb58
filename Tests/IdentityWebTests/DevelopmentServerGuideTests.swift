import Foundation
import IdentityDevelopmentServer
import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentitySetup
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Testing

/// The code samples of the guides.
///
/// The tests below compare the pages with this code.
private enum Guide {
    /// The program of the README and of the guide, at a free port and without its last line.
    // swift-format-ignore
    static func program() async throws -> (ShopSandbox, DevelopmentServer) {
let sandbox = try await ShopSandbox.start()
let server = try await DevelopmentServer.start(port: 0) { origin in
    let file = sandbox.labConfiguration(app: origin)
    let configuration = try IdentityConfiguration(json: file.json.serialized, environmentVariables: file.environment)
    let setup = try await IdentitySetup.open(configuration) { _ in InMemoryStore() }
    let routes = try SignInRoutes(
        sessions: setup.sessions, carts: setup.carts, configuration: .init(publicOrigin: origin))
    return { request in
        await routes.handle(request) { context in
            let session = try await context.requireSession()            // or the browser signs in, and comes back
            return .html("<p>You are signed in with \(session.provider).</p>")
        }
    }
}
print("Open \(server.origin)")                                          // any e-mail address works; the page shows the one-time code
        return (sandbox, server)
    }

    // swift-format-ignore
    static func file() async throws {
let setup = try await IdentitySetup.open(IdentityConfiguration(contentsOf: "identity.json")) { section in
    try await SQLiteStore.open(SQLiteStore.Configuration(section))
}
        _ = setup
    }

    // swift-format-ignore
    static func tunnel(_ setup: IdentitySetup) async throws {
let server = try await DevelopmentServer.start(port: 8080, publicOrigin: "https://shop-test.example") { origin in
    let routes = try SignInRoutes(sessions: setup.sessions, configuration: .init(publicOrigin: origin))
    return { await routes.handle($0) { _ in .html("<h1>Shop</h1>") } }
}
        _ = server
    }

    // swift-format-ignore
    @Sendable static func signOut(_ context: WebContext) async throws -> WebResponse {
let session = try await context.requireSession()
let token = context.csrfToken?.reveal() ?? ""
return .html("""
    <p>You are signed in with \(session.provider).</p>
    <form method="post" action="/auth/logout"><input type="hidden" name="csrf_token" value="\(token)"><button>Sign out</button></form>
    """)
    }

    private struct MyTransport: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse { HTTPResponse(status: 500) }
    }

    // swift-format-ignore
    static func transport(_ configuration: IdentityConfiguration) async throws {
let environment = IdentityEnvironment(transport: MyTransport())
let setup = try await IdentitySetup.open(configuration, environment: environment) { section in
    try await SQLiteStore.open(SQLiteStore.Configuration(section))
}
        _ = setup
    }

    /// A test as an app would write it. It is compiled here, but does not run.
    // swift-format-ignore
    private struct Transports {
// @Test(arguments: TransportConformance.cases)
func conformance(_ promise: TransportConformance.Case) async throws {
    try await promise.run { MyTransport() }
}
    }
}

@Suite("The guides of the development server and of transports")
struct DevelopmentServerGuideTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift samples of a page, and whether a test compiles them.
    private static func samples(_ page: String) -> [(code: String, isCompiled: Bool)] {
        let parts = page.components(separatedBy: "```swift\n")
        return zip(parts, parts.dropFirst()).map { before, sample in
            (sample.components(separatedBy: "\n```")[0], !before.hasSuffix("Not compiled by a test:\n\n"))
        }
    }

    @Test("the README's server signs a buyer in, and its sign-out button signs out")
    func program() async throws {
        let (sandbox, server) = try await Guide.program()
        var jar = CookieJar()
        func get(_ target: String) async throws -> HTTPResponse {
            let url = try HTTPURL(server.origin + target)
            var request = HTTPRequest(method: .get, url: url, allowsLoopbackHTTP: true)
            if let cookies = jar.header(for: url) { try request.headers.set("Cookie", cookies) }
            let answer = try await CurlTransport().send(request)
            jar.absorb(answer, from: url)
            return answer
        }
        let choice = try await get("/").location
        let page = try await get(choice).text
        let link = try #require(page.split(separator: "href=\"/auth/login/bolt?").last?.split(separator: "\"").first)
        let sent = try await get("/auth/login/bolt?\(link)")
        let callback = try await SandboxBuyer().callback(
            at: sent.location,
            redirectURI: "\(server.origin)/auth/callback/bolt"
        )
        #expect(try await get(String(callback.url.dropFirst(server.origin.count))).location == "/")
        #expect(try await get("/").text == "<p>You are signed in with bolt.</p>")
        await server.stop()
        await sandbox.stop()

        let stage = try await WebStage()
        let browser = TestBrowser(stage.routes, app: Guide.signOut)
        try await stage.signIn(browser)
        let form = try await browser.get("/").text
        let token = try #require(form.split(separator: "value=\"").last?.split(separator: "\"").first)
        #expect(try await browser.post("/auth/logout", [("csrf_token", String(token))], headers: [:]).status == 303)
        #expect(stage.sessionID(browser) == nil)
    }

    @Test("every Swift sample of the pages is code that compiles, except the marked ones")
    func code() throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        for (path, count) in [("Using/DevelopmentServer", 5), ("Extending/TransportOfYourOwn", 3)] {
            let samples = Self.samples(try Self.text("Documentation/\(path).md"))
            #expect(samples.count == count)
            for sample in samples where sample.isCompiled {
                #expect(source.contains(Self.compiled(sample.code)), "\(sample.code)")
            }
        }
        let readme = Self.samples(try Self.text("README.md")).map(\.code)
        let guide = Self.samples(try Self.text("Documentation/Using/DevelopmentServer.md")).map(\.code)
        #expect(readme.contains(guide[1]))
    }

    /// The text of a sample in the form in which `Guide` contains it.
    private static func compiled(_ sample: String) -> String {
        sample.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0.hasPrefix("import ") || $0.isEmpty }
            .filter { $0 != "await server.run()" }
            .map { $0.hasPrefix("@Test(") ? "// \($0)" : String($0) }
            .joined(separator: "\n")
            .replacing("start(port: 8080) {", with: "start(port: 0) {")
    }
}

import IdentityDevelopmentServer
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentitySetup
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Testing

/// Starts the guide's server at a free port.
private struct FreePort {
    struct Started {
        let server: DevelopmentServer
        var origin: String { server.origin }

        func run() async {}
    }

    func start(
        port: UInt16,
        _ makeHandler: (String) async throws -> DevelopmentServer.Handler
    ) async throws -> Started {
        Started(server: try await DevelopmentServer.start(port: 0, makeHandler))
    }
}

/// The code samples of the README and of the guide that the tests run.
private enum Guide {
    /// The program. Here `DevelopmentServer` is a value of the test, and `run()` returns at once.
    // swift-format-ignore
    static func program() async throws -> (ShopSandbox, DevelopmentServer) {
        let DevelopmentServer = FreePort()
let sandbox = try await ShopSandbox.start()
let server = try await DevelopmentServer.start(port: 8080) { origin in
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
await server.run()
        return (sandbox, server.server)
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
}

@Suite("The guide of the development server")
struct DevelopmentServerGuideTests {
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
}

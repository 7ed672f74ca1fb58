import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct SandboxTests {
    @Test("sandboxes in one process are independent, and a stopped one does not respond")
    func separate() async throws {
        let (one, two) = (try await ShopSandbox.start(), try await ShopSandbox.start())
        let tokens = try await ShopifyLogin(one).tokens()
        #expect(try await ShopifyLogin(two).refresh(tokens["refresh_token"]?.string).status == 400)
        #expect(one.shopify.counters.exchanges == 1)
        #expect(two.shopify.counters.exchanges == 0)
        await one.stop()
        await #expect(throws: HTTPTransportError.self) {
            _ = try await TestClient.shared.send(.get, one.shopify.endpoints.discovery)
        }
        await two.stop()
    }

    @Test("a first port that leaves no room for six consecutive ports is refused")
    func lastPorts() async throws {
        let error = await #expect(throws: IdentityError.self) { _ = try await ShopSandbox.start(port: 65531) }
        #expect(error?.kind == .configuration)
    }

    @Test("a revocation or a logout for an unknown address creates no buyer")
    func unknownBuyer() async throws {
        let sandbox = try await ShopSandbox.start()
        sandbox.openID.revokeTokens(ofBuyer: "nobody@example.com")
        await sandbox.openID.endSessions(ofBuyer: "nobody@example.com")
        sandbox.bolt.endSessions(ofBuyer: "nobody@example.com")
        #expect(sandbox.openID.sessionIDs(ofBuyer: "nobody@example.com").isEmpty)
        #expect(sandbox.openID.directory.existingBuyer(email: "nobody@example.com") == nil)
        await sandbox.stop()
    }

    @Test("the printed configuration file is valid and contains every provider")
    func configuration() async throws {
        let sandbox = try await ShopSandbox.start()
        let lab = sandbox.labConfiguration()
        let read = try IdentityConfiguration(json: Array(lab.text.utf8), environmentVariables: lab.environment)
        #expect(
            read.providers.map(\.name) == [
                "shopify", "shopify-public", "shopify-web", "bolt", "bolt-pkce", "bolt-sfcc", "any",
            ]
        )
        #expect(lab.environment["IDENTITY_STORE_KEY"]?.utf8.count == 64)
        for value in lab.environment.values { #expect(!lab.text.contains(value)) }
        await sandbox.stop()
    }

    @Test("text that a buyer typed is escaped on every page")
    func escaping() async throws {
        let sandbox = try await ShopSandbox.start()
        let login = ShopifyLogin(sandbox)
        let hostile = "\"><script>alert(1)</script>@x'&"
        let url = FormText.append(
            [("login_hint", hostile), ("locale", hostile)],
            to: login.authorizationURL
        )
        let started = try await TestClient.shared.send(.get, url)
        let page = try await TestClient.shared.send(
            .get,
            sandbox.shopify.platformOrigin + (started.headers["location"] ?? ""),
            headers: ["Cookie": started.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""]
        )
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(page.status == 200)
        #expect(!text.contains("<script>"))
        #expect(text.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@x&#39;&amp;"))
        await sandbox.stop()
    }

    @Test("a login page works only in the browser that began the login")
    func binding() async throws {
        let sandbox = try await ShopSandbox.start()
        let started = try await TestClient.shared.send(.get, ShopifyLogin(sandbox).authorizationURL)
        let page = try await TestClient.shared.send(
            .get,
            sandbox.shopify.platformOrigin + (started.headers["location"] ?? "")
        )
        #expect(page.status == 403)
        await sandbox.stop()
    }

    @Test("an authorization code with a lifetime of zero is refused")
    func clock() async throws {
        var configuration = SandboxConfiguration()
        configuration.accessTokenLifetime = .seconds(60)
        configuration.authorizationCodeLifetime = .zero
        let sandbox = try await ShopSandbox.start(configuration)
        let login = ShopifyLogin(sandbox)
        #expect(try await login.exchange(try await login.code()).json["error"]?.string == "invalid_grant")
        await sandbox.stop()
    }
}

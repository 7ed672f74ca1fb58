import Foundation
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import IdentityWeb
import StorefrontSandbox
import TestDirectories
import Testing

@testable import identity_lab

@Suite("identity-lab serve", .timeLimit(.minutes(10)))
struct ServeTests {
    private func with(
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        _ body: (PageBrowser, JSONValue) async throws -> Void
    ) async throws {
        let process = try LabProcess(["serve", "--port", "0", "--json"] + arguments, environment: environment)
        let event = try #require(try await process.nextEvent())
        #expect(event["event"]?.string == "serve")
        let local = arguments.isEmpty ? try #require(event["url"]?.string) : try #require(event["local_url"]?.string)
        try await body(try await PageBrowser(local), event)
        process.signal(SIGINT)
        #expect(await process.ended().status == 0)
    }

    @Test("the two columns of the page have separate sign-ins, and each button does what it says")
    func columns() async throws {
        try await with { browser, _ in
            let routed = try await browser.signIn("left", "shopify", "routes")
            #expect(routed.status == 303 && routed.headers["Location"] == "/")
            #expect(try await browser.signIn("right", "bolt", "delegate").status == 303)
            let results = [
                ("left", "token", "The access token is valid (stored)."),
                ("left", "refresh", "The provider has issued new tokens."),
                ("left", "profile", "ada@example.com"), ("left", "cart", "The cart has 1 item."),
                ("left", "cart", "The cart has 2 items."), ("left", "checkout", "signed-in customer"),
                ("right", "cart", "The cart has 1 item."),
                ("right", "checkout", "contact, guest checkout"), ("left", "logout", "Signed out."),
            ]
            for (side, action, text) in results {
                try await browser.press("/columns/\(side)/\(action)")
                let column = try await browser.column(side)
                #expect(column.contains(text), "\(side) \(action)")
            }
            let page = try await browser.page()
            #expect(page.contains("Sign out at the provider, too") && page.contains("POST /v1/oauth/token"))
            #expect(page.contains("Claims of the verified ID token") && page.contains("•••"))
            // The prefixes of the sandbox's tokens, secrets and keys.
            for secret in ["eyJ", "shpss", "shpat_", "sandbox-api-key", "Basic c", "Bearer e"] {
                #expect(!page.contains(secret), "\(secret)")
            }
        }
    }

    @Test("the return from a logout page reaches the column that signed out, also if both columns wait for one")
    func twoLogouts() async throws {
        try await with { browser, _ in
            for sides in [["left", "right"], ["right", "left"]] {
                var states: [String] = []
                for side in sides {
                    _ = try await browser.signIn(side, "any", "routes")
                    try await browser.press("/columns/\(side)/logout")
                    let page = try await browser.send(.get, "/columns/\(side)/open").headers["Location"]
                    states.append(try #require(page.flatMap { LabStage.parameter("state", in: $0) }))
                }
                for state in states {
                    let back = try await browser.send(.get, "/auth/logout/done?state=\(state)")
                    #expect(back.status == 303 && back.headers["Location"] == "/auth/logout/done")
                }
            }
        }
    }

    @Test("a browser that drops the response to the first press of Sign out returns with the cookie of the second")
    func twoPresses() async throws {
        try await with { browser, _ in
            _ = try await browser.signIn("left", "any", "routes")
            _ = try await browser.send(.post, "/columns/left/logout", [("token", browser.token)], keepingCookies: false)
            try await browser.press("/columns/left/logout")
            let page = try #require(try await browser.send(.get, "/columns/left/open").headers["Location"])
            let state = try #require(LabStage.parameter("state", in: page))
            let back = try await browser.send(.get, "/auth/logout/done?state=\(state)")
            #expect(back.status == 303 && back.headers["Location"] == "/auth/logout/done")
        }
    }

    @Test("a sign-in that another press has replaced before it begins leaves no waiting login")
    func replaced() async throws {
        let origin = "http://127.0.0.1:8080"
        let lab = Lab(arguments: Arguments(), output: Output(isJSON: true))
        let services = try await RunEnvironment.served(lab, at: origin)
        for entryPoint in ServedRun.entryPoints {
            let run = try ServedRun("any", entryPoint, on: services, SignInRoutes.Configuration(publicOrigin: origin))
            await run.close()
            _ = await run.begin(WebRequest(method: .post, target: "/"))
            #expect(await run.page == nil, "\(entryPoint.name)")
        }
        await services.close()
    }

    @Test("serve sends a provider's column of its page again only after it has changed")
    func revisions() async throws {
        try await with { browser, _ in
            _ = try await browser.signIn("right", "any", "async")
            let first = try JSONValue(parsing: try await browser.send(.get, "/columns/right?after=0").body)
            let revision = try #require(first["revision"]?.number?.integer)
            #expect(first["html"]?.string?.contains("Signed in") == true)
            let second = try JSONValue(
                parsing: try await browser.send(.get, "/columns/right?after=\(revision)").body
            )
            #expect(second["html"] == nil && second["revision"]?.number?.integer == revision)
        }
    }

    @Test("a column notices new tokens that expire at the same time as the old ones")
    func changedTokens() async throws {
        try await withSignedInRun { run, session, store in
            let revision = await run.view().revision
            #expect(await run.view().revision == revision)
            try await LabStage.changeTokens(of: session.id, in: store) { $0.accessToken = Secret("other") }
            #expect(await run.view().revision > revision)
        }
    }

    @Test("a check of the session that is still running at Sign out keeps the provider's logout page")
    func lateCheck() async throws {
        try await withSignedInRun { run, session, _ in
            _ = await run.perform(.logout, WebRequest(method: .post, target: "/"))
            let page = try #require(await run.page)
            await run.check(session)
            #expect(await run.page == page)
        }
    }

    private func withSignedInRun(
        _ body: (ServedRun, Session, any SessionStore) async throws -> Void
    ) async throws {
        let origin = "http://127.0.0.1:8080"
        let lab = Lab(arguments: Arguments(), output: Output(isJSON: true))
        let services = try await RunEnvironment.served(lab, at: origin)
        let run = try ServedRun("any", .async, on: services, SignInRoutes.Configuration(publicOrigin: origin))
        _ = await run.begin(WebRequest(method: .post, target: "/"))
        let page = try #require(await run.page).text
        let callback = try await SandboxBuyer().login(at: page, redirectURI: origin + "/auth/callback/any")
        _ = await run.take(WebRequest(method: .get, target: "/"), PresentedCallback(url: callback))
        try await body(run, try await run.approach.signedIn(), services.store.store)
        await run.close()
        await services.close()
    }

    @Test("the buttons of the sandbox plan a fault, expire all tokens and rotate keys")
    func sandbox() async throws {
        try await with { browser, _ in
            _ = try await browser.signIn("left", "any", "completion")
            try await browser.press("/sandbox/fault", [("fault", "tokenOutage")])
            try await browser.press("/columns/left/refresh")
            #expect(try await browser.column("left").contains("[provider_unavailable]"))
            try await browser.press("/sandbox/expire")
            try await browser.press("/columns/left/token")
            let column = try await browser.column("left")
            #expect(column.contains("The access token is valid (refreshed"), "\(column)")
            try await browser.press("/sandbox/rotate")
            try await browser.press("/columns/left/refresh")
            #expect(try await browser.column("left").contains("The provider has issued new tokens."))
            let unknown = try await browser.send(.post, "/sandbox/fault", [("fault", "x"), ("token", browser.token)])
            #expect(unknown.status == 400)
        }
    }

    @Test("Check out shows why the buyer is not signed in at the checkout")
    func checkoutProblem() async throws {
        try await with { browser, _ in
            _ = try await browser.signIn("left", "shopify", "routes")
            try await browser.press("/columns/left/cart")
            try await browser.press("/sandbox/expire")
            try await browser.press("/sandbox/fault", [("fault", "tokenRefused")])
            try await browser.press("/columns/left/checkout")
            let column = try await browser.column("left")
            #expect(column.contains("The checkout belongs to: guest. ") && column.contains("[session_ended]"))
            #expect(column.contains("notice bad"))
        }
    }

    @Test("serve refuses a form without the token of this run")
    func foreign() async throws {
        try await with { browser, _ in
            for target in ["/columns/left/sign-in", "/columns/left/logout", "/sandbox/expire", "/sandbox/fault"] {
                #expect(try await browser.send(.post, target).status == 403)
                #expect(try await browser.send(.post, target, [("token", browser.token + "0")]).status == 403)
            }
            let policy = try await browser.send(.get, "/").headers["Content-Security-Policy"] ?? ""
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self'"))
        }
    }

    @Test("other programs can use the sign-in routes of serve")
    func routes() async throws {
        try await with { browser, event in
            #expect(event["callbacks"]?["any"]?.string == browser.origin + "/auth/callback/any")
            let direct = try await browser.send(.get, "/auth/login/any?return=/")
            let page = try HTTPURL(try #require(direct.headers["Location"]))
            let thirdParty = try await browser.send(.get, "/auth/login?iss=\(FormEncoding.escape(page.origin))")
            #expect(thirdParty.status == 303)
            let begun = try #require(thirdParty.headers["Location"])
            let address = browser.origin + "/auth/callback/any"
            let callback = try await SandboxBuyer(transport: browser.transport).login(at: begun, redirectURI: address)
            #expect(try await browser.send(.get, String(callback.dropFirst(browser.origin.count))).status == 303)
            let session = try JSONValue(parsing: try await browser.send(.get, "/auth/session").body)
            #expect(session["signed_in"]?.bool == true && session["provider"]?.string == "any")
            let foreign = try await browser.send(.get, "/auth/login?iss=https%3A%2F%2Fother.example")
            #expect(foreign.status == 403)
            let logout = try await browser.send(.post, "/auth/backchannel-logout/any", [("logout_token", "x")])
            #expect(logout.status == 400)
            #expect(try await browser.page().contains("Redirect to the login page") == false)
            #expect(try await browser.page().contains("/.well-known/openid-configuration"))
        }
    }

    @Test("a provider of a configuration file ends a session by its logout token, and a forged token ends none")
    func backChannelLogout() async throws {
        try await LabStage.with { stage in
            let (openID, origin) = (stage.sandbox.openID, "https://lab.example")
            let store = stage.folder.appending(path: "serve.sqlite").path
            let made = stage.sandbox.labConfiguration(app: origin, storePath: store)
            let arguments = ["--config", try stage.write(made.json, to: "serve.json"), "--public-origin", origin]
            try await with(arguments, environment: made.environment) { browser, _ in
                let page = try #require(try await browser.send(.get, "/auth/login/any").headers["Location"])
                let address = origin + "/auth/callback/any"
                let callback = try await stage.robot.login(at: page, redirectURI: address)
                #expect(try await browser.send(.get, String(callback.dropFirst(origin.count))).status == 303)
                func isSignedIn() async throws -> Bool? {
                    try JSONValue(parsing: try await browser.send(.get, "/auth/session").body)["signed_in"]?.bool
                }
                let session = try #require(openID.sessionIDs(ofBuyer: stage.robot.email).first)
                let endpoint = browser.origin + "/auth/backchannel-logout/any"
                let forged = try await openID.sendLogoutToken(for: .session(session), to: endpoint) {
                    $0.signature = .foreignKey
                }
                #expect(forged.status == 400)
                #expect(try await isSignedIn() == true)
                #expect(try await openID.sendLogoutToken(for: .session(session), to: endpoint).status == 200)
                #expect(try await isSignedIn() == false)
            }
        }
    }

    @Test("the file of --store can be opened with IDENTITY_STORE_KEY after a run with the embedded sandbox")
    func storeKey() async throws {
        let folder = try TemporaryDirectory("serve")
        defer { folder.remove() }
        let environment = ["IDENTITY_STORE_KEY": String(repeating: "ab", count: 32)]
        let store = folder.path(of: "identity.sqlite")
        let process = try LabProcess(["serve", "--port", "0", "--json", "--store", store], environment: environment)
        let event = try #require(try await process.nextEvent())
        let browser = try await PageBrowser(try #require(event["url"]?.string))
        let page = try #require(try await browser.send(.get, "/auth/login/any").headers["Location"])
        let address = browser.origin + "/auth/callback/any"
        let callback = try await SandboxBuyer(transport: browser.transport).login(at: page, redirectURI: address)
        #expect(try await browser.send(.get, String(callback.dropFirst(browser.origin.count))).status == 303)
        process.signal(SIGINT)
        #expect(await process.ended().status == 0)
        let file = try folder.write(#"{"providers":{}}"#, to: "lab.json")
        let verified = try await LabProcess(
            ["keys", "verify", "--config", file, "--store", store, "--json"],
            environment: environment
        )
        .ended()
        #expect(verified.status == 0, "\(verified)")
        #expect(try verified.event("verification")["sessions"]?.number?.integer == 1)
    }

    @Test("with --public-origin, a browser without the key of the printed address gets the routes only")
    func key() async throws {
        try await with(["--public-origin", "https://lab.example"]) { browser, event in
            let address = try #require(event["url"]?.string)
            #expect(address.hasPrefix("https://lab.example/?key="))
            func send(_ target: String, _ body: [(name: String, value: String)]? = nil) async throws -> HTTPResponse {
                let url = try HTTPURL(browser.origin + target)
                var request = HTTPRequest(method: body == nil ? .get : .post, url: url, allowsLoopbackHTTP: true)
                try request.headers.set("Content-Type", "application/x-www-form-urlencoded")
                request.body = FormEncoding.encode(body ?? [])
                return try await browser.transport.send(request)
            }
            for target in ["/", "/?key=", "/?key=x", "/columns/left", "/columns/left/open", "/serve.js"] {
                #expect(try await send(target).status == 403, "\(target)")
            }
            let fields = [("provider", "any"), ("entry_point", "routes"), ("token", browser.token)]
            #expect(try await send("/columns/left/sign-in", fields).status == 403)
            #expect(try await send("/auth/login/any").status == 303)
            let opened = try await send(String(address.dropFirst("https://lab.example".count)))
            #expect(opened.status == 303 && opened.headers["Location"] == "/")
            let cookie = try #require(opened.headers["Set-Cookie"])
            #expect(cookie.hasPrefix("__Host-lab-key=") && cookie.contains("Secure; HttpOnly; SameSite=Lax"))
        }
    }

    @Test("redirect URIs and cookies use the origin of --public-origin")
    func publicOrigin() async throws {
        try await with(["--public-origin", "https://lab.example"]) { browser, event in
            #expect(event["callbacks"]?["shopify"]?.string == "https://lab.example/auth/callback/shopify")
            let fields = [("provider", "any"), ("entry_point", "routes"), ("token", browser.token)]
            let begun = try await browser.send(.post, "/columns/left/sign-in", fields)
            let cookie = try #require(begun.headers.values(for: "Set-Cookie").first)
            #expect(cookie.hasPrefix("__Host-lab-1-login-") && cookie.contains("Secure"))
            let page = try await browser.send(.get, "/columns/left/open").headers["Location"] ?? ""
            #expect(page.contains("redirect_uri=https%3A%2F%2Flab.example%2Fauth%2Fcallback%2Fany"))
            #expect(event["callbacks"]?["shopify-public"] == nil && event["callbacks"]?["shopify-web"] == nil)
        }
    }
}

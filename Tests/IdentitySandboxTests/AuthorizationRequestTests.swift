import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct AuthorizationRequestTests {
    @Test(
        "a pushed request can be used until its login ends or it expires, and parameters beside request_uri are ignored"
    )
    func pushed()
        async throws
    {
        let login = try await OpenIDLogin.start { $0.pushedRequests = .required }
        let secret = [(name: "client_secret", value: login.openID.configuration.clientSecret ?? "")]
        let endpoint = login.openID.pushedRequestEndpoint
        func push() async throws -> String {
            let answer = try await login.post(endpoint, login.parameters() + secret)
            #expect(answer.status == 201)
            #expect(answer.json["expires_in"] == .integer(60))
            return answer.json["request_uri"]?.string ?? ""
        }
        func url(_ requestURI: String, _ more: OpenIDLogin.Fields = []) -> String {
            let fields = [(name: "client_id", value: login.openID.configuration.clientID), ("request_uri", requestURI)]
            return FormText.append(fields + more, to: login.openID.authorizationEndpoint)
        }
        let uri = try await push()
        let buyer = SandboxBuyer()
        for _ in 0..<2 { #expect(try await TestClient.shared.send(.get, url(uri)).status == 302) }
        let repeated = url(uri, [("scope", "openid profile"), ("state", "other"), ("nonce", "other")])
        let callback = TestClient.query(try await buyer.login(at: repeated, redirectURI: login.redirectURI))
        #expect(callback["state"] == "state-1")
        let tokens = try await login.token(login.exchange(code: callback["code"] ?? "") + login.credentials)
        #expect(tokens.status == 200)
        #expect(tokens.json["scope"] == .string("openid email"))
        #expect(TestClient.part(1, of: tokens.json["id_token"]?.string ?? "")["nonce"]?.string == "nonce-1")

        func status(_ url: String) async throws -> Int { try await TestClient.shared.send(.get, url).status }
        #expect(try await status(url(uri)) == 400)
        #expect(try await status(url(try await push(), [("client_id", "another")])) == 400)
        let late = try await push()
        login.clock.advance(by: .seconds(60))
        #expect(try await status(url(late)) == 400)
        let direct = try await TestClient.shared.send(.get, login.url())
        #expect(TestClient.query(direct.headers["location"] ?? "")["error"] == "invalid_request")
        #expect(
            login.openID.violations.map(\.error) == [
                "invalid_request_uri", "invalid_request", "invalid_request_uri", "invalid_request",
            ]
        )

        for (change, error) in [
            (("request_uri", uri), "invalid_request"), (("redirect_uri", "https://evil.example/"), "invalid_request"),
            (("response_type", "token"), "unsupported_response_type"), (("scope", "email"), "invalid_scope"),
        ] {
            let answer = try await login.post(endpoint, login.parameters([change]) + secret)
            #expect(answer.status == 400)
            #expect(answer.json["error"]?.string == error)
        }
        #expect(try await login.post(endpoint, login.parameters()).status == 401)
        #expect(login.openID.counters.pushedRequests == 3)
        let metadata = try await login.metadata()
        #expect(metadata["pushed_authorization_request_endpoint"]?.string == endpoint)
        #expect(metadata["require_pushed_authorization_requests"] == .bool(true))
        await login.sandbox.stop()
    }

    @Test("a pushed request works only for the client that pushed it, even if another client has the same redirect URI")
    func pushedByAnotherClient() async throws {
        var other = SandboxOpenIDClient()
        other.clientID = "other"
        other.clientSecret = nil
        let login = try await OpenIDLogin.start {
            $0.pushedRequests = .accepted
            $0.furtherClients = [other]
        }
        let owner = login.credentials
        for (pusher, otherClient) in [(owner, "other"), ([("client_id", "other")], owner[0].value)] {
            let fields = login.parameters().filter { $0.name != "client_id" } + pusher
            let pushed = try await login.post(login.openID.pushedRequestEndpoint, fields)
            let uri = try #require(pushed.json["request_uri"]?.string, "\(pushed)")
            func status(_ client: String) async throws -> Int {
                let fields = [(name: "client_id", value: client), ("request_uri", uri)]
                let url = FormText.append(fields, to: login.openID.authorizationEndpoint)
                return try await TestClient.shared.send(.get, url).status
            }
            #expect(try await status(otherClient) == 400)
            #expect(login.openID.violations.last?.error == "invalid_request_uri")
            #expect(try await status(pusher[0].value) == 302)
        }
        // Without a push the redirect URI is good for both clients.
        #expect(try await TestClient.shared.send(.get, login.url([("client_id", "other")])).status == 302)
        await login.sandbox.stop()
    }

    @Test("the authorization endpoint accepts a request as a posted form") func postedRequest() async throws {
        let login = try await OpenIDLogin.start()
        func send(_ fields: OpenIDLogin.Fields) async throws -> (status: Int, location: String) {
            let answer = try await login.post(login.openID.authorizationEndpoint, fields)
            return (answer.status, answer.headers["location"] ?? "")
        }
        let good = try await send(login.parameters())
        #expect(good.status == 302)
        #expect(good.location.hasPrefix("/login/"))
        let bad = try await send(login.parameters([("prompt", "silent")]))
        #expect(TestClient.query(bad.location)["error"] == "invalid_request")
        #expect(TestClient.query(bad.location)["state"] == "state-1")
        #expect(try await send(login.parameters() + [("state", "twice")]).status == 400)
        let typed = try await login.post(
            login.openID.authorizationEndpoint,
            login.parameters(),
            headers: ["Content-Type": "text/plain"]
        )
        #expect(typed.status == 400)
        await login.sandbox.stop()
    }

    @Test(
        "a wrong HTTP method gets status 405 with the allowed ones, responses have the sandbox's date, and UserInfo is not cached"
    )
    func methods() async throws {
        let login = try await OpenIDLogin.start()
        let provider = login.openID
        for (url, method, allowed) in [
            (provider.issuer + "/.well-known/openid-configuration", HTTPMethod.post, "GET, HEAD"),
            (provider.jwksEndpoint, .put, "GET, HEAD"), (provider.authorizationEndpoint, .put, "GET, HEAD, POST"),
            (provider.userinfoEndpoint, .delete, "GET, HEAD, POST"), (provider.tokenEndpoint, .get, "POST"),
            (provider.endSessionEndpoint, .delete, "GET, HEAD, POST"),
        ] {
            let answer = try await TestClient.shared.send(method, url)
            #expect(answer.status == 405, "\(url)")
            #expect(answer.headers["allow"] == allowed, "\(url)")
            #expect(answer.headers.date("Date") == Int64(login.now), "\(url)")
        }
        #expect(provider.violations.count == 6)
        let code = try await login.code()
        let token = try await login.token(login.exchange(code: code) + login.credentials).json["access_token"]?.string
        for authorization in ["Bearer " + (token ?? ""), "Bearer x"] {
            let headers = ["Authorization": authorization]
            let answer = try await TestClient.shared.send(.get, provider.userinfoEndpoint, headers: headers)
            #expect(answer.headers["cache-control"] == "no-store")
        }
        await login.sandbox.stop()
    }

    @Test("key ids are the thumbprints of the keys, in the key set and in tokens") func keyIDs() async throws {
        let login = try await OpenIDLogin.start()
        let code = try await login.code()
        let answer = try await login.token(login.exchange(code: code) + login.credentials)
        login.openID.rotateSigningKey()
        let keys = try await TestClient.shared.json(login.openID.jwksEndpoint)["keys"]?.array ?? []
        #expect(keys.count == 2)
        for key in keys {
            let read = try ClientKey(jwk: try #require(key.object))
            #expect(read.keyID == read.thumbprint)
        }
        #expect(keys.first?["kid"] == TestClient.part(0, of: answer.json["id_token"]?.string ?? "")["kid"])
        #expect(keys.first?["kid"] != keys.last?["kid"])
        await login.sandbox.stop()
    }

    @Test("form_post returns a page that submits itself, has a button, and permits only its own script")
    func formPost() async throws {
        let login = try await OpenIDLogin.start()
        let buyer = SandboxBuyer()
        let url = login.url([("response_mode", "form_post"), ("state", "a\"<b>&c")])
        let callback = try await buyer.callback(at: url, redirectURI: login.redirectURI)
        #expect(callback.url == login.redirectURI)
        let fields = TestClient.query(callback.urlWithFields)
        #expect(fields["state"] == "a\"<b>&c")
        #expect(fields["iss"] == login.openID.issuer)
        #expect(try await login.token(login.exchange(code: fields["code"] ?? "") + login.credentials).status == 200)

        let received = try await TestReceiver.start()
        var there = login
        there.redirectURI = received.url
        let answer = try await buyer.login(at: there.url([("response_mode", "form_post")]), redirectURI: received.url)
        #expect(TestClient.query(answer)["code"]?.isEmpty == false)
        let request = try #require(received.requests.first)
        #expect(request.method == "POST")
        #expect(request.header("content-type") == "application/x-www-form-urlencoded")
        #expect(String(decoding: request.body, as: UTF8.self).contains("code="))
        await received.stop()

        // An error is returned in the same way; with `none` no login page is shown before it.
        let none = login.url([("response_mode", "form_post"), ("prompt", "none"), ("max_age", "0")])
        let page = try await TestClient.shared.send(.get, none)
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.contains("value=\"login_required\""))
        #expect(text.contains("<button>"))
        #expect(page.headers["content-security-policy"]?.contains("script-src 'sha256-") == true)
        #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        await login.sandbox.stop()
    }

    @Test("max_age, prompt and id_token_hint decide whether a signed-in browser must show the login page again")
    func freshness()
        async throws
    {
        let login = try await OpenIDLogin.start { $0.acrValues = ["urn:two", "urn:one"] }
        let buyer = SandboxBuyer()
        let begun = login.now
        func claims(_ extra: OpenIDLogin.Fields) async throws -> JSONValue {
            let code = try await login.code(extra, buyer: buyer)
            let answer = try await login.token(login.exchange(code: code) + login.credentials)
            return .object([
                "token": answer.json["id_token"] ?? .null,
                "claims": TestClient.part(1, of: answer.json["id_token"]?.string ?? ""),
            ])
        }
        let first = try await claims([("acr_values", "urn:three urn:one")])
        #expect(first["claims"]?["acr"]?.string == "urn:one")
        #expect(first["claims"]?["auth_time"] == .integer(begun))
        login.clock.advance(by: .seconds(30))
        #expect(try await claims([("max_age", "30")])["claims"]?["auth_time"] == .integer(begun))
        login.clock.advance(by: .seconds(1))
        let hint = first["token"]?.string ?? ""
        #expect(try await login.callback([("prompt", "none"), ("id_token_hint", hint)], buyer: buyer)["code"] != nil)
        #expect(
            try await login.callback([("prompt", "none"), ("max_age", "30")], buyer: buyer)["error"] == "login_required"
        )
        #expect(try await claims([("max_age", "30")])["claims"]?["auth_time"] == .integer(begun + 31))
        login.clock.advance(by: .seconds(5))
        #expect(try await claims([("prompt", "login")])["claims"]?["auth_time"] == .integer(begun + 36))
        let grace = SandboxBuyer(email: "grace@example.com")
        _ = try await login.code(buyer: grace)
        let other = try await login.callback([("prompt", "none"), ("id_token_hint", hint)], buyer: grace)
        #expect(other["error"] == "login_required")
        #expect(login.openID.violations.isEmpty)
        await login.sandbox.stop()
    }

    @Test(
        "a request that breaks a rule is redirected back with its error, or gets a page if the redirect URI is not trusted",
        arguments: [
            (("prompt", "none login"), "invalid_request"), (("prompt", "silent"), "invalid_request"),
            (("max_age", "-1"), "invalid_request"), (("max_age", "soon"), "invalid_request"),
            (("response_mode", "web_message"), "invalid_request"), (("response_type", ""), "invalid_request"),
            (("request", "x"), "request_not_supported"), (("request_uri", "x"), "request_uri_not_supported"),
            (("code_challenge_method", "plain"), "invalid_request"), (("code_challenge", "c2hvcnQ"), "invalid_request"),
            (("code_challenge_method", ""), "invalid_request"), (("id_token_hint", "x"), "invalid_request"),
            (("client_id", "another"), nil), (("redirect_uri", "https://evil.example/"), nil),
            (("redirect_uri", ""), nil),
        ] as [((String, String), String?)]
    ) func mistakes(change: (String, String), error: String?) async throws {
        let login = try await OpenIDLogin.start()
        let answer = try await TestClient.shared.send(.get, login.url([change]))
        if let error {
            let callback = TestClient.query(answer.headers["location"] ?? "")
            #expect(callback["error"] == error)
            #expect(callback["error_description"]?.isEmpty == false)
            #expect(callback["state"] == "state-1")
            #expect(callback["iss"] == login.openID.issuer)
        } else {
            #expect(answer.status == 400)
            #expect(answer.headers["location"] == nil)
        }
        #expect(login.openID.violations.count == 1)
        await login.sandbox.stop()
    }
}

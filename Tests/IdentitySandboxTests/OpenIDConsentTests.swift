import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite("Consent, claims and the end of a session at the OpenID provider")
struct OpenIDConsentTests {
    @Test("prompt=consent shows a page, also to a signed-in browser, and a refusal goes back to the app")
    func consent() async throws {
        let login = try await OpenIDLogin.start()
        let buyer = SandboxBuyer()
        let first = TestClient.part(1, of: try await login.tokens(buyer: buyer)["id_token"]?.string ?? "")
        login.clock.advance(by: .seconds(9))
        func pages() -> Int { login.openID.requests(to: .loginPage).count }
        var before = pages()
        _ = try await login.tokens(buyer: buyer)
        #expect(pages() == before)
        let again = try await login.tokens([("prompt", "consent")], buyer: buyer)
        #expect(pages() == before + 2)
        #expect(TestClient.part(1, of: again["id_token"]?.string ?? "")["auth_time"] == first["auth_time"])
        before = pages()
        // E-mail address, code and consent: a page and a form each.
        #expect(try await login.code([("prompt", "login consent")], buyer: buyer) != "")
        #expect(pages() == before + 6)
        let response = try await TestClient.shared.send(.get, login.url([("prompt", "none"), ("max_age", "0")]))
        #expect(TestClient.query(response.headers["location"] ?? "")["error"] == "login_required")
        let refusing = SandboxBuyer(behaviour: .deny)
        #expect(try await login.callback([("prompt", "consent")], buyer: refusing)["error"] == "access_denied")
        await login.sandbox.stop()
    }

    @Test("a login of another buyer than the one in id_token_hint ends with login_required") func hint() async throws {
        let login = try await OpenIDLogin.start()
        let token = try await login.tokens()["id_token"]?.string ?? ""
        let grace = SandboxBuyer(email: "grace@example.com")
        let other = try await login.callback([("id_token_hint", token)], buyer: grace)
        #expect(other["error"] == "login_required")
        #expect(other["code"] == nil)
        #expect(try await login.callback([("id_token_hint", token)])["code"] != nil)
        await login.sandbox.stop()
    }

    @Test("if configured, offline_access needs prompt=consent, and refresh tokens need offline_access")
    func offlineAccess() async throws {
        let login = try await OpenIDLogin.start {
            $0.offlineAccessNeedsConsent = true
            $0.refreshNeedsOfflineAccess = true
        }
        let scope = (name: "scope", value: "openid offline_access")
        let without = try await login.tokens([scope])
        #expect(without["scope"] == .string("openid"))
        #expect(without["refresh_token"] == nil)
        let with = try await login.tokens([scope, ("prompt", "consent")])
        #expect(with["scope"] == .string("openid offline_access"))
        #expect(try await login.refresh(with)["refresh_token"] != nil)
        await login.sandbox.stop()
    }

    @Test("without rotation, one refresh token works for several refreshes") func rotation() async throws {
        let login = try await OpenIDLogin.start { $0.rotatesRefreshTokens = false }
        let first = try await login.tokens()
        for _ in 0..<3 {
            let answer = try await login.refresh(first)
            #expect(answer["access_token"] != nil)
            #expect(answer["refresh_token"] == nil)
        }
        #expect(login.openID.counters.refreshes == 3)
        #expect(login.openID.counters.reusesPunished == 0)
        await login.sandbox.stop()
    }

    @Test("claims about the buyer are in UserInfo and, if configured, in the ID token too")
    func claims() async throws {
        for place in SandboxOpenIDConfiguration.ClaimsPlace.allCases {
            let login = try await OpenIDLogin.start { $0.claimsIn = place }
            let found = try await login.tokens([("scope", "openid email profile phone")])
            let (first, second) = (
                TestClient.part(1, of: found["id_token"]?.string ?? ""),
                TestClient.part(1, of: try await login.refresh(found)["id_token"]?.string ?? "")
            )
            for claim in ["email", "email_verified", "name", "phone_number"] {
                #expect((first[claim] != nil) == (place == .idToken), "\(claim)")
                #expect((second[claim] != nil) == (place == .idToken), "\(claim)")
            }
            #expect(first["sub"]?.string?.isEmpty == false)
            let info = try JSONValue(parsing: try await login.userInfo(try await login.tokens()).body)
            #expect(info["email"] == .string("ada@example.com"))
            #expect(info["sub"] == first["sub"])
            await login.sandbox.stop()
        }
    }

    @Test(
        "UserInfo is a signed JWT for a client that is registered for it",
        arguments: SandboxOpenIDConfiguration.Algorithm.allCases
    )
    func signedUserInfo(algorithm: SandboxOpenIDConfiguration.Algorithm) async throws {
        let login = try await OpenIDLogin.start { $0.userInfoAlgorithm = algorithm }
        let answer = try await login.userInfo(try await login.tokens())
        #expect(answer.headers["content-type"] == "application/jwt")
        let token = String(decoding: answer.body, as: UTF8.self)
        let claims = TestClient.part(1, of: token)
        #expect(claims["iss"] == .string(login.openID.issuer))
        #expect(claims["aud"] == .string(login.openID.configuration.clientID))
        #expect(claims["email"] == .string("ada@example.com"))
        let keys = try await TestClient.shared.json(login.openID.jwksEndpoint)["keys"]?.array ?? []
        let kid = TestClient.part(0, of: token)["kid"]
        let key = try ClientKey(jwk: try #require(keys.first { $0["kid"] == kid }?.object))
        try ClientToken(token).verify(with: key, try #require(SignatureAlgorithm(rawValue: algorithm.rawValue)))
        #expect(
            try await login.metadata()["userinfo_signing_alg_values_supported"]?.strings == [algorithm.rawValue]
        )
        await login.sandbox.stop()
    }

    @Test("the robot delivers a callback without the fragment of its URL, as a browser does")
    func deliveredFragment() async throws {
        let app = try await TestReceiver.start()
        _ = try await SandboxBuyer().deliver(SandboxCallback(url: app.url + "?a=b#code=c", body: nil))
        #expect(app.requests.map(\.query) == ["a=b"])
        await app.stop()
    }

    @Test("responses and errors are returned in the response mode of the requested response type")
    func responseTypes() async throws {
        let login = try await OpenIDLogin.start {
            $0.responseTypes = ["code", "id_token", "code id_token"]
            $0.algorithm = .es384
        }
        func answer(_ extra: OpenIDLogin.Fields, _ buyer: SandboxBuyer) async throws -> (String, [String: String]) {
            _ = try await login.code(buyer: buyer)
            let url = login.url([("prompt", "")] + extra)
            let location = try await buyer.login(at: url, redirectURI: login.redirectURI)
            let parts = location.split(separator: "#", maxSplits: 1).map(String.init)
            return (parts[0], TestClient.query("?" + (parts.last ?? "")))
        }
        let buyer = SandboxBuyer()
        for type in ["id_token code", "id_token"] {
            let (base, fields) = try await answer([("response_type", type)], buyer)
            #expect(base == login.redirectURI)
            let claims = TestClient.part(1, of: fields["id_token"] ?? "")
            #expect(claims["nonce"] == .string("nonce-1"))
            #expect((claims["email"] != nil) == (type == "id_token"))
            #expect((fields["code"] != nil) == (type != "id_token"))
            #expect(fields["state"] == "state-1")
            guard let code = fields["code"] else { continue }
            let hash = try Digest.sha384(Array(code.utf8)).prefix(24)
            #expect(claims["c_hash"] == .string(Base64URL.encode(Array(hash))))
            #expect(try await login.token(login.exchange(code: code) + login.credentials).status == 200)
        }
        for (extra, error, isFragment) in [
            ([("response_type", "token")], "unsupported_response_type", true),
            ([("response_type", "token"), ("response_mode", "query")], "unsupported_response_type", true),
            ([("response_type", "id_token"), ("nonce", "")], "invalid_request", true),
            ([("response_type", "id_token"), ("response_mode", "query")], "invalid_request", true),
            ([("response_type", "none")], "unsupported_response_type", false),
            ([("prompt", "silent"), ("response_mode", "fragment")], "invalid_request", true),
        ] as [(OpenIDLogin.Fields, String, Bool)] {
            let sent = try await TestClient.shared.send(.get, login.url(extra)).headers["location"] ?? ""
            #expect(sent.hasPrefix(login.redirectURI + (isFragment ? "#" : "?")), "\(sent)")
            #expect(sent.contains("error=\(error)&"), "\(sent)")
        }
        let form = login.url([("response_type", "token"), ("response_mode", "form_post")])
        let page = String(decoding: try await TestClient.shared.send(.get, form).body, as: UTF8.self)
        #expect(page.contains("unsupported_response_type"))
        await login.sandbox.stop()
    }

    @Test("a fault of the ID token for the authorization endpoint changes the ID token of the authorization response")
    func changedFrontChannelToken() async throws {
        let login = try await OpenIDLogin.start { $0.responseTypes = ["code id_token"] }
        let buyer = SandboxBuyer()
        // The first login shows the login page, and the second uses the browser's session.
        for _ in 1...2 {
            login.openID.planFault(.claim("nonce", .string("other")), on: .authorization)
            let url = login.url([("response_type", "code id_token")])
            let location = try await buyer.login(at: url, redirectURI: login.redirectURI)
            let fields = TestClient.query(location.replacing("#", with: "?"))
            #expect(TestClient.part(1, of: fields["id_token"] ?? "")["nonce"] == .string("other"))
            let answer = try await login.token(login.exchange(code: fields["code"] ?? "") + login.credentials)
            #expect(TestClient.part(1, of: answer.json["id_token"]?.string ?? "")["nonce"] == .string("nonce-1"))
        }
        #expect(login.openID.requests(to: .loginPage).contains { $0.method == "POST" })
        await login.sandbox.stop()
    }

    @Test("a logout without an id_token_hint, or with the hint of another session, asks the buyer first")
    func question() async throws {
        let login = try await OpenIDLogin.start()
        let (ada, grace) = (SandboxBuyer(), SandboxBuyer(email: "grace@example.com"))
        let adas = try await login.tokens(buyer: ada)["id_token"]?.string ?? ""
        let graces = try await login.tokens(buyer: grace)["id_token"]?.string ?? ""
        func url(_ fields: OpenIDLogin.Fields) -> String {
            let back: OpenIDLogin.Fields = [("post_logout_redirect_uri", login.redirectURI), ("state", "s")]
            return FormText.append(back + fields, to: login.openID.endSessionEndpoint)
        }
        let clientID = login.openID.configuration.clientID
        func isSignedIn(_ buyer: SandboxBuyer) async throws -> Bool {
            try await login.callback([("prompt", "none")], buyer: buyer)["code"] != nil
        }
        func questions() -> Int { login.openID.requests(to: .logout).filter { $0.method == "POST" }.count }
        // The hint names the browser's session.
        #expect(
            try await grace.login(at: url([("id_token_hint", graces)]), redirectURI: login.redirectURI).hasSuffix(
                "?state=s"
            )
        )
        #expect(questions() == 0)
        #expect(try await !isSignedIn(grace))
        _ = try await login.code(buyer: grace)
        for (buyer, hint) in [(ada, [("client_id", clientID)]), (grace, [("id_token_hint", adas)])]
            as [(SandboxBuyer, OpenIDLogin.Fields)]
        {
            let before = questions()
            let back = try await buyer.login(at: url(hint), redirectURI: login.redirectURI)
            #expect(back == login.redirectURI + "?state=s")
            #expect(questions() == before + 1)
            #expect(try await !isSignedIn(buyer))
        }
        // Another site sent the buyer here, and the buyer chooses to stay signed in.
        let page = try await TestClient.shared.send(.get, login.openID.endSessionEndpoint)
        let text = String(decoding: page.body, as: UTF8.self)
        let token = try #require(text.split(separator: "name=\"confirmation\" value=\"").last?.prefix { $0 != "\"" })
        let counted = login.openID.counters.logouts
        for status in [200, 400] {
            let answer: OpenIDLogin.Fields = [("confirmation", String(token)), ("action", "cancel")]
            #expect(try await login.post(login.openID.endSessionEndpoint, answer).status == status)
        }
        #expect(login.openID.counters.logouts == counted)
        let mixed = url([("id_token_hint", adas), ("client_id", "another")])
        #expect(try await TestClient.shared.send(.get, mixed).status == 400)
        await login.sandbox.stop()
    }

    @Test("an app that does not respond to its logout token delays no other app's logout token")
    func slowApp() async throws {
        let slow = try await TestReceiver.start(.script([.delay(.seconds(600))]))
        let fast = try await TestReceiver.start()
        let login = try await OpenIDLogin.start {
            $0.backchannelLogoutURI = slow.url
            var second = SandboxOpenIDClient()
            (second.clientID, second.backchannelLogoutURI) = ("second", fast.url)
            $0.furtherClients = [second]
        }
        let buyer = SandboxBuyer()
        _ = try await login.code(buyer: buyer)
        _ = try await login.code([("client_id", "second")], buyer: buyer)
        let end = Task { await login.openID.endSessions(ofBuyer: buyer.email) }
        for _ in 0..<1_000 where fast.requests.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(fast.requests.count == 1)
        await slow.stop()
        await end.value
        await fast.stop()
        await login.sandbox.stop()
    }

    @Test(
        "the end of a session revokes its tokens and codes, except with offline_access, and the app receives a logout token"
    )
    func sessionEnd() async throws {
        let app = try await TestReceiver.start()
        let login = try await OpenIDLogin.start { $0.backchannelLogoutURI = app.url }
        let buyer = SandboxBuyer()
        let online = try await login.tokens(buyer: buyer)
        let offline = try await login.tokens([("scope", "openid offline_access")], buyer: buyer)
        let code = try await login.code(buyer: buyer)
        let others = try await login.tokens()
        let hint = [(name: "id_token_hint", value: online["id_token"]?.string ?? "")]
        _ = try await TestClient.shared.send(.get, FormText.append(hint, to: login.openID.endSessionEndpoint))
        #expect(try await login.userInfo(online).status == 401)
        #expect(try await login.refresh(online)["error"] == .string("invalid_grant"))
        #expect(
            try await login.token(login.exchange(code: code) + login.credentials).json["error"]
                == .string("invalid_grant")
        )
        #expect(try await login.userInfo(offline).status == 200)
        #expect(try await login.refresh(offline)["access_token"] != nil)
        #expect(try await login.userInfo(others).status == 200)
        #expect(app.requests.count == 1)
        let body = String(decoding: app.requests.first?.body ?? [], as: UTF8.self)
        let token = TestClient.query("?" + body)["logout_token"] ?? ""
        let sid = TestClient.part(1, of: online["id_token"]?.string ?? "")["sid"]
        #expect(TestClient.part(1, of: token)["sid"] == sid)
        #expect(login.openID.counters.logoutTokens == 1)
        await login.openID.endSession("unknown")
        #expect(app.requests.count == 1)
        // Only the buyer's other session still exists.
        await login.openID.endSessions(ofBuyer: buyer.email)
        #expect(app.requests.count == 2)
        #expect(try await login.userInfo(others).status == 401)
        await app.stop()
        await login.sandbox.stop()
    }
}

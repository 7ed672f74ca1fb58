import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct LogoutTests {
    private func isAlive(_ login: OpenIDLogin, _ tokens: JSONValue) async throws -> Bool {
        try await login.userInfo(tokens).status == 200
    }

    @Test(
        "revoking a refresh token revokes all tokens of its login, an access token only itself, and an unknown token is no error"
    )
    func revocation() async throws {
        let login = try await OpenIDLogin.start { $0.supportsRevocation = true }
        let endpoint = login.openID.revocationEndpoint
        func revoke(_ token: JSONValue?) async throws -> Int {
            try await login.post(endpoint, login.credentials + [("token", token?.string ?? "")]).status
        }
        let first = try await login.tokens()
        #expect(try await revoke(first["access_token"]) == 200)
        #expect(try await !isAlive(login, first))
        let second = try await login.refresh(first)
        #expect(try await isAlive(login, second))
        #expect(try await revoke(second["refresh_token"]) == 200)
        #expect(try await !isAlive(login, second))
        #expect(try await login.refresh(second)["error"]?.string == "invalid_grant")
        #expect(try await revoke(.string("unknown")) == 200)
        #expect(try await revoke(nil) == 400)
        #expect(try await login.post(endpoint, [("token", "x")]).json["error"]?.string == "invalid_client")
        #expect(login.openID.counters.revocations == 3)
        #expect(try await login.metadata()["revocation_endpoint"]?.string == endpoint)
        await login.sandbox.stop()
    }

    @Test("the configuration of an app registers its signed-out page also at a client with its own list of logout URIs")
    func appConfiguration() async throws {
        let login = try await OpenIDLogin.start { $0.postLogoutRedirectURIs = ["https://app.example/bye"] }
        _ = login.sandbox.labConfiguration(app: "https://shop.example")
        let idToken = try await login.tokens()["id_token"]?.string ?? ""
        for page in ["https://app.example/bye", "https://shop.example/auth/logout/done"] {
            let fields = [(name: "post_logout_redirect_uri", value: page), ("id_token_hint", idToken)]
            let answer = try await login.post(login.openID.endSessionEndpoint, fields)
            #expect(answer.headers["location"] == page)
        }
        await login.sandbox.stop()
    }

    @Test("an authorization request that is refused with login_required counts like at the Shopify provider")
    func silentRefusal() async throws {
        let login = try await OpenIDLogin.start()
        #expect(try await login.callback([("prompt", "none")])["error"] == "login_required")
        #expect(login.openID.counters.authorizations == 1)
        let shopify = ShopifyLogin(login.sandbox)
        let buyer = SandboxBuyer()
        let url = FormText.append([("prompt", "none")], to: shopify.authorizationURL)
        _ = try? await buyer.login(at: url, redirectURI: nil)
        #expect(login.sandbox.shopify.counters.authorizations == 1)
        await login.sandbox.stop()
    }

    @Test("a logout redirects to a registered URI with its state, and ends the session of the hint")
    func endSession() async throws {
        let login = try await OpenIDLogin.start {
            $0.postLogoutRedirectURIs = ["https://app.example/bye"]
            $0.userInfoAlgorithm = .rs256
        }
        let buyer = SandboxBuyer()
        let tokens = try await login.tokens(buyer: buyer)
        let idToken = tokens["id_token"]?.string ?? ""
        func logout(_ fields: OpenIDLogin.Fields) async throws -> (status: Int, location: String?) {
            let url = FormText.append(fields, to: login.openID.endSessionEndpoint)
            let answer = try await TestClient.shared.send(.get, url)
            return (answer.status, answer.headers["location"])
        }
        let back = [(name: "post_logout_redirect_uri", value: "https://app.example/bye"), ("state", "s")]
        let other = try await login.tokens()["id_token"]?.string ?? ""
        let parts = [idToken, other].map { $0.split(separator: ".") }
        let forged = [parts[0][0], parts[0][1], parts[1][2]].joined(separator: ".")
        let logoutToken = login.openID.logoutToken(for: .buyer(email: buyer.email))
        let userInfo = String(decoding: try await login.userInfo(tokens).body, as: UTF8.self)
        for wrong in [
            back, back + [("id_token_hint", forged)], back + [("client_id", "another")],
            back + [("id_token_hint", logoutToken)], back + [("id_token_hint", userInfo)],
            [("post_logout_redirect_uri", "https://app.example/callback"), ("id_token_hint", idToken)],
        ] as [OpenIDLogin.Fields] {
            let answer = try await logout(wrong)
            #expect(answer.status == 400)
            #expect(answer.location == nil)
        }
        #expect(login.openID.violations.count == 6)
        #expect(try await login.callback([("prompt", "none")], buyer: buyer)["code"] != nil)
        let good = back + [("id_token_hint", idToken)]
        #expect(try await logout(good).location == "https://app.example/bye?state=s")
        #expect(try await login.callback([("prompt", "none")], buyer: buyer)["error"] == "login_required")
        let posted = try await login.post(login.openID.endSessionEndpoint, good)
        #expect(posted.headers["location"] == "https://app.example/bye?state=s")
        login.openID.planFault(.logoutState(nil), on: .logout)
        #expect(try await logout(good).location == "https://app.example/bye")
        login.openID.planFault(.logoutState("other"), on: .logout)
        #expect(try await logout(good).location == "https://app.example/bye?state=other")
        #expect(try await logout([]).status == 200)
        await login.sandbox.stop()
    }

    @Test("a logout token names session and buyer, is signed by a published key, and can be made invalid")
    func logoutToken() async throws {
        let login = try await OpenIDLogin.start()
        let app = try await TestReceiver.start(.message(status: 400))
        let claims = TestClient.part(1, of: try await login.tokens()["id_token"]?.string ?? "")
        let sid = try #require(claims["sid"]?.string)
        #expect(login.openID.sessionIDs(ofBuyer: "ada@example.com") == [sid])
        let answer = try await login.openID.sendLogoutToken(for: .session(sid), to: app.url)
        #expect(answer.status == 400)
        _ = try await login.openID.sendLogoutToken(for: .buyer(email: "ada@example.com"), to: app.url) { token in
            token.header["typ"] = nil
            token.claims["nonce"] = .string("n")
        }
        let sent = try app.requests.map { request in
            #expect(request.method == "POST")
            let fields = TestClient.query("?" + String(decoding: request.body, as: UTF8.self))
            return try #require(fields["logout_token"])
        }
        let (good, bad) = (TestClient.part(1, of: sent[0]), TestClient.part(1, of: sent[1]))
        #expect(TestClient.part(0, of: sent[0])["typ"]?.string == "logout+jwt")
        #expect(good["sid"]?.string == sid)
        #expect(good["sub"] == claims["sub"])
        #expect(good["aud"]?.string == login.openID.configuration.clientID)
        #expect(good["events"]?["http://schemas.openid.net/event/backchannel-logout"] == .object([:]))
        #expect(good["nonce"] == nil)
        #expect(good["jti"] != bad["jti"])
        #expect(TestClient.part(0, of: sent[1])["typ"] == nil)
        #expect(bad["sid"] == nil)
        #expect(bad["nonce"]?.string == "n")
        let keys = try await TestClient.shared.json(login.openID.jwksEndpoint)["keys"]?.array ?? []
        let key = try ClientKey(jwk: try #require(keys.first?.object))
        for token in sent { try ClientToken(token).verify(with: key, .rs256) }
        #expect(login.openID.counters.logoutTokens == 2)
        await app.stop()
        await login.sandbox.stop()
    }

    @Test("a refreshed ID token keeps subject, audience and time of login, and has no nonce", arguments: [true, false])
    func refreshedIDToken(isThere: Bool) async throws {
        let login = try await OpenIDLogin.start { $0.refreshesIDToken = isThere }
        let first = try await login.tokens()
        let second = try await login.refresh(first)
        #expect((second["id_token"] != nil) == isThere)
        if isThere {
            let (old, new) = (
                TestClient.part(1, of: first["id_token"]?.string ?? ""),
                TestClient.part(1, of: second["id_token"]?.string ?? "")
            )
            for name in ["iss", "sub", "aud", "auth_time", "sid"] { #expect(new[name] == old[name]) }
            #expect(old["nonce"]?.string == "nonce-1")
            #expect(new["nonce"] == nil)
        }
        #expect(try await login.refresh(first)["error"]?.string == "invalid_grant")
        #expect(try await login.refresh(second)["error"]?.string == "invalid_grant")
        #expect(login.openID.counters.reusesPunished == 1)
        await login.sandbox.stop()
    }

    @Test("if configured, the metadata list response types in unusual orders, and the path of the key set is random")
    func metadata() async throws {
        let login = try await OpenIDLogin.start {
            $0.randomizesKeySetPath = true
            $0.announcesOddResponseTypes = true
        }
        let metadata = try await login.metadata()
        let uri = try #require(metadata["jwks_uri"]?.string)
        #expect(uri == login.openID.jwksEndpoint)
        #expect(try await TestClient.shared.send(.get, login.openID.issuer + "/jwks.json").status == 404)
        #expect(try await TestClient.shared.json(uri)["keys"]?.array?.count == 1)
        #expect(metadata["response_types_supported"]?.array?.contains(.string("token id_token code")) == true)
        await login.sandbox.stop()
    }
}

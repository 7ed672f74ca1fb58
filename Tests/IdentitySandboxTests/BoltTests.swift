import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

struct BoltLogin {
    let sandbox: ShopSandbox
    var usesPKCE = false
    var sendsSecret = true

    func code(_ buyer: SandboxBuyer = SandboxBuyer()) async throws -> String {
        var fields = [
            (name: "client_id", value: sandbox.bolt.configuration.publishableKey), ("response_type", "code"),
            ("scope", "openid bolt.account.manage"), ("state", "state-123"),
        ]
        if usesPKCE { fields += [("code_challenge", TestClient.challenge), ("code_challenge_method", "S256")] }
        let url = FormText.append(fields, to: sandbox.bolt.authorizationEndpoint)
        let callback = try await buyer.login(at: url, redirectURI: nil)
        #expect(callback.hasPrefix(sandbox.bolt.configuration.callbackURL + "?"))
        #expect(TestClient.query(callback)["state"] == "state-123")
        #expect(TestClient.query(callback)["scope"] == "openid bolt.account.manage")
        return TestClient.query(callback)["code"] ?? ""
    }

    func post(_ fields: [(name: String, value: String)]) async throws -> (status: Int, json: JSONValue) {
        var all = fields + [("client_id", sandbox.bolt.configuration.publishableKey)]
        if sendsSecret { all.append(("client_secret", sandbox.bolt.configuration.apiKey)) }
        return try await TestClient.shared.form(sandbox.bolt.tokenEndpoint, all)
    }

    func exchange(_ code: String, verifier: String? = nil) async throws -> (status: Int, json: JSONValue) {
        var fields = [
            (name: "grant_type", value: "authorization_code"), ("code", code), ("scope", "openid bolt.account.manage"),
        ]
        if let verifier { fields.append(("code_verifier", verifier)) }
        return try await post(fields)
    }

    func refresh(_ token: String?) async throws -> (status: Int, json: JSONValue) {
        try await post([
            ("grant_type", "refresh_token"), ("refresh_token", token ?? ""), ("scope", "bolt.account.view"),
        ])
    }

    func account(_ token: String?) async throws -> (status: Int, json: JSONValue) {
        let response = try await TestClient.shared.send(
            .get,
            sandbox.bolt.accountEndpoint,
            headers: ["Authorization": "Bearer \(token ?? "")", "X-API-Key": sandbox.bolt.configuration.apiKey]
        )
        #expect(response.headers["x-bolt-trace-id"] != nil)
        return (response.status, try JSONValue(parsing: response.body))
    }
}

@Suite struct BoltTests {
    @Test("no account has an empty telephone number")
    func emptyPhone() async throws {
        var settings = SandboxConfiguration()
        settings.buyers[0].phone = ""
        let sandbox = try await ShopSandbox.start(settings)
        let answer = try await TestClient.shared.send(
            .get,
            sandbox.bolt.accountEndpoint + "/exists?phone=",
            headers: ["X-Publishable-Key": sandbox.bolt.configuration.publishableKey]
        )
        #expect(try JSONValue(parsing: answer.body)["has_bolt_account"] == .bool(false))
        await sandbox.stop()
    }

    @Test("a buyer signs in at Bolt with a secret, with PKCE alone, and with both")
    func login() async throws {
        let sandbox = try await ShopSandbox.start()
        for (usesPKCE, sendsSecret) in [(false, true), (true, false), (true, true)] {
            let login = BoltLogin(sandbox: sandbox, usesPKCE: usesPKCE, sendsSecret: sendsSecret)
            let code = try await login.code()
            let answer = try await login.exchange(code, verifier: usesPKCE ? TestClient.verifier : nil)
            #expect(answer.status == 200)
            #expect(answer.json["scope"]?.string == "bolt.account.manage openid")
            let claims = TestClient.part(1, of: answer.json["id_token"]?.string ?? "")
            #expect(claims["iss"]?.string == "https://api-sandbox.boltapp.com")
            #expect(claims["first_name"]?.string == "Ada")
            let account = try await login.account(answer.json["access_token"]?.string)
            #expect(account.json["profile"]?["email"]?.string == "ada@example.com")
            #expect(account.json["addresses"]?.array?.first?["region_code"]?.string == "CA")
        }
        await sandbox.stop()
    }

    @Test(
        "a refresh returns the scope for reading and no ID token, and a second use of the same refresh token revokes all tokens"
    )
    func refresh() async throws {
        let sandbox = try await ShopSandbox.start()
        let login = BoltLogin(sandbox: sandbox)
        let first = try await login.exchange(try await login.code()).json
        let second = try await login.refresh(first["refresh_token"]?.string).json
        #expect(second["scope"]?.string == "bolt.account.view")
        #expect(second["id_token"] == nil)
        let replaced = try await login.account(first["access_token"]?.string)
        #expect(replaced.status == 403)
        #expect(replaced.json["errors"]?.array?.first?["code"]?.number?.integer == 18)
        #expect(try await login.account(second["access_token"]?.string).status == 200)
        #expect(try await login.refresh(first["refresh_token"]?.string).json["error"]?.string == "invalid_grant")
        #expect(try await login.account(second["access_token"]?.string).status == 403)
        #expect(sandbox.bolt.counters.reusesPunished == 1)
        await sandbox.stop()
    }

    @Test("a missing, wrong or unexpected verifier gives invalid_grant; a missing secret gives invalid_client")
    func refusals() async throws {
        let sandbox = try await ShopSandbox.start()
        let plain = BoltLogin(sandbox: sandbox)
        let pkce = BoltLogin(sandbox: sandbox, usesPKCE: true)
        let (plainCode, pkceCode) = (try await plain.code(), try await pkce.code())
        #expect(
            try await plain.exchange(plainCode, verifier: TestClient.verifier).json["error"]?.string == "invalid_grant"
        )
        #expect(try await pkce.exchange(pkceCode).json["error"]?.string == "invalid_grant")
        #expect(try await pkce.exchange(pkceCode, verifier: "x").json["error"]?.string == "invalid_grant")
        let secretless = BoltLogin(sandbox: sandbox, sendsSecret: false)
        #expect(try await secretless.exchange(plainCode).status == 401)
        #expect(try await plain.exchange(plainCode).status == 200)
        await sandbox.stop()
    }

    @Test("a second use of a code at SFCC is refused, and revokes the tokens of the login")
    func reusedCode() async throws {
        let sandbox = try await ShopSandbox.start()
        let login = BoltLogin(sandbox: sandbox)
        let code = try await login.code()
        let token = try await login.exchange(code).json["access_token"]?.string
        #expect(try await login.account(token).status == 200)
        let url = FormText.append([("code", code), ("state", "state-123")], to: sandbox.sfcc.codeExchangeURL)
        #expect(try await TestClient.shared.send(.get, url).status == 401)
        #expect(try await login.account(token).status == 403)
        #expect(sandbox.bolt.counters.reusesPunished == 1)
        await sandbox.stop()
    }

    @Test("SFCC returns its JWT, in each configured place, to a client that keeps the cookies between the two steps")
    func sfcc() async throws {
        let sandbox = try await ShopSandbox.start()
        let placements: [SandboxSFCCConfiguration.TokenPlacement] =
            [.header]
            + ["access_token", "accessToken", "token", "jwt", "bearerToken", "authToken"].map { .json(path: [$0]) }
            + [.json(path: ["data", "token"])]
        for placement in placements {
            sandbox.sfcc.configure { $0.tokenPlacement = placement }
            let url = FormText.append(
                [("code", try await BoltLogin(sandbox: sandbox).code()), ("state", "state-123")],
                to: sandbox.sfcc.codeExchangeURL
            )
            let first = try await TestClient.shared.send(.get, url)
            #expect(first.status == 200)
            let cookies = first.headers.values(for: "set-cookie").compactMap {
                $0.split(separator: ";").first.map(String.init)
            }
            let forgetful = try await TestClient.shared.send(.post, sandbox.sfcc.tokenExchangeURL, body: "")
            #expect(forgetful.status == 401)
            let second = try await TestClient.shared.send(
                .post,
                sandbox.sfcc.tokenExchangeURL,
                headers: ["Cookie": cookies.joined(separator: "; ")],
                body: ""
            )
            var token = second.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) }
            if case .json(let path) = placement {
                token = path.reduce(try JSONValue(parsing: second.body)) { $0[$1] ?? .null }.string
            }
            #expect(TestClient.part(1, of: token ?? "")["email"]?.string == "ada@example.com")
        }
        let pkceCode = try await BoltLogin(sandbox: sandbox, usesPKCE: true).code()
        let refused = try await TestClient.shared.send(
            .get,
            FormText.append([("code", pkceCode), ("state", "s")], to: sandbox.sfcc.codeExchangeURL)
        )
        #expect(refused.status == 401)
        #expect(try await TestClient.shared.send(.get, sandbox.sfcc.origin + "/oauth2/jwks").status == 200)
        #expect(sandbox.sfcc.counters.jwksFetches == 1)
        await sandbox.stop()
    }
}

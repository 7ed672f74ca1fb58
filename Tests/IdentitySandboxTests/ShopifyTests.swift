import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct ShopifyTests {
    @Test(
        "a buyer signs in at Shopify with every client type, with both forms of endpoints",
        arguments: [SandboxShopifyClient.confidential, .publicMobile, .publicWeb, .app],
        [SandboxShopifyConfiguration.EndpointShape.platform, .accountDomain]
    )
    func login(client: SandboxShopifyClient, shape: SandboxShopifyConfiguration.EndpointShape) async throws {
        var configuration = SandboxConfiguration()
        configuration.shopify.endpointShape = shape
        let sandbox = try await ShopSandbox.start(configuration)
        let discovered = try await TestClient.shared.json(
            sandbox.storefront.origin + "/.well-known/openid-configuration"
        )
        #expect(discovered["issuer"]?.string == sandbox.shopify.issuer)
        #expect(discovered["token_endpoint"]?.string == sandbox.shopify.endpoints.token)
        let answer = try await ShopifyLogin(sandbox, client).tokens()
        let access = try #require(answer["access_token"]?.string)
        #expect(access.hasPrefix("shcat_"))
        #expect(answer["expires_in"]?.number?.integer == 3600)
        #expect((answer["refresh_token"]?.string == nil) == (client.kind == .app))
        #expect(answer["token_type"]?.string == "bearer")
        #expect(answer["scope"] == nil)
        let claims = TestClient.part(1, of: answer["id_token"]?.string ?? "")
        #expect(claims["nonce"]?.string == "nonce-1")
        #expect(claims["aud"]?.string == client.id)
        #expect(claims["email"]?.string == "ada@example.com")
        let customer = try await TestClient.shared.graphQL(
            sandbox.shopify.endpoints.api,
            "query { customer { id emailAddress { emailAddress } } }",
            headers: ShopifyLogin(sandbox, client).headers.merging(["Authorization": access]) { $1 }
        )
        #expect(customer["data"]?["customer"]?["emailAddress"]?["emailAddress"]?.string == "ada@example.com")
        #expect(sandbox.shopify.counters.exchanges == 1)
        await sandbox.stop()
    }

    @Test(
        "the ID token verifies with the published key, also after a rotation, but not after a rotation that removes the key"
    )
    func signature() async throws {
        let sandbox = try await ShopSandbox.start()
        let token = try #require(try await ShopifyLogin(sandbox).tokens()["id_token"]?.string)
        #expect(try await verifies(token, sandbox))
        sandbox.shopify.rotateSigningKey()
        #expect(try await verifies(token, sandbox))
        sandbox.shopify.rotateSigningKey(keepingOld: false)
        #expect(try await verifies(token, sandbox) == false)
        await sandbox.stop()
    }

    private func verifies(_ token: String, _ sandbox: ShopSandbox) async throws -> Bool {
        let keys = try await TestClient.shared.json(sandbox.shopify.endpoints.jwks)["keys"]?.array ?? []
        let keyID = TestClient.part(0, of: token)["kid"]
        guard let jwk = keys.first(where: { $0["kid"] == keyID }) else { return false }
        let parts = token.split(separator: ".").map(String.init)
        let key = try VerificationKey.rsa(
            modulus: Base64URL.decode(jwk["n"]?.string ?? "") ?? [],
            exponent: Base64URL.decode(jwk["e"]?.string ?? "") ?? []
        )
        return key.verify(
            Base64URL.decode(parts[2]) ?? [],
            of: Array("\(parts[0]).\(parts[1])".utf8),
            algorithm: .rs256
        )
    }

    @Test("a refresh token works once, and its reuse revokes all tokens of the login")
    func refreshReuse() async throws {
        let sandbox = try await ShopSandbox.start()
        let login = ShopifyLogin(sandbox)
        let first = try await login.tokens()
        let second = try await login.refresh(first["refresh_token"]?.string)
        #expect(second.status == 200)
        #expect(second.json["id_token"] == nil)
        #expect(second.json["refresh_token"] != first["refresh_token"])
        let reuse = try await login.refresh(first["refresh_token"]?.string)
        #expect(reuse.status == 400)
        #expect(reuse.json["error"]?.string == "invalid_grant")
        #expect(try await login.refresh(second.json["refresh_token"]?.string).status == 400)
        #expect(sandbox.shopify.counters.reusesPunished == 1)
        #expect(sandbox.shopify.counters.refreshes == 1)
        await sandbox.stop()
    }

    @Test("a code is used once, by its client, with its redirect URI and its verifier")
    func codeRules() async throws {
        let sandbox = try await ShopSandbox.start()
        var login = ShopifyLogin(sandbox)
        let code = try await login.code()
        login.redirectURI += "/"
        #expect(try await login.exchange(code).json["error"]?.string == "invalid_grant")
        login.redirectURI.removeLast()
        #expect(try await ShopifyLogin(sandbox, .publicMobile).exchange(code).json["error"]?.string == "invalid_grant")
        let wrong = try await TestClient.shared.form(
            sandbox.shopify.endpoints.token,
            [
                ("grant_type", "authorization_code"), ("client_id", login.client.id), ("code", code),
                ("redirect_uri", login.redirectURI), ("code_verifier", String(TestClient.verifier.reversed())),
            ],
            headers: login.headers
        )
        #expect(wrong.json["error"]?.string == "invalid_grant")
        #expect(try await login.exchange(code).status == 200)
        #expect(try await login.exchange(code).json["error"]?.string == "invalid_grant")
        await sandbox.stop()
    }

    @Test(
        "the token endpoint refuses a wrong Origin, a missing User-Agent or client_id, refreshes of an app, and a wrong shop id"
    )
    func traps() async throws {
        let sandbox = try await ShopSandbox.start()
        let url = sandbox.shopify.endpoints.token
        var web = ShopifyLogin(sandbox, .publicWeb)
        web.headers["Origin"] = "https://evil.example"
        #expect(try await web.exchange("x").status == 401)
        let agentless = try await TestClient.shared.form(url, [("client_id", "x")], headers: ["User-Agent": ""])
        #expect(agentless.status == 403)
        let login = ShopifyLogin(sandbox)
        let bodyless = try await TestClient.shared.form(
            url,
            [("grant_type", "refresh_token"), ("refresh_token", "x")],
            headers: login.headers
        )
        #expect(bodyless.json["error"]?.string == "invalid_request")
        var wrongSecret = login
        wrongSecret.headers["Authorization"] = TestClient.basic(login.client.id, "wrong")
        #expect(try await wrongSecret.refresh("x").json["error"]?.string == "invalid_client")
        let app = try await ShopifyLogin(sandbox, .app).refresh("x")
        #expect(app.status == 400)
        #expect(app.json["error"]?.string == "unsupported_grant_type")
        let elsewhere = url.replacing("82920341806", with: "1")
        #expect(try await TestClient.shared.form(elsewhere, []).status == 301)
        let bearer = try await TestClient.shared.graphQL(
            sandbox.shopify.endpoints.api,
            "{ customer { id } }",
            headers: ["Authorization": "Bearer shcat_x"]
        )
        #expect(bearer["errors"]?.array?.first?["message"]?.string == "Invalid token, missing prefix shcat_.")
        await sandbox.stop()
    }

    @Test("prompt=none gives login_required until the browser is signed in, and a logout signs the browser out")
    func silentLogin() async throws {
        let sandbox = try await ShopSandbox.start()
        let login = ShopifyLogin(sandbox)
        let buyer = SandboxBuyer()
        let silent = login.authorizationURL + "&prompt=none"
        let refused = try await buyer.login(at: silent, redirectURI: login.redirectURI)
        #expect(TestClient.query(refused) == ["error": "login_required", "state": "state-1"])
        let code = try await login.code(buyer)
        let token = try await login.exchange(code).json["id_token"]?.string ?? ""
        let passed = try await buyer.login(at: silent, redirectURI: login.redirectURI)
        #expect(TestClient.query(passed)["code"]?.hasPrefix("shcac_") == true)
        let target = "http://127.0.0.1:9/callback"
        let logout = FormText.append(
            [("id_token_hint", token), ("post_logout_redirect_uri", target)],
            to: sandbox.shopify.endpoints.logout
        )
        #expect(try await TestClient.shared.send(.get, logout).headers["location"] == target)
        let afterwards = try await buyer.login(at: silent, redirectURI: login.redirectURI)
        #expect(TestClient.query(afterwards)["error"] == "login_required")
        #expect(try await TestClient.shared.send(.get, sandbox.shopify.endpoints.logout).status == 400)
        await sandbox.stop()
    }

    @Test(
        "the simulated buyer mistypes, denies and closes the page; an unregistered redirect URI gets a page and no callback"
    )
    func robot() async throws {
        let sandbox = try await ShopSandbox.start()
        var login = ShopifyLogin(sandbox)
        #expect(try await login.code(SandboxBuyer(behaviour: .mistypeCode)).hasPrefix("shcac_"))
        let denied = try await SandboxBuyer(behaviour: .deny).login(
            at: login.authorizationURL,
            redirectURI: login.redirectURI
        )
        #expect(TestClient.query(denied)["error"] == "access_denied")
        #expect(TestClient.query(denied)["state"] == "state-1")
        let closing = login
        await #expect(throws: CancellationError.self) {
            _ = try await closing.code(SandboxBuyer(behaviour: .close))
        }
        login.redirectURI = "https://evil.example/callback"
        let page = try await TestClient.shared.send(.get, login.authorizationURL)
        #expect(page.status == 400)
        #expect(page.headers["location"] == nil)
        await sandbox.stop()
    }

    @Test(
        "the token endpoint names a missing parameter, and needs client_id beside HTTP Basic unless configured otherwise"
    )
    func missingParameters() async throws {
        for isRequired in [true, false] {
            var configuration = SandboxConfiguration()
            configuration.shopify.requiresClientIDBesideBasic = isRequired
            configuration.shopify.includesTokenType = isRequired
            configuration.shopify.includesScope = !isRequired
            let sandbox = try await ShopSandbox.start(configuration)
            let login = ShopifyLogin(sandbox)
            let code = try await login.code()
            let fields: [(name: String, value: String)] = [
                ("grant_type", "authorization_code"), ("client_id", login.client.id),
                ("redirect_uri", login.redirectURI),
                ("code", code), ("code_verifier", TestClient.verifier),
            ]
            func send(without name: String) async throws -> (status: Int, json: JSONValue) {
                try await TestClient.shared.form(
                    sandbox.shopify.endpoints.token,
                    fields.filter { $0.name != name },
                    headers: login.headers
                )
            }
            for name in ["grant_type", "redirect_uri", "code"] {
                let answer = try await send(without: name)
                #expect(answer.json["error_description"]?.string == "\(name) is missing.")
            }
            let answer = try await send(without: "client_id")
            #expect(answer.status == (isRequired ? 400 : 200), "\(answer)")
            if isRequired {
                #expect(answer.json["error_description"]?.string == "client_id is missing.")
                #expect(try await send(without: "none").json["token_type"]?.string == "bearer")
            } else {
                #expect(answer.json["token_type"] == nil)
                #expect(answer.json["scope"]?.string?.contains("openid") == true)
            }
            let refresh = try await TestClient.shared.form(
                sandbox.shopify.endpoints.token,
                [("grant_type", "refresh_token"), ("client_id", login.client.id)],
                headers: login.headers
            )
            #expect(refresh.json["error_description"]?.string == "refresh_token is missing.")
            await sandbox.stop()
        }
    }

    @Test("a public client must send code_verifier") func missingVerifier() async throws {
        let sandbox = try await ShopSandbox.start()
        let answer = try await TestClient.shared.form(
            sandbox.shopify.endpoints.token,
            [
                ("grant_type", "authorization_code"), ("client_id", SandboxShopifyClient.publicMobile.id),
                ("redirect_uri", "http://127.0.0.1/callback"), ("code", "x"),
            ]
        )
        #expect(answer.json["error_description"]?.string == "code_verifier is missing.")
        await sandbox.stop()
    }

    @Test("the shop publishes the metadata of its authorization server and of the protected resource")
    func sisterDocuments() async throws {
        let sandbox = try await ShopSandbox.start()
        func document(_ name: String) async throws -> JSONValue {
            try await TestClient.shared.json(sandbox.storefront.origin + "/.well-known/" + name)
        }
        #expect(try await document("oauth-authorization-server") == document("openid-configuration"))
        let resource = try await document("oauth-protected-resource")
        #expect(resource["authorization_servers"]?.strings == [sandbox.shopify.issuer])
        #expect(resource["resource"] == (try await document("customer-account-api"))["mcp_api"])
        await sandbox.stop()
    }
}

import IdentityCrypto
import IdentityHTTP
import IdentityKit
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite("The sandbox's registered URIs and its metadata")
struct RegistrationTests {
    static let goodLoopback = [
        "http://127.0.0.1/callback", "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback",
        "http://[::1]/callback", "http://[::1]:49152/callback",
    ]
    static let badURIs = [
        "http://127.0.0.1:9@app.example/callback", "http://127.0.0.1:9@app.example/cb", "http://127.0.0.1/callback#x",
        "http://127.0.0.1:9/callback#x", "http://127.0.0.1/other", "http://127.0.0.1/callback/", "http://127.0.0.1/",
        "http://127.0.0.1", "http://127.0.0.1/callback?a=b", "http://127.0.0.1/Callback", "http://127.0.0.1:/callback",
        "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:+9/callback",
        "http://127.0.0.1.evil.example/callback", "http://localhost/callback", "http://localhost:9/callback",
        "https://127.0.0.1/callback", "HTTP://127.0.0.1/callback", "http://127.0.0.2/callback",
        "https://app.example:443/callback", "https://app.example/callback?x", "https://app.example/callback#x",
        "https://app.example/callback/", "https://user@app.example/callback",
    ]

    /// Whether each provider accepts a redirect URI; a provider that refuses it shows a page with status 400.
    private func answers(_ sandbox: ShopSandbox, _ redirectURI: String) async throws -> [Int] {
        let common: [(name: String, value: String)] = [
            ("response_type", "code"), ("redirect_uri", redirectURI), ("state", "state-12345"),
            ("code_challenge", TestClient.challenge), ("code_challenge_method", "S256"),
        ]
        let requests: [(String, String, String)] = [
            (sandbox.openID.authorizationEndpoint, sandbox.openID.configuration.clientID, "openid"),
            (sandbox.shopify.endpoints.authorization, SandboxShopifyClient.confidential.id, "openid"),
            (sandbox.bolt.authorizationEndpoint, sandbox.bolt.configuration.publishableKey, "openid"),
        ]
        var statuses: [Int] = []
        for (endpoint, clientID, scope) in requests {
            let url = FormText.append([("client_id", clientID), ("scope", scope)] + common, to: endpoint)
            statuses.append(try await TestClient.shared.send(.get, url).status)
        }
        return statuses
    }

    @Test("a redirect URI must equal a registered one byte for byte, and only the port of a loopback URI may differ")
    func redirectURIs() async throws {
        let sandbox = try await ShopSandbox.start()
        for uri in Self.goodLoopback + ["https://app.example/callback"] {
            let found = try await answers(sandbox, uri)
            // At Bolt, its own callback and loopback URIs are registered.
            #expect(found.prefix(2).allSatisfy { $0 == 302 || $0 == 303 }, "\(uri): \(found)")
            #expect(found[2] == 302 || found[2] == 303 || uri.hasPrefix("https"), "\(uri): \(found)")
        }
        for uri in Self.badURIs { #expect(try await answers(sandbox, uri) == [400, 400, 400], "\(uri)") }
        await sandbox.stop()
    }

    @Test("a redirect URI of the printed configuration is registered at every client")
    func printed() async throws {
        let sandbox = try await ShopSandbox.start()
        let uri = "http://127.0.0.1/signed-in?x=1"
        #expect(try await answers(sandbox, uri) == [400, 400, 400])
        _ = sandbox.labConfiguration(redirectURI: uri)
        #expect(try await answers(sandbox, uri).allSatisfy { $0 == 302 || $0 == 303 })
        #expect(try await answers(sandbox, "http://127.0.0.1:8/signed-in?x=1").allSatisfy { $0 == 302 || $0 == 303 })
        #expect(try await answers(sandbox, "http://127.0.0.1/signed-in") == [400, 400, 400])
        await sandbox.stop()
    }

    @Test("a logout URI that does not equal a registered one byte for byte is refused", arguments: badURIs)
    func logoutURIs(uri: String) async throws {
        let login = try await OpenIDLogin.start()
        func status(_ uri: String) async throws -> Int {
            let fields: OpenIDLogin.Fields = [
                ("client_id", login.openID.configuration.clientID), ("post_logout_redirect_uri", uri),
            ]
            return try await TestClient.shared.send(.get, FormText.append(fields, to: login.openID.endSessionEndpoint))
                .status
        }
        // The question whether to sign out; the buyer answers it.
        #expect(try await status("http://127.0.0.1:9/callback") == 200)
        #expect(try await status(uri) == 400)
        await login.sandbox.stop()
    }

    @Test("a JavaScript origin must equal a registered one, and only the port of a loopback origin may differ")
    func origins() async throws {
        let sandbox = try await ShopSandbox.start()
        for (origin, isGood) in [
            ("https://app.example", true), ("http://127.0.0.1:3000", true), ("http://[::1]", true),
            ("http://127.0.0.1:9@app.example", false), ("http://localhost:3000", false),
            ("https://evil.example", false),
        ] {
            let answer = try await TestClient.shared.form(
                sandbox.shopify.endpoints.token,
                [
                    ("grant_type", "authorization_code"), ("client_id", SandboxShopifyClient.publicWeb.id),
                    ("code", "x"), ("redirect_uri", "https://app.example/callback"),
                    ("code_verifier", TestClient.verifier),
                ],
                headers: ["Origin": origin]
            )
            #expect((answer.json["error"] == .string("invalid_grant")) == isGood, "\(origin): \(answer)")
        }
        await sandbox.stop()
    }

    @Test("form-encoding changes only the secrets with special characters, not the default secrets")
    func secrets() async throws {
        let defaults = [SandboxOpenIDConfiguration().clientSecret, SandboxShopifyClient.confidential.secret]
        for secret in defaults.compactMap(\.self) { #expect(FormEncoding.escape(secret) == secret) }
        for secret in [SandboxOpenIDConfiguration.specialClientSecret, SandboxShopifyClient.specialSecret] {
            #expect(FormEncoding.escape(secret) != secret)
        }
        for (secret, verbatimIsGood) in [
            (defaults[0] ?? "", true), (SandboxOpenIDConfiguration.specialClientSecret, false),
        ] {
            let login = try await OpenIDLogin.start { $0.clientSecret = secret }
            let id = login.openID.configuration.clientID
            for (sent, isGood) in [(FormEncoding.escape(secret), true), (secret, verbatimIsGood)] {
                let answer = try await login.token(
                    login.exchange(code: try await login.code()),
                    headers: ["Authorization": TestClient.basic(id, sent)]
                )
                #expect((answer.status == 200) == isGood, "\(sent): \(answer)")
            }
            await login.sandbox.stop()
        }
    }

    @Test("PKCE can be required of a client with a secret")
    func requiredPKCE() async throws {
        let without: OpenIDLogin.Fields = [("code_challenge", ""), ("code_challenge_method", "")]
        for isRequired in [false, true] {
            let login = try await OpenIDLogin.start { $0.requiresPKCE = isRequired }
            let answer = try await login.callback(without)
            #expect((answer["code"] != nil) == !isRequired)
            #expect((answer["error"] == "invalid_request") == isRequired)
            #expect(try await login.code() != "")
            await login.sandbox.stop()
        }
    }

    @Test("unknown scopes are dropped and the granted ones returned, for browsers, pushed requests and devices")
    func scopes() async throws {
        let login = try await OpenIDLogin.start {
            $0.pushedRequests = .accepted
            $0.supportsDeviceAuthorization = true
        }
        let wanted: OpenIDLogin.Fields = [("scope", "email pets openid offline_access address email:write")]
        let answer = try await login.token(login.exchange(code: try await login.code(wanted)) + login.credentials)
        #expect(answer.json["scope"] == .string("email openid offline_access"))

        let pushed = try await login.post(
            login.openID.pushedRequestEndpoint,
            login.parameters(wanted + [("client_secret", login.openID.configuration.clientSecret ?? "")])
        )
        let reference: OpenIDLogin.Fields = [
            ("client_id", login.openID.configuration.clientID),
            ("request_uri", pushed.json["request_uri"]?.string ?? ""),
        ]
        let url = FormText.append(reference, to: login.openID.authorizationEndpoint)
        let callback = try await SandboxBuyer().login(at: url, redirectURI: login.redirectURI)
        let code = TestClient.query(callback)["code"] ?? ""
        let second = try await login.token(login.exchange(code: code) + login.credentials)
        #expect(second.json["scope"] == .string("email openid offline_access"), "\(pushed) \(callback) \(second)")

        let device = try await login.post(login.openID.deviceAuthorizationEndpoint, wanted + login.credentials)
        let page = login.openID.verificationURI
        try await SandboxBuyer().answerDevice(at: page, userCode: device.json["user_code"]?.string ?? "")
        let third = try await login.token(
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", device.json["device_code"]?.string ?? ""),
            ] + login.credentials
        )
        #expect(third.json["scope"] == .string("email openid offline_access"), "\(device) \(third)")
        await login.sandbox.stop()
    }

    @Test("a provider without refresh tokens neither announces nor grants offline_access")
    func offlineAccess() async throws {
        let login = try await OpenIDLogin.start { $0.issuesRefreshTokens = false }
        #expect(try await login.metadata()["scopes_supported"]?.strings?.contains("offline_access") == false)
        let code = try await login.code([("scope", "openid offline_access")])
        let answer = try await login.token(login.exchange(code: code) + login.credentials)
        #expect(answer.json["scope"] == .string("openid"))
        await login.sandbox.stop()
    }

    @Test("the metadata announce only the enabled features")
    func metadata() async throws {
        let plain = try await OpenIDLogin.start()
        let metadata = try await plain.metadata()
        #expect(metadata["response_types_supported"]?.strings == ["code"])
        #expect(metadata["request_uri_parameter_supported"] == .bool(false))
        for absent in [
            "backchannel_logout_supported", "backchannel_logout_session_supported", "revocation_endpoint",
            "pushed_authorization_request_endpoint", "device_authorization_endpoint", "acr_values_supported",
            "dpop_signing_alg_values_supported",
        ] {
            #expect(metadata[absent] == nil, "\(absent)")
        }
        for (name, value) in metadata.object?.members ?? [] where name.hasSuffix("_endpoint") || name == "jwks_uri" {
            let answer = try await TestClient.shared.send(.get, value.string ?? "")
            #expect(answer.status != 404, "\(name)")
        }
        await plain.sandbox.stop()

        let full = try await OpenIDLogin.start {
            $0.backchannelLogoutURI = "https://app.example/backchannel"
            $0.supportsRevocation = true
            $0.clientAuthentication = .clientSecretPost
            var other = SandboxOpenIDClient()
            other.clientID = "other"
            other.clientAuthentication = .privateKeyJWT
            $0.furtherClients = [other]
        }
        let announced = try await full.metadata()
        #expect(announced["backchannel_logout_supported"] == .bool(true))
        let methods = announced["revocation_endpoint_auth_methods_supported"]?.strings
        #expect(methods == ["client_secret_post", "private_key_jwt"])
        // RFC 8414 section 2 requires this member beside `private_key_jwt`.
        let algorithms = announced["revocation_endpoint_auth_signing_alg_values_supported"]?.strings
        #expect(algorithms == full.openID.configuration.clientSigningAlgorithms)
        await full.sandbox.stop()
    }
}

import IdentityHTTP
import IdentityKit
import IdentityTesting
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite("The configuration file of the OpenID provider")
struct OpenIDFileTests {
    private static func read(_ text: String) throws -> SandboxOpenIDConfiguration {
        try SandboxOpenIDConfiguration(json: Array(text.utf8))
    }

    @Test(
        "a wrong member is refused with its path, and an unknown one with the nearest known name",
        arguments: [
            (#"{ "client": [] }"#, "member client is not known; did you mean clients?"),
            (#"{ "clients": [] }"#, "member clients must be a list of objects"),
            (#"{ "clients": [1] }"#, "member clients must be a list of objects"),
            (#"{ "clients": [{ "clientId": "a" }] }"#, "clients[0].clientId is not known; did you mean clientID?"),
            (#"{ "clients": [{}, {}] }"#, "clients[1].clientID is the id of another client too"),
            (
                #"{ "clients": [{ "authentication": "client_secret_jwt" }] }"#,
                "clients[0].authentication must be one of none"
            ),
            (#"{ "clients": [{ "authentication": "private_key_jwt" }] }"#, "clients[0].jwks is missing"),
            (#"{ "clients": [{ "authentication": "client_secret_post" }] }"#, "clients[0].clientSecret is missing"),
            (
                #"{ "clients": [{ "authentication": "none", "clientSecret": "s" }] }"#,
                "clients[0].authentication is none"
            ),
            (#"{ "clients": [{ "jwks": {} }] }"#, "clients[0].jwks must be a JWK set"),
            (#"{ "clients": [{ "jwks": { "keys": [{ "kty": "oct" }] } }] }"#, "clients[0].jwks.keys[0] cannot be used"),
            (
                #"{ "clients": [{ "redirectURIs": ["/callback"] }] }"#,
                "clients[0].redirectURIs[0] is not an absolute URI"
            ),
            (#"{ "clients": [{ "redirectURIs": ["a:/b#c"] }] }"#, "clients[0].redirectURIs[0] is not an absolute URI"),
            (
                #"{ "clients": [{ "backChannelLogoutURI": "http://app.example" }] }"#,
                "clients[0].backChannelLogoutURI must be"
            ),
            (#"{ "clients": [{ "idTokenAlgorithm": "none" }] }"#, "clients[0].idTokenAlgorithm must be one of RS256"),
            (#"{ "issuer": "http://id.example" }"#, "issuer must be an https URL"),
            (#"{ "issuer": "https://id.example/" }"#, "issuer must be an origin"),
            (#"{ "dpop": "on" }"#, "dpop must be one of off, accepted, required"),
            (#"{ "dpopNonce": 1 }"#, "dpopNonce must be true or false"),
            (#"{ "rotation": "sometimes" }"#, "rotation must be \"always\", \"never\" or"),
            (#"{ "rotation": { "grace": 1 } }"#, "rotation.grace is not known"),
            (#"{ "rotation": {} }"#, "rotation must be \"always\", \"never\" or"),
            (#"{ "rotation": { "graceSeconds": 0 } }"#, "rotation.graceSeconds must be an integer from 1"),
            (#"{ "responseTypes": ["token"] }"#, "responseTypes must be a list of values among: code, id_token"),
            (#"{ "responseModes": ["web_message"] }"#, "responseModes must be a list of values among: query, fragment"),
            (#"{ "acrValues": "gold" }"#, "acrValues must be a list of one or more non-empty strings"),
            (#"{ "claimsIn": "cookies" }"#, "claimsIn must be one of userinfo, id_token"),
            (#"{ "lifetimes": { "access": 1 } }"#, "lifetimes.access is not known"),
            (#"{ "lifetimes": { "code": 1.5 } }"#, "lifetimes.code must be an integer"),
            (#"{ "dpop": "off", "dpop": "off" }"#, "could not be read as JSON"), ("[]", "must be a JSON object"),
        ]
    )
    func refused(text: String, message: String) throws {
        let error = try #require(throws: IdentityError.self) { try Self.read(text) }
        #expect(error.code == .configurationInvalid)
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.hint?.contains("Documentation/Using/Sandbox.md") == true)
        #expect(error.hint?.contains("Configuration.md") == false)
    }

    @Test(
        "the hint of a refused member is kept, and the reference to the page about the sandbox follows it",
        arguments: [
            ("[]", #"Write an object such as { "dpop": "off" }. "#),
            (
                #"{ "issuer": "http://id.example" }"#,
                "Write an https URL. Plain http is permitted only to a loopback address such as 127.0.0.1 or [::1]. "
            ),
            (
                #"{ "lifetimes": { "access": 1 } }"#,
                "Correct the name of the member, or remove the member. "
                    + "Known members: code, accessToken, idToken, refreshToken. "
            ),
            (#"{ "dpop": "on" }"#, ""),
        ]
    )
    func hint(text: String, advice: String) throws {
        let error = try #require(throws: IdentityError.self) { try Self.read(text) }
        #expect(error.hint == advice + #"See "The OpenID provider" in Documentation/Using/Sandbox.md."#)
    }

    @Test("with an empty file the sandbox offers every optional feature and requires none")
    func defaults() async throws {
        let login = try await OpenIDLogin.start { $0 = try Self.read("{}") }
        let metadata = try await login.metadata()
        #expect(metadata["require_pushed_authorization_requests"] == .bool(false))
        #expect(metadata["dpop_signing_alg_values_supported"] != nil)
        #expect(metadata["revocation_endpoint"] != nil)
        #expect(metadata["device_authorization_endpoint"] != nil)
        #expect(metadata["response_types_supported"]?.strings == ["code"])
        #expect(metadata["response_modes_supported"]?.strings == ["query", "fragment", "form_post"])
        let answer = try await login.token(login.exchange(code: try await login.code()) + login.credentials)
        #expect(answer.status == 200)
        #expect(answer.json["refresh_token"] != nil)
        await login.sandbox.stop()
    }

    @Test("the provider applies the members of the configuration file") func members() async throws {
        let login = try await OpenIDLogin.start {
            $0 = try Self.read(
                """
                { "pushedAuthorization": "off", "dpop": "off", "revocation": false, "acrValues": ["gold"],
                  "responseTypes": ["code", "code id_token"], "responseModes": ["query", "fragment"], "requiresPKCE": true,
                  "lifetimes": { "code": 5, "accessToken": 7, "idToken": 11, "refreshToken": 13 } }
                """
            )
        }
        let metadata = try await login.metadata()
        for absent in [
            "pushed_authorization_request_endpoint", "dpop_signing_alg_values_supported", "revocation_endpoint",
        ] {
            #expect(metadata[absent] == nil)
        }
        #expect(metadata["response_types_supported"]?.strings == ["code", "code id_token"])
        #expect(metadata["response_modes_supported"]?.strings == ["query", "fragment"])
        #expect(metadata["acr_values_supported"]?.strings == ["gold"])
        let withoutPKCE = try await login.callback([("code_challenge", ""), ("code_challenge_method", "")])
        #expect(withoutPKCE["error"] == "invalid_request")
        let late = try await login.code()
        login.clock.advance(by: .seconds(5))
        #expect(try await login.token(login.exchange(code: late) + login.credentials).status == 400)
        let tokens = try await login.token(login.exchange(code: try await login.code()) + login.credentials).json
        #expect(tokens["expires_in"] == .integer(7))
        let claims = TestClient.part(1, of: tokens["id_token"]?.string ?? "")
        #expect(claims["exp"] == .integer(login.now + 11))
        login.clock.advance(by: .seconds(13))
        let refresh = [
            (name: "grant_type", value: "refresh_token"), ("refresh_token", tokens["refresh_token"]?.string ?? ""),
        ]
        let answer = try await login.token(refresh + login.credentials)
        #expect(answer.json["error_description"]?.string == "The refresh token has expired.")
        await login.sandbox.stop()
    }

    @Test("each client has its own id, secret, addresses and tokens") func clients() async throws {
        let login = try await OpenIDLogin.start {
            $0 = try Self.read(
                """
                { "clients": [
                    { "clientID": "one", "clientSecret": "s1", "redirectURIs": ["https://one.example/cb"],
                      "postLogoutRedirectURIs": ["https://one.example/bye"] },
                    { "clientID": "two", "clientSecret": "s2", "authentication": "client_secret_post",
                      "redirectURIs": ["https://two.example/cb"], "idTokenAlgorithm": "ES384" },
                    { "clientID": "app", "redirectURIs": ["com.example.app:/cb"] } ] }
                """
            )
        }
        let provider = login.openID
        func code(_ id: String, _ uri: String) async throws -> String {
            let url = login.url([("client_id", id), ("redirect_uri", uri)])
            return TestClient.query(try await SandboxBuyer().login(at: url, redirectURI: uri))["code"] ?? ""
        }
        func exchange(_ code: String, _ uri: String, _ more: OpenIDLogin.Fields) async throws -> JSONValue {
            let fields: OpenIDLogin.Fields = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", uri),
                ("code_verifier", TestClient.verifier),
            ]
            return try await login.token(fields + more).json
        }
        let (first, second) = ("https://one.example/cb", "https://two.example/cb")
        let (one, two): (OpenIDLogin.Fields, OpenIDLogin.Fields) = (
            [("client_id", "one"), ("client_secret", "s1")], [("client_id", "two"), ("client_secret", "s2")]
        )
        for (id, uri) in [("one", second), ("two", first), ("app", "http://127.0.0.1/callback"), ("three", first)] {
            let url = login.url([("client_id", id), ("redirect_uri", uri)])
            #expect(try await TestClient.shared.send(.get, url).status == 400, "\(id)")
        }
        let foreign = try await exchange(try await code("one", first), first, two)
        #expect(foreign["error"] == .string("invalid_grant"))
        let wrongSecret: OpenIDLogin.Fields = [("client_id", "one"), ("client_secret", "s2")]
        let refused = try await exchange(try await code("one", first), first, wrongSecret)
        #expect(refused["error"] == .string("invalid_client"))
        let tokens = try await exchange(try await code("two", second), second, two)
        #expect(TestClient.part(0, of: tokens["id_token"]?.string ?? "")["alg"] == .string("ES384"))
        #expect(TestClient.part(1, of: tokens["id_token"]?.string ?? "")["aud"] == .string("two"))
        let refresh: OpenIDLogin.Fields = [
            ("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"]?.string ?? ""),
        ]
        #expect(try await login.token(refresh + one).json["error"] == .string("invalid_grant"))
        let revoke = [(name: "token", value: tokens["refresh_token"]?.string ?? "")]
        #expect(try await login.post(provider.revocationEndpoint, revoke + one).status == 200)
        #expect(try await login.token(refresh + two).status == 200)
        let pushed = try await login.post(
            provider.pushedRequestEndpoint,
            login.parameters([("client_id", "one"), ("redirect_uri", first), ("client_secret", "s1")])
        )
        let stolen: OpenIDLogin.Fields = [
            ("client_id", "two"), ("request_uri", pushed.json["request_uri"]?.string ?? ""),
        ]
        let url = FormText.append(stolen, to: provider.authorizationEndpoint)
        #expect(try await TestClient.shared.send(.get, url).status == 400)
        let publicTokens = try await exchange(
            try await code("app", "com.example.app:/cb"),
            "com.example.app:/cb",
            [("client_id", "app")]
        )
        #expect(publicTokens["access_token"] != nil)
        #expect(
            try await login.metadata()["token_endpoint_auth_methods_supported"]?.strings
                == ["none", "client_secret_basic", "client_secret_post"]
        )
        #expect(
            try await login.metadata()["id_token_signing_alg_values_supported"]?.strings == ["ES384", "RS256"]
        )
        let lab = login.sandbox.providers.labConfiguration()
        #expect(lab.json["providers"]?["any"]?["redirectURI"] == .string(first))
        #expect(lab.environment["OPENID_CLIENT_SECRET"] == "s1")
        await login.sandbox.stop()
    }

    @Test("all endpoint URLs begin with the issuer of the configuration file") func issuer() async throws {
        let login = try await OpenIDLogin.start { $0 = try Self.read(#"{ "issuer": "https://id.example" }"#) }
        #expect(login.openID.issuer == "https://id.example")
        #expect(login.openID.tokenEndpoint == "https://id.example/token")
        await login.sandbox.stop()
    }
}

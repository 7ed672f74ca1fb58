import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Testing

private struct NotFound: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        HTTPResponse(status: 404, headers: HTTPHeaders(), body: [])
    }
}

@Suite("Presets")
struct PresetTests {
    private static let tenant = "11111111-2222-3333-4444-555555555555"
    private static let otherTenant = "aaaaaaaa-2222-3333-4444-555555555555"

    private func provider(_ members: String) throws -> OpenIDProvider {
        let json =
            #"{"providers":{"p":{"kind":"openid","clientID":"c","redirectURI":"https://app.example/cb",\#(members)}}}"#
        let registry = try ProviderRegistry(
            try IdentityConfiguration(
                json: Array(json.utf8),
                environmentVariables: ["SECRET": "s3cret", "KEY": ClientKeys.p256, "BAD": "no key"]
            ),
            factories: [OpenIDProviderFactory()],
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        return try #require(try registry.provider(named: "p") as? OpenIDProvider)
    }

    @Test(
        "each preset sets the issuer, the scopes and the client authentication method",
        arguments: [
            (#""preset":"google""#, "https://accounts.google.com", "client_secret_basic"),
            (#""preset":"auth0","domain":"shop.eu.auth0.com""#, "https://shop.eu.auth0.com/", "client_secret_post"),
            (
                #""preset":"okta","domain":"shop.okta.com""#, "https://shop.okta.com/oauth2/default",
                "client_secret_basic"
            ),
            (
                #""preset":"okta","domain":"shop.okta.com","authorizationServer":"org""#, "https://shop.okta.com",
                "client_secret_basic"
            ),
            (
                #""preset":"keycloak","server":"https://id.example/","realm":"shop""#, "https://id.example/realms/shop",
                "client_secret_basic"
            ),
            (
                #""preset":"microsoft","directory":"common""#, "https://login.microsoftonline.com/common/v2.0",
                "client_secret_post"
            ),
            (
                #""preset":"microsoft","directory":"consumers""#,
                "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", "client_secret_post"
            ),
            (
                #""preset":"microsoft","directory":"\#(tenant)","authority":"https://login.microsoftonline.us""#,
                "https://login.microsoftonline.us/\(tenant)/v2.0", "client_secret_post"
            ),
            (
                #""preset":"microsoft","directory":"\#(otherTenant.uppercased())""#,
                "https://login.microsoftonline.com/\(otherTenant)/v2.0", "client_secret_post"
            ),
            (#""preset":"shop""#, "https://accounts.shop.app", "client_secret_post"),
        ]
    )
    func issuers(members: String, issuer: String, method: String) throws {
        let found = try provider(members + #","clientSecret":{"env":"SECRET"}"#)
        #expect(found.client.configuration.issuer == issuer)
        #expect(found.client.configuration.scopes.first == "openid")
        #expect(found.client.configuration.scopes.contains("email"))
        #expect(found.descriptor.clientType == method)
        let basic =
            #","clientSecret":{"env":"SECRET"},"clientAuthentication":"client_secret_basic","scopes":["openid"]"#
        let changed = try provider(members + basic)
        #expect(changed.descriptor.clientType == "client_secret_basic")
        #expect(changed.client.configuration.scopes == ["openid"])
    }

    @Test(
        "the members of presets are read strictly, and errors name them",
        arguments: [
            (#""preset":"gogle""#, "preset has an unknown value"),
            (
                #""preset":"google","issuer":"https://accounts.google.com""#,
                "issuer must not be set, because preset sets the issuer"
            ),
            (#""preset":"google","domain":"a.example""#, "domain is not known"),
            (#""issuer":"https://id.example","directory":"common""#, "directory is not known"),
            (#""preset":"auth0""#, "domain is missing"),
            (#""preset":"auth0","domain":"https://a.example""#, "domain is not a domain name"),
            (#""preset":"auth0","domain":"a.example/x""#, "domain is not a domain name"),
            (#""preset":"okta","domain":"a.example","authorizationServer":"a/b""#, "authorizationServer must"),
            (#""preset":"keycloak","server":"https://id.example""#, "realm is missing"),
            (#""preset":"keycloak","realm":"r""#, "server is missing"),
            (#""preset":"keycloak","server":"id.example","realm":"r""#, "server is not an https URL"),
            (#""preset":"keycloak","server":"https://id.example","realm":"..""#, "realm must"),
            (#""preset":"microsoft""#, "directory is missing"),
            (
                #""preset":"microsoft","directory":"contoso.onmicrosoft.com""#,
                "directory is neither a tenant id nor a known name"
            ),
            (#""preset":"microsoft","directory":"abc-def""#, "directory is neither a tenant id nor a known name"),
            (
                #""preset":"microsoft","directory":"common","authority":"https://a.example/x""#,
                "authority is not an origin"
            ),
            (#""preset":"apple","clientKeyID":"k","clientKey":{"env":"KEY"}"#, "teamID is missing"),
            (#""preset":"apple","teamID":"t","clientKey":{"env":"KEY"}"#, "clientKeyID is missing"),
            (#""preset":"apple","teamID":"t","clientKeyID":"k""#, "clientKey is missing"),
            (#""preset":"apple","teamID":"t","clientKeyID":"k","clientKey":{"env":"BAD"}"#, "clientKey cannot be used"),
            (
                #""preset":"apple","teamID":"t","clientKeyID":"k","clientKey":{"env":"KEY"},"clientSecret":{"env":"SECRET"}"#,
                "clientSecret is not known"
            ),
        ]
    )
    func strict(members: String, message: String) throws {
        let error = #expect(throws: IdentityError.self) { try provider(members) }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("providers.p.\(message)") == true, "\(error?.message ?? "")")
        #expect(error?.hint?.isEmpty == false)
    }

    @Test("Microsoft requests a refresh token, and Shop's metadata have the address of RFC 8414")
    func settings() {
        let microsoft = OpenIDProvider.Configuration.microsoft(name: "m", clientID: "c", directory: .consumers)
        #expect(microsoft.scopes == ["openid", "email", "profile", "offline_access"])
        let discovery = OpenIDProvider.Configuration.shop(name: "s", clientID: "c").endpoints.discovery
        #expect(discovery?.text == "https://accounts.shop.app/.well-known/oauth-authorization-server")
    }

    @Test("an error of Shop's metadata names the members from which their address comes")
    func addressOfShop() async throws {
        let transport = NotFound()
        var configuration = OpenIDProvider.Configuration.shop(name: "s", clientID: "c")
        configuration.redirectURI = "https://app.example/cb"
        let provider = try OpenIDProvider(configuration, environment: IdentityEnvironment(transport: transport))
        let error = await #expect(throws: IdentityError.self) { try await provider.client.metadata() }
        #expect(error?.hint?.contains("Check preset or endpoints.discovery in") == true, "\(error?.hint ?? "")")
    }

    @Test("an Apple entry sends a client secret that it signs itself, and requests a posted response")
    func appleEntry() throws {
        let apple = try provider(#""preset":"apple","teamID":"t","clientKeyID":"k","clientKey":{"env":"KEY"}"#)
        #expect(apple.client.configuration.issuer == "https://appleid.apple.com")
        #expect(apple.client.configuration.scopes == ["openid", "email", "name"])
        #expect(apple.descriptor.responseMode == .formPost)
        #expect(apple.descriptor.clientType == "client_secret_post")
    }

    @Test("Microsoft: the member issuers restricts the tenants, and the issuer template of the metadata stays accepted")
    func microsoftIssuers() throws {
        let base = "https://login.microsoftonline.com"
        let ours = "\(base)/\(Self.tenant)/v2.0"
        let members = #""preset":"microsoft","directory":"organizations""#
        let all = try #require(try provider(members).client.configuration.acceptedIssuers)
        let few = try provider(members + #","issuers":["\#(ours)"]"#).client.configuration.acceptedIssuers
        let one = try #require(few)
        for (issuer, isInAll, isInOne) in [
            (ours, true, true), ("\(base)/{tenantid}/v2.0", true, true),
            ("\(base)/\(Self.otherTenant)/v2.0", true, false), ("\(base)/common/v2.0", false, false),
            ("https://evil.example/\(Self.tenant)/v2.0", false, false),
        ] {
            #expect(all.isAccepted(issuer) == isInAll, "\(issuer)")
            #expect(one.isAccepted(issuer) == isInOne, "\(issuer)")
        }
        // Without the placeholder, or with two, a template names no tenant.
        for text in [ours, "\(base)/{tenantid}/{tenantid}"] {
            #expect(!TenantIssuerTemplate(text).policy.isAccepted(text), "\(text)")
        }
    }

    @Test("Apple: the session stores that the buyer's name is not verified")
    func storedMark() async throws {
        try await withApple { world in
            let sessions = try world.manager()
            let started = try await sessions.begin("fake")
            let query = FormEncoding.decode(Array((started.url.query ?? "").utf8)) ?? []
            world.fake.expect(nonce: query.first { $0.name == "nonce" }?.value)
            let state = try #require(query.first { $0.name == "state" }?.value)
            let user = FormEncoding.escape(#"{"name":{"firstName":"Grace"}}"#)
            let completed = try await sessions.complete(
                try LoginCallback(form: Array("code=code-1&state=\(state)&user=\(user)".utf8)),
                browserBinding: started.browserBinding,
                provider: "fake"
            )
            let stored = try await sessions.session(completed.session.id)
            #expect(stored.buyer.givenName == "Grace")
            #expect(stored.buyer.hasUnverifiedName)
        }
    }

    /// Runs a test with the fake provider in the role of Sign in with Apple.
    private func withApple(_ body: (FakeWorld) async throws -> Void) async throws {
        let key = try ClientKey(Secret(ClientKeys.p256), keyID: "key-1", algorithm: "ES256")
        let apple = OpenIDProvider.Configuration.apple(name: "a", clientID: "client-1", teamID: "TEAM123456", key: key)
        try await FakeWorld.run {
            $0.authentication = apple.authentication
            $0.scopes = apple.scopes
            $0.responseMode = apple.responseMode
            $0.quirks = apple.quirks
        } _: { world in
            world.fake.change(claims: { $0["email_verified"] = .string("true") })
            try await body(world)
        }
    }

    @Test("Apple: each request has a new secret, which the team's key signed and which soon expires")
    func appleSecret() async throws {
        let pem = try #require(PEM.decode(Array(ClientKeys.p256.utf8), label: "PRIVATE KEY"))
        guard case .ellipticCurve(let curve, let x, let y) = try SigningKey.pkcs8(pem).publicNumbers else {
            Issue.record("The key is not an elliptic-curve key.")
            return
        }
        let key = try VerificationKey.ellipticCurve(curve, x: x, y: y)
        try await withApple { world in
            let tokens = try await world.login()
            world.clock.advance(by: .seconds(200 * 86_400))
            _ = try? await world.provider.refresh(tokens)
            let sent = try world.fake.requests(to: "/token").map { request in
                try SignedText(try #require(request.formFields().first { $0.0 == "client_secret" }?.1))
            }
            #expect(sent.count == 2)
            for (text, now) in zip(sent, [1_790_000_000, 1_790_000_000 + 200 * 86_400]) {
                #expect(text.isSigned(by: key))
                #expect(text.header == .object(["kid": .string("key-1"), "alg": .string("ES256")]))
                #expect(text.claims["iss"]?.string == "TEAM123456")
                #expect(text.claims["sub"]?.string == "client-1")
                #expect(text.claims["aud"]?.string == "https://appleid.apple.com")
                #expect(text.claims["iat"]?.number?.integer == now - 30)
                #expect(text.claims["exp"]?.number?.integer == now + 270)
            }
            world.fake.replace("/token", by: FakeProvider.json(["error": .string("invalid_client")], status: 400))
            let error = try #require(await world.refusal())
            #expect(error.code == .invalidClient)
            #expect(error.hint?.contains("team's id") == true)
        }
    }

    @Test("Apple: the response is posted, and email_verified may be text")
    func appleResponse() async throws {
        try await withApple { world in
            let request = try await world.begin()
            #expect(request.url.query?.contains("response_mode=form_post") == true)
            #expect(request.url.query?.contains("scope=openid%20email%20name") == true)
            let tokens = try await world.provider.exchange(try world.callback(request), for: request.attempt)
            #expect(tokens.buyer.email?.isVerified == true)
            #expect(!tokens.buyer.hasUnverifiedName)
        }
    }

    @Test("Apple: the name of the first login comes through the browser, and is marked as not verified")
    func appleName() async throws {
        try await withApple { world in
            func buyer(_ user: String) async throws -> Buyer {
                let request = try await world.begin()
                let callback = try world.callback(request, "&user=" + FormEncoding.escape(user))
                return try await world.provider.exchange(callback, for: request.attempt).buyer
            }
            let named = try await buyer(
                #"{"name":{"firstName":"Grace","lastName":"Hopper"},"email":"evil@example.com","sub":"buyer-2"}"#
            )
            #expect(named.givenName == "Grace")
            #expect(named.familyName == "Hopper")
            #expect(named.hasUnverifiedName)
            // The e-mail address and the subject still come from the ID token.
            #expect(named.email?.value == "ada@example.com")
            #expect(named.subject == "buyer-1")
            let long = String(repeating: "a", count: 257)
            for bad in [
                "no json", "[]", #"{"name":"Grace"}"#, #"{"name":{"firstName":"a\u0007b","lastName":1}}"#,
                #"{"name":{"firstName":"\#(long)","lastName":""}}"#,
            ] {
                let buyer = try await buyer(bad)
                #expect(buyer.givenName == nil && !buyer.hasUnverifiedName)
            }
            world.fake.change(claims: { $0["given_name"] = .string("Ada") })
            let verified = try await buyer(#"{"name":{"firstName":"Grace"}}"#)
            #expect(verified.givenName == "Ada" && !verified.hasUnverifiedName)
        }
        // Without the preset the parameter is ignored.
        try await FakeWorld.run { world in
            let request = try await world.begin()
            let callback = try world.callback(request, "&user=%7B%22name%22%3A%7B%22firstName%22%3A%22G%22%7D%7D")
            #expect(try await world.provider.exchange(callback, for: request.attempt).buyer.givenName == nil)
        }
    }
}

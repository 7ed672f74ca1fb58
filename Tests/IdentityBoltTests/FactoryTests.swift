import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import TestDoubles
import Testing

@Suite("Configuration entries of Bolt")
struct FactoryTests {
    private func make(_ json: String, _ bolt: FakeBolt) throws -> any IdentityProvider {
        let file = #"{"providers":{"p":\#(json.replacing("$", with: bolt.origin))}}"#
        let variables = ["KEY": "APIKEY"]
        let configuration = try IdentityConfiguration(json: Array(file.utf8), environmentVariables: variables)
        let registry = try ProviderRegistry(
            configuration,
            factories: [BoltProviderFactory(), SFCCProviderFactory()],
            environment: try bolt.environment()
        )
        return try registry.provider(named: "p")
    }

    @Test(
        "each environment has its hosts, and single endpoints can be replaced",
        arguments: [
            (#""environment":"production""#, "https://api.bolt.com/v1/oauth/authorize"),
            (#""usePkce":false"#, "https://api.bolt.com/v1/oauth/authorize"),
            (#""environment":"sandbox""#, "https://api-sandbox.bolt.com/v1/oauth/authorize"),
            (#""environment":"sandboxBoltApp""#, "https://api-sandbox.boltapp.com/v1/oauth/authorize"),
            (
                #""environment":"sandbox","endpoints":{"api":"https://x.example/p/"}"#,
                "https://x.example/p/v1/oauth/authorize"
            ),
            (#""endpoints":{"api":"https://x.example"}"#, "https://x.example/v1/oauth/authorize"),
            (#""endpoints":{"token":"https://x.example/t"}"#, "https://x.example/v1/oauth/authorize"),
            (
                #""environment":"sandbox","endpoints":{"authorization":"https://y.example/a?b=c"}"#,
                "https://y.example/a?b=c&client_id=aaa.bbb.ccc"
            ),
        ]
    )
    func environments(members: String, prefix: String) async throws {
        let bolt = try await FakeBolt()
        let provider = try make(
            #"{"kind":"bolt","publishableKey":"aaa.bbb.ccc","apiKey":{"env":"KEY"},\#(members)}"#,
            bolt
        )
        let url = try await provider.authorizationRequest(LoginOptions()).url
        #expect(url.text.hasPrefix(prefix))
    }

    @Test(
        "a fake Bolt on this machine is configured by its base URL or by single endpoints",
        arguments: [
            (#""environment":"sandbox","endpoints":{"api":"$"}"#, "https://api-sandbox.bolt.com"),
            (#""environment":"sandbox","endpoints":{"api":"$"}"#, "$"), (#""endpoints":{"api":"$"}"#, "$"),
            (#""endpoints":{"api":"$"},"issuers":["urn:any"]"#, "urn:any"),
            (
                #""environment":"production","endpoints":{"token":"$/v1/oauth/token","jwks":"$/v1/oauth/jwks.json"}"#,
                "https://bolt.com"
            ),
        ]
    )
    func fakes(members: String, issuer: String) async throws {
        let bolt = try await FakeBolt()
        let token = try bolt.idToken { $0["iss"] = .string(issuer.replacing("$", with: bolt.origin)) }
        bolt.answer("/v1/oauth/token", try bolt.tokens { $0["id_token"] = .string(token) })
        let provider = try make(
            #"{"kind":"bolt","publishableKey":"aaa.bbb.ccc","apiKey":{"env":"KEY"},"allowsLoopbackHTTP":true,"timeout":60,\#(members)}"#,
            bolt
        )
        let bolted = try #require(provider as? BoltProvider)
        #expect(try await bolt.signIn(bolted).buyer.subject == "BAc1")
    }

    @Test("Bolt's issuers of an environment, or the configured ones, count as one issuer")
    func equivalentIssuers() async throws {
        let bolt = try await FakeBolt()
        func issuers(_ members: String) throws -> [String] {
            try make(#"{"kind":"bolt","publishableKey":"a.b","usePkce":true,\#(members)}"#, bolt)
                .descriptor.equivalentIssuers
        }
        let production = [
            "https://bolt.com", "https://api.bolt.com", "https://boltapp.com", "https://api.boltapp.com",
        ]
        #expect(try issuers(#""environment":"production""#) == production)
        let sandbox = production + ["https://api-sandbox.bolt.com", "https://api-sandbox.boltapp.com"]
        #expect(try issuers(#""environment":"sandbox""#) == sandbox)
        let proxy = #""environment":"sandbox","endpoints":{"api":"https://x.example/"}"#
        #expect(try issuers(proxy) == sandbox + ["https://x.example"])
        #expect(try issuers(#""environment":"sandbox","issuers":["urn:new","urn:old"]"#) == ["urn:new", "urn:old"])
    }

    @Test(
        "usePkce and apiKey together choose the client type",
        arguments: [
            (#""apiKey":{"env":"KEY"}"#, "API key", false),
            (#""apiKey":{"env":"KEY"},"usePkce":true"#, "API key and PKCE", true),
            (#""usePkce":true"#, "public, PKCE", true),
        ]
    )
    func clientTypes(members: String, type: String, usesPKCE: Bool) async throws {
        let provider = try make(
            #"{"kind":"bolt","environment":"sandbox","publishableKey":"a.b","clientIDForm":"lastSection",\#(members)}"#,
            try await FakeBolt()
        )
        #expect(provider.descriptor.clientType == type)
        #expect(provider.descriptor.clientID == "b")
        #expect(try await provider.authorizationRequest(LoginOptions()).url.text.contains("code_challenge") == usesPKCE)
    }

    @Test("an SFCC entry with a key set takes issuers and audiences from the file")
    func sfccNames() async throws {
        let bolt = try await FakeBolt()
        let host = String(bolt.origin.dropFirst("http://".count))
        func provider(_ members: String) throws -> any IdentityProvider {
            try make(
                #"{"kind":"bolt-sfcc","host":"\#(host)","siteID":"Shop","allowsLoopbackHTTP":true,"timeout":60,"#
                    + #""endpoints":{"jwks":"$/v1/oauth/jwks.json"}\#(members)}"#,
                bolt
            )
        }
        let error = #expect(throws: IdentityError.self) { try provider("") }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains("issuers") == true)
        let provider = try provider(#","issuers":["i"],"audiences":["a"]"#)
        let path = "/on/demandware.store/Sites-Shop-Site/default"
        bolt.answer("\(path)/Login-OAuthMobileBolt", .json([:]))
        func signIn(_ audience: String) async throws -> Buyer {
            let claims: JSONObject = ["sub": .string("1"), "iss": .string("i"), "aud": .string(audience)]
            bolt.answer("\(path)/Login-ExchangeSFCCToken", .json(["token": .string(try bolt.jwt(claims))]))
            let request = try await provider.authorizationRequest(LoginOptions())
            let callback = try LoginCallback(url: "/?code=C0DE&state=\(request.attempt.state.reveal())")
            return try await provider.exchange(callback, for: request.attempt).buyer
        }
        #expect(SFCCProvider.isVerified(try await signIn("a")))
        #expect(await failure { try await signIn("b") }?.code == .idTokenAudience)
    }

    @Test("an SFCC entry works with host and site, and with plain http to a loopback host if that is permitted")
    func sfcc() async throws {
        let bolt = try await FakeBolt()
        let host = String(bolt.origin.dropFirst("http://".count))
        _ = try make(#"{"kind":"bolt-sfcc","host":"shop.example","siteID":"Shop"}"#, bolt)
        let provider = try make(
            #"{"kind":"bolt-sfcc","host":"\#(host)","siteID":"Shop","locale":"en_US","allowsLoopbackHTTP":true,"timeout":60,"#
                + #""endpoints":{"authorization":"$/authorize"},"extraForm":{"format":"ajax","key":{"env":"KEY"}}}"#,
            bolt
        )
        let path = "/on/demandware.store/Sites-Shop-Site/en_US"
        bolt.answer("\(path)/Login-OAuthMobileBolt", .json([:]))
        bolt.answer("\(path)/Login-ExchangeSFCCToken", .json(["token": .string(try bolt.jwt(["sub": .string("1")]))]))
        let request = try await provider.authorizationRequest(LoginOptions())
        #expect(request.url.text.hasPrefix("\(bolt.origin)/authorize?response_type=code&scope=openid"))
        let state = request.attempt.state.reveal()
        let callback = try LoginCallback(url: "/?code=C0DE&state=\(state)")
        #expect(try await provider.exchange(callback, for: request.attempt).buyer.subject == "1")
        #expect(bolt.requests.last?.formFields().map { "\($0)=\($1)" } == ["format=ajax", "key=APIKEY"])
    }

    @Test(
        "an error about an invalid or missing member names its path",
        arguments: [
            (#"{"kind":"bolt","environment":"sandbox","publishableKey":"a"}"#, "providers.p.apiKey"),
            (#"{"kind":"bolt","environment":"moon","publishableKey":"a","usePkce":true}"#, "providers.p.environment"),
            (#"{"kind":"bolt","environment":"sandbox","usePkce":true}"#, "providers.p.publishableKey"),
            (#"{"kind":"bolt","environment":"sandbox","publishableKey":"a","usePkce":"true"}"#, "providers.p.usePkce"),
            (
                #"{"kind":"bolt","environment":"sandbox","publishableKey":"a","usePkce":true,"stateLength":7}"#,
                "providers.p.stateLength"
            ),
            (
                #"{"kind":"bolt","environment":"sandbox","publishableKey":"a","usePkce":true,"clientIDForm":"x"}"#,
                "providers.p.clientIDForm"
            ),
            (
                #"{"kind":"bolt","environment":"sandbox","publishableKey":"a","usePkce":true,"endpoints":{"logout":"https://a"}}"#,
                "providers.p.endpoints.logout"
            ),
            (
                #"{"kind":"bolt","environment":"sandbox","publishableKey":"a","usePkce":true,"endpoints":{"api":"$"}}"#,
                "providers.p.endpoints.api"
            ),
            (#"{"kind":"bolt-sfcc","host":"shop.example","siteID":"Shop","usePkce":true}"#, "providers.p.usePkce"),
            (
                #"{"kind":"bolt-sfcc","host":"shop.example","siteID":"Shop","extraForm":{"key":null}}"#,
                "providers.p.extraForm.key"
            ),
            (#"{"kind":"bolt-sfcc","host":"shop.example"}"#, "providers.p.siteID"),
            (#"{"kind":"bolt-sfcc","siteID":"Shop"}"#, "providers.p.host"),
        ]
    )
    func mistakes(json: String, path: String) async throws {
        let bolt = try await FakeBolt()
        let error = #expect(throws: IdentityError.self) { _ = try make(json, bolt) }
        #expect(error?.kind == .configuration)
        #expect(error?.message.contains(path) == true)
    }

    @Test(
        "an invalid host is a configuration error",
        arguments: [
            "https://shop.example", "shop.example/path", "", "shop example", "127.0.0.1:80/x", "user@shop.example",
        ]
    )
    func hosts(_ host: String) async throws {
        var configuration = SFCCConfiguration(name: "p", host: host, siteID: "Shop")
        configuration.allowsLoopbackHTTP = true
        let environment = try await FakeBolt().environment()
        let error = #expect(throws: IdentityError.self) {
            _ = try SFCCProvider(configuration, environment: environment)
        }
        #expect(error?.kind == .configuration)
    }
}

import IdentityHTTP
import IdentityKit
import IdentityOIDC
import Testing

@Suite("Configuration of an OpenID provider")
struct OpenIDConfigurationTests {
    @Test(
        "an invalid redirect URI is a configuration error",
        arguments: [
            ("", false), ("not a uri", false), ("/cb", false), ("https://a.example/#x", false), ("app:", false),
            ("https://user@a.example/cb", false), ("https://a.example:80@evil.example/", false),
            ("https://a.example\\@evil.example/", false), ("https://a.example\\evil.example/", false),
        ]
            + [
                ("http://a.example/cb", false), ("http://localhost/cb", false), ("http://127.1/cb", false),
                ("myapp://cb", false), ("a.:/cb", false), ("com..app:/cb", false), ("https:app", false),
                ("https:/cb", false), ("HTTPS:///cb", false), ("https://:8443/cb", false),
            ]
            + [
                ("http://127.0.0.1:8080/cb", true), ("http://[::1]/cb", true), ("https://a.example/cb?x=1", true),
                ("shop.1.app://callback", true), ("https://a.example/@b", true),
            ]
    )
    func redirectURI(text: String, isGood: Bool) throws {
        var configuration = OpenIDProvider.Configuration(name: "a", issuer: "https://id.example", clientID: "c")
        configuration.redirectURI = text
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let made = try? OpenIDProvider(configuration, environment: environment)
        #expect((made != nil) == isGood)
    }

    @Test("a timeout that is not positive, and a resource that is not an origin, are configuration errors")
    func timeoutAndResources() throws {
        let environment = IdentityEnvironment(transport: try CurlTransport())
        var configuration = OpenIDProvider.Configuration(name: "a", issuer: "https://id.example", clientID: "c")
        configuration.redirectURI = "https://app.example/cb"
        configuration.timeout = .zero
        let timeout = #expect(throws: IdentityError.self) {
            try OpenIDProvider(configuration, environment: environment)
        }
        #expect(timeout?.code == .configurationInvalid && timeout?.message.contains("providers.a.timeout ") == true)
        configuration.timeout = .seconds(1)
        configuration.resources = ["https://api.example/"]
        let origin = #expect(throws: IdentityError.self) {
            try OpenIDProvider(configuration, environment: environment)
        }
        #expect(origin?.code == .configurationInvalid && origin?.message.contains("providers.a.resources ") == true)
        configuration.resources = ["https://api.example"]
        _ = try OpenIDProvider(configuration, environment: environment)
    }

    /// The client authentication method of an entry of the configuration file, or its error.
    private func authentication(_ members: String) throws -> String {
        let json =
            #"{"providers":{"a":{"kind":"openid","issuer":"https://id.example","clientID":"c","#
            + #""redirectURI":"https://app.example/cb"\#(members)}}}"#
        do {
            let registry = try ProviderRegistry(
                try IdentityConfiguration(
                    json: Array(json.utf8),
                    environmentVariables: ["SECRET": "s3cret", "KEY": ClientKeys.p256, "BAD": "no key"]
                ),
                factories: [OpenIDProviderFactory()],
                environment: IdentityEnvironment(transport: try CurlTransport())
            )
            return try registry.provider(named: "a").descriptor.clientType
        } catch let error as IdentityError {
            #expect(error.kind == .configuration)
            return error.message
        }
    }

    @Test(
        "the authentication method must fit the configured secret or key",
        arguments: [
            ("", "none"), (#","clientSecret":{"env":"SECRET"}"#, "client_secret_basic"),
            (#","clientKey":{"env":"KEY"}"#, "private_key_jwt"),
            (
                #","clientKey":{"env":"KEY"},"clientAuthentication":"private_key_jwt","clientKeyID":"1""#,
                "private_key_jwt"
            ),
            (#","clientKey":{"env":"KEY"},"clientKeyAlgorithm":"ES256""#, "private_key_jwt"),
            (#","clientKey":{"env":"KEY"},"clientKeyAlgorithm":"RS256""#, "clientKey cannot be used"),
            (#","clientKey":{"env":"BAD"}"#, "clientKey cannot be used"),
            (#","clientKey":{"env":"KEY"},"clientAssertionAudience":"issuer""#, "private_key_jwt"),
            (#","clientKey":{"env":"KEY"},"clientAssertionAudience":"tokenEndpoint""#, "private_key_jwt"),
            (
                #","clientKey":{"env":"KEY"},"clientAssertionAudience":"token_endpoint""#,
                "clientAssertionAudience must be one of issuer, tokenEndpoint"
            ),
            (#","clientAssertionAudience":"issuer""#, "clientKey is missing"),
            (#","clientAuthentication":"private_key_jwt""#, "clientKey is missing"),
            (#","clientKeyID":"1""#, "clientKey is missing"),
            (#","clientAuthentication":"client_secret_post""#, "clientSecret is missing"),
            (
                #","clientKey":{"env":"KEY"},"clientSecret":{"env":"SECRET"}"#,
                "clientKey and clientSecret are both set"
            ),
            (
                #","clientKey":{"env":"KEY"},"clientAuthentication":"client_secret_basic""#,
                "clientAuthentication is unknown, or does not match the configured secret or key"
            ),
        ]
    )
    func clientAuthentication(members: String, result: String) throws {
        let found = try authentication(members)
        #expect(found == result || found == "Configuration member providers.a.\(result).")
    }

    @Test("the UserInfo endpoint has the member userInfo, and api is refused with a hint")
    func userInfo() throws {
        func provider(_ member: String) throws -> OpenIDProvider? {
            let json =
                #"{"providers":{"a":{"kind":"openid","issuer":"https://id.example","clientID":"c","#
                + #""redirectURI":"https://app.example/cb","endpoints":{"\#(member)":"https://id.example/me"}}}}"#
            let registry = try ProviderRegistry(
                try IdentityConfiguration(json: Array(json.utf8), environmentVariables: [:]),
                factories: [OpenIDProviderFactory()],
                environment: IdentityEnvironment(transport: try CurlTransport())
            )
            return try registry.provider(named: "a") as? OpenIDProvider
        }
        let endpoint = try provider("userInfo")?.client.configuration.endpoints.userInfo
        #expect(endpoint?.text == "https://id.example/me")
        let error = #expect(throws: IdentityError.self) { try provider("api") }
        #expect(error?.message.contains("providers.a.endpoints.api ") == true)
        #expect(error?.hint?.contains("userInfo") == true)
    }
}

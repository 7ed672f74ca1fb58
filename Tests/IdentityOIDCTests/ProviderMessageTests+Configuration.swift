import IdentityHTTP
import IdentityKit
import IdentityOIDC
import Testing

extension ProviderMessageTests {
    private func refusal(_ members: String) throws -> IdentityError? {
        let json =
            #"{"providers":{"any":{"kind":"openid","clientID":"c","redirectURI":"https://app.example/cb",\#(members)}}}"#
        do {
            _ = try ProviderRegistry(
                try IdentityConfiguration(json: Array(json.utf8), environmentVariables: [:]),
                factories: [OpenIDProviderFactory()],
                environment: IdentityEnvironment(transport: try CurlTransport())
            )
            return nil
        } catch let error as IdentityError {
            return error
        }
    }

    @Test(
        "the error for plain http in issuer or redirect URI names the member, and the hint says where plain http is possible",
        arguments: ["http://localhost:8080/realms/a", "http://127.0.0.1:8080", "http://id.example"]
    )
    func plainHTTP(url: String) throws {
        let error = try #require(try refusal(#""issuer":"\#(url)""#))
        #expect(error.message.contains("providers.any.issuer "))
        for text in ["127.0.0.1 and [::1]", "localhost is not permitted", "allowsLoopbackHTTP"] {
            #expect(error.hint?.contains(text) == true, "\(text)")
        }
        // Even with allowsLoopbackHTTP, plain http is possible only to a loopback address.
        let permitted = try refusal(#""issuer":"\#(url)","allowsLoopbackHTTP":true"#)
        #expect((permitted == nil) == url.contains("127.0.0.1"))
        var configuration = OpenIDProvider.Configuration(name: "any", issuer: "https://id.example", clientID: "c")
        configuration.redirectURI = "http://localhost/cb"
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let refusal = #expect(throws: IdentityError.self) {
            try OpenIDProvider(configuration, environment: environment)
        }
        #expect(refusal?.message.contains("providers.any.redirectURI ") == true)
        #expect(refusal?.hint?.contains("127.0.0.1 or [::1]") == true)
    }

    @Test("each error about a provider's configuration names the provider and the member")
    func paths() throws {
        let cases = [
            (#""issuer":"no url""#, "issuer"), (#""issuer":"https://id.example/?a=b""#, "issuer"),
            (#""issuer":"https://id.example","algorithms":["HS256"]"#, "algorithms"),
            (#""issuer":"https://id.example","scopes":["email"]"#, "scopes"),
        ]
        for (members, member) in cases {
            let error = try #require(try refusal(members))
            #expect(error.message.contains("providers.any.\(member) "), "\(error.message)")
            #expect(error.hint != nil && error.reference != nil)
        }
    }

    @Test("an error that a provider factory throws without a path names the provider's entry in the file")
    func pathOfAnotherFactory() throws {
        struct LooseFactory: ProviderFactory {
            let kind = "loose"

            func makeProvider(
                named name: String,
                from section: inout ConfigurationSection,
                in environment: IdentityEnvironment
            ) throws -> any IdentityProvider {
                throw IdentityError(.configuration, .configurationInvalid, "The key is empty.", hint: "Set it.")
            }
        }
        let json = #"{"providers":{"any":{"kind":"loose"}}}"#
        let error = #expect(throws: IdentityError.self) {
            try ProviderRegistry(
                try IdentityConfiguration(json: Array(json.utf8), environmentVariables: [:]),
                factories: [LooseFactory()],
                environment: IdentityEnvironment(transport: try CurlTransport())
            )
        }
        #expect(error?.message == "Configuration of providers.any: The key is empty.")
        #expect(error?.hint == "Set it.")
    }
}

import IdentityHTTP
import IdentityKit
import IdentityOIDC
import Testing

@Suite("Configuration of an OpenID provider")
struct OpenIDConfigurationTests {
    @Test(
        "a redirect URI that no provider can have registered is an error of the configuration",
        arguments: [
            ("", false), ("not a uri", false), ("/cb", false), ("https://a.example/#x", false), ("app:", false),
            ("https://user@a.example/cb", false), ("https://a.example:80@evil.example/", false),
            ("https://a.example\\@evil.example/", false), ("https://a.example\\evil.example/", false),
        ]
            + [("https://a.example/cb?x=1", true), ("shop.1.app://callback", true), ("https://a.example/@b", true)]
    )
    func redirectURI(text: String, isGood: Bool) throws {
        var configuration = OpenIDProvider.Configuration(name: "a", issuer: "https://id.example", clientID: "c")
        configuration.redirectURI = text
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let made = try? OpenIDProvider(configuration, environment: environment)
        #expect((made != nil) == isGood)
    }
}

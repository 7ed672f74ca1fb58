import IdentityHTTP
import IdentityKit
import IdentityOIDC

struct ExampleQuirks: OpenIDQuirks {
    func buyer(from claims: IDTokenClaims) -> Buyer {
        var buyer = claims.standardBuyer
        buyer.displayName = claims.text("nickname")
        return buyer
    }
}

struct ExampleProvider: OpenIDClientProvider {
    let client: OpenIDClient
}

// swift-format-ignore
extension App {
    func clientKey(_ pem: Secret, configuration: inout OpenIDClient.Configuration) throws {
        configuration.authentication = .privateKeyJWT(try ClientKey(pem, keyID: "2026-11"))
    }

    func signedSecret(_ pem: Secret, configuration: inout OpenIDClient.Configuration) throws {
        let key = try ClientKey(pem, keyID: "ABC123DEFG", algorithm: "ES256")
        let secret = SignedClientSecret(key: key, issuer: "TEAM123456", audience: "https://appleid.apple.com")
        configuration.authentication = .signedSecretPost(secret)
    }

    func openIDClientConfiguration() {
        var configuration = OpenIDClient.Configuration(name: "id", issuer: "https://id.example", clientID: "shop")
        configuration.authentication = .secretBasic(clientSecret)
        configuration.redirectURI = "https://app.example/callback/id"
        configuration.scopes = ["openid", "email"]
        _ = configuration
    }

    func openIDClient(_ configuration: OpenIDClient.Configuration, callback: LoginCallback) async throws {
        let client = try OpenIDClient(configuration, quirks: ExampleQuirks(), environment: environment)
        let request = try await client.authorizationRequest(LoginOptions())   // show request.url to the buyer
        let tokens = try await client.exchange(callback, for: request.attempt)
        _ = tokens
    }

    func commonMembers(
        of section: inout ConfigurationSection, configuration: inout OpenIDClient.Configuration
    ) throws {
        try section.check(members: CommonProviderMembers.names + ["clientID"])
        let common = try CommonProviderMembers(&section, &configuration.endpoints, ["discovery": \.discovery, "token": \.token])
        configuration.timeout = common.timeout
    }

    func openIDProvider() throws {
        var configuration = OpenIDProvider.Configuration(name: "id", issuer: "https://id.example", clientID: "shop")
        configuration.authentication = .secretBasic(clientSecret)
        configuration.redirectURI = "https://app.example/callback/id"
        let provider = try OpenIDProvider(configuration, environment: environment)
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]), store: store, environment: environment
        )
        _ = sessions
    }

    func verify(_ token: Secret, verifier: JWTSignatureVerifier) async throws -> JSONObject? {
        let claims = try await verifier.verifiedClaims(of: token)
        guard claims["iss"]?.string == "https://id.example" else { return nil }
        return claims
    }

    func preset() {
        var configuration = OpenIDProvider.Configuration.google(name: "google", clientID: clientID)
        configuration.authentication = .secretBasic(clientSecret)
        configuration.redirectURI = "https://app.example/callback/google"
        _ = configuration
    }
}

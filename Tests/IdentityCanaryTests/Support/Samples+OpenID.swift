import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import TestDoubles

extension Samples {
    /// The public types for a custom provider.
    static func openIDParts(_ openID: OpenIDClient.Configuration, _ canary: SecretCanary) throws -> [Any] {
        let environment = IdentityEnvironment(transport: NoNetwork())
        var configuration = openID
        configuration.tokenRequestHeaders = [("X-API-Key", Secret(canary.plant("header")))]
        configuration.discovery.headers = [("X-API-Key", Secret(canary.plant("discovery")))]
        configuration.discovery.fallback = configuration.endpoints
        let pkce = try PKCE(unchecked: Secret(canary.plant("verifier")))
        var failure = TokenErrorResponse(grant: .refreshToken, status: 400, error: canary.plant("error"))
        failure.errorDescription = canary.plant("description")
        let claims = IDTokenClaims(
            issuer: "https://id.example",
            subject: canary.plant("subject"),
            all: ["email": .string(canary.plant("email"))]
        )
        let info = UserInfoClaims(
            issuer: "https://id.example",
            subject: canary.plant("subject"),
            all: ["email": .string(canary.plant("email"))]
        )
        let json = #"{"providers":{"any":{"loginHint":"\#(canary.plant("hint"))"}}}"#
        let entry = try IdentityConfiguration(json: Array(json.utf8), environmentVariables: [:]).providers.first
        guard var section = entry?.section else { return [] }
        let url = try HTTPURL("https://id.example/jwks")
        let verifier = JWTSignatureVerifier(
            keySetURL: url,
            algorithms: ["RS256"],
            provider: "any",
            environment: environment
        )
        var endpoints = OpenIDClient.Endpoints()
        return [
            verifier, try CommonProviderMembers(&section, &endpoints, [:]),
            try OpenIDClient(configuration, environment: environment), configuration, configuration.discovery, pkce,
            OpenIDClient.PKCEUse.own(pkce), failure, claims, info, ProviderMetadata(issuer: "https://id.example"),
        ]
    }
}

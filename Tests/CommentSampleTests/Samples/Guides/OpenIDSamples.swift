import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityWeb

private func send(_ method: HTTPMethod, _ url: HTTPURL, _ headers: HTTPHeaders) async throws -> HTTPResponse {
    HTTPResponse(status: 200)
}

// swift-format-ignore
extension App {
    func openIDPage() throws {
        var configuration = OpenIDProvider.Configuration(name: "id", issuer: "https://id.example", clientID: "shop")
        configuration.authentication = .secretBasic(clientSecret)
        configuration.redirectURI = "https://app.example/callback/id"
        configuration.scopes = ["openid", "email"]
        let provider = try OpenIDProvider(configuration, environment: environment)
        _ = provider
    }

    func openIDPage(_ configuration: inout OpenIDProvider.Configuration, key: ClientKey) {
        configuration.authentication = .privateKeyJWT(key, audience: .tokenEndpoint)
    }

    func openIDPage(_ provider: any IdentityProvider, id: SessionID, url: HTTPURL) async throws {
        guard let resources = provider as? any ResourceAuthorizing else { return }
        let tokens = try await sessions.tokens(for: id, validFor: .seconds(60)).tokens
        let headers = try resources.authorizationHeaders(for: .get, url, with: tokens)
        var answer = try await send(.get, url, headers)
        if resources.shouldRepeat(headers, answeredWith: answer.status, answer.headers, from: url) {
            answer = try await send(.get, url, try resources.authorizationHeaders(for: .get, url, with: tokens))
        }
    }

    func openIDPage(_ request: WebRequest) throws {
        // POST /callback/id
        let callback = try LoginCallback(form: request.body)
        _ = callback
    }

    func openIDPageParameters(_ configuration: inout OpenIDProvider.Configuration) {
        configuration.scopes = ["openid", "offline_access"]
        configuration.loginDefaults.prompt = "consent"
        configuration.loginDefaults.additionalParameters = [("audience", "https://api.example")]
    }
}

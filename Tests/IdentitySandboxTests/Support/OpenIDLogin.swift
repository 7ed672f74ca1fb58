import IdentityHTTP
import IdentityKit
import IdentityTesting
import StorefrontSandbox

@testable import IdentitySandbox

/// A login at the sandbox's OpenID provider, request by request.
struct OpenIDLogin {
    typealias Fields = [(name: String, value: String)]

    let sandbox: ShopSandbox
    let clock: ManualClock
    var redirectURI = "http://127.0.0.1:9/callback"
    var openID: SandboxOpenID { sandbox.openID }

    static func start(
        _ change: (inout SandboxOpenIDConfiguration) throws -> Void = { _ in }
    ) async throws -> OpenIDLogin {
        let clock = ManualClock()
        var configuration = SandboxConfiguration()
        configuration.clock = clock
        try change(&configuration.openID)
        return OpenIDLogin(sandbox: try await ShopSandbox.start(configuration), clock: clock)
    }

    var now: Int { clock.now.epochSeconds }

    /// The parameters of a valid authorization request; `extra` replaces parameters, and an empty value removes the parameter.
    func parameters(_ extra: Fields = []) -> Fields {
        let good: Fields = [
            ("client_id", openID.configuration.clientID), ("response_type", "code"), ("redirect_uri", redirectURI),
            ("scope", "openid email"), ("state", "state-1"), ("nonce", "nonce-1"),
            ("code_challenge", TestClient.challenge), ("code_challenge_method", "S256"),
        ]
        return (good.filter { field in !extra.contains { $0.name == field.name } } + extra).filter { $0.value != "" }
    }

    func url(_ extra: Fields = []) -> String {
        FormText.append(parameters(extra), to: openID.authorizationEndpoint)
    }

    func callback(_ extra: Fields = [], buyer: SandboxBuyer = SandboxBuyer()) async throws -> [String: String] {
        TestClient.query(try await buyer.login(at: url(extra), redirectURI: redirectURI))
    }

    func code(_ extra: Fields = [], buyer: SandboxBuyer = SandboxBuyer()) async throws -> String {
        try await callback(extra, buyer: buyer)["code"] ?? ""
    }

    func exchange(code: String) -> Fields {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", TestClient.verifier),
        ]
    }

    /// Id and secret as form fields, or the id alone for a public client.
    var credentials: Fields {
        let client = openID.configuration
        return [("client_id", client.clientID)] + (client.clientSecret.map { [("client_secret", $0)] } ?? [])
    }

    func token(
        _ fields: Fields,
        headers: [String: String] = [:]
    ) async throws -> (status: Int, json: JSONValue, headers: HTTPHeaders) {
        try await post(openID.tokenEndpoint, fields, headers: headers)
    }

    func tokens(_ extra: Fields = [], buyer: SandboxBuyer = SandboxBuyer()) async throws -> JSONValue {
        try await token(exchange(code: try await code(extra, buyer: buyer)) + credentials).json
    }

    func refresh(_ tokens: JSONValue) async throws -> JSONValue {
        let refreshToken = tokens["refresh_token"]?.string ?? ""
        return try await token([("grant_type", "refresh_token"), ("refresh_token", refreshToken)] + credentials).json
    }

    func userInfo(_ tokens: JSONValue) async throws -> HTTPResponse {
        let headers = ["Authorization": "Bearer \(tokens["access_token"]?.string ?? "")"]
        return try await TestClient.shared.send(.get, openID.userinfoEndpoint, headers: headers)
    }

    func post(
        _ url: String,
        _ fields: Fields,
        headers: [String: String] = [:]
    ) async throws -> (status: Int, json: JSONValue, headers: HTTPHeaders) {
        let all = ["Content-Type": "application/x-www-form-urlencoded"].merging(headers) { $1 }
        let response = try await TestClient.shared.send(.post, url, headers: all, body: FormText.encode(fields))
        return (response.status, (try? JSONValue(parsing: response.body)) ?? .null, response.headers)
    }

    func metadata() async throws -> JSONValue {
        try await TestClient.shared.json(openID.issuer + "/.well-known/openid-configuration")
    }
}

import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct OpenIDTests {
    @Test(
        "a buyer signs in at the OpenID provider with each client authentication method and each algorithm",
        arguments: [SandboxOpenIDConfiguration.Algorithm.rs256, .es256],
        [true, false]
    )
    func login(algorithm: SandboxOpenIDConfiguration.Algorithm, basic: Bool) async throws {
        var configuration = SandboxConfiguration()
        configuration.openID.algorithm = algorithm
        let sandbox = try await ShopSandbox.start(configuration)
        let client = sandbox.openID.configuration
        let secret = client.clientSecret ?? ""
        let redirectURI = "http://127.0.0.1:9/callback"
        let url = FormText.append(
            [
                ("client_id", client.clientID), ("response_type", "code"), ("redirect_uri", redirectURI),
                ("scope", "openid email profile"), ("state", "s"), ("nonce", "n"),
                ("code_challenge", TestClient.challenge), ("code_challenge_method", "S256"),
            ],
            to: sandbox.openID.authorizationEndpoint
        )
        let callback = TestClient.query(try await SandboxBuyer().login(at: url, redirectURI: redirectURI))
        #expect(callback["iss"] == sandbox.openID.issuer)
        var fields = [
            (name: "grant_type", value: "authorization_code"), ("code", callback["code"] ?? ""),
            ("redirect_uri", redirectURI), ("code_verifier", TestClient.verifier),
        ]
        var headers: [String: String] = [:]
        if basic {
            headers["Authorization"] = TestClient.basic(client.clientID, FormEncoding.escape(secret))
        } else {
            fields += [("client_id", client.clientID), ("client_secret", secret)]
        }
        let answer = try await TestClient.shared.form(sandbox.openID.tokenEndpoint, fields, headers: headers)
        #expect(answer.status == 200)
        let token = answer.json["id_token"]?.string ?? ""
        #expect(TestClient.part(0, of: token)["alg"]?.string == (algorithm == .rs256 ? "RS256" : "ES256"))
        #expect(TestClient.part(1, of: token)["nonce"]?.string == "n")
        #expect(TestClient.part(1, of: token)["given_name"] == nil)
        let userinfo = try await TestClient.shared.send(
            .get,
            sandbox.openID.userinfoEndpoint,
            headers: ["Authorization": "Bearer \(answer.json["access_token"]?.string ?? "")"]
        )
        #expect(try JSONValue(parsing: userinfo.body)["email"]?.string == "ada@example.com")
        await sandbox.stop()
    }
}

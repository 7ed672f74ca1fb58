import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import TestDoubles
import Testing

@testable import IdentitySandbox

@Suite struct ClientAuthenticationTests {
    typealias Method = SandboxOpenIDConfiguration.ClientAuthentication
    typealias Fields = OpenIDLogin.Fields

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private func assertion(
        _ login: OpenIDLogin,
        _ signer: TokenSigner,
        header: (inout JSONObject) -> Void = { _ in },
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> Fields {
        let client = JSONValue.string(login.openID.configuration.clientID)
        var claims: JSONObject = [
            "iss": client, "sub": client, "aud": .string(login.openID.issuer), "iat": .integer(login.now),
            "exp": .integer(login.now + 60), "jti": .string(RandomText.hexadecimal(32)),
        ]
        change(&claims)
        let assertion = try signer.token(claims, header: header).reveal()
        return [("client_assertion_type", Self.assertionType), ("client_assertion", assertion)]
    }

    private func basic(_ login: OpenIDLogin, _ secret: String?) -> [String: String] {
        ["Authorization": TestClient.basic(login.openID.configuration.clientID, secret ?? "")]
    }

    @Test(
        "only the registered authentication method gets tokens, and each other method is recorded as a violation",
        arguments: Method.allCases
    )
    func registered(method: Method) async throws {
        let signer = try TokenSigner(.es256, keyID: nil)
        let login = try await OpenIDLogin.start { configuration in
            configuration.clientAuthentication = method
            configuration.clientKeys = [signer.jwkMembers]
        }
        let client = login.openID.configuration
        let id = [(name: "client_id", value: client.clientID)]
        let escaped = FormEncoding.escape(client.clientSecret ?? "")
        for used in Method.allCases {
            let code = try await login.code()
            var (fields, headers): (Fields, [String: String]) = (login.exchange(code: code), [:])
            switch used {
            case .none: fields += id
            case .clientSecretBasic: headers = basic(login, escaped)
            case .clientSecretPost: fields += login.credentials
            case .privateKeyJWT: fields += try assertion(login, signer)
            }
            let answer = try await login.token(fields, headers: headers)
            #expect(answer.status == (used == method ? 200 : 401), "\(used) where \(method) is registered")
            guard used != method else { continue }
            #expect(answer.json["error"]?.string == "invalid_client")
            #expect(answer.headers["www-authenticate"]?.hasPrefix("Basic ") == true)
            #expect(login.openID.violations.last?.reason.contains("registered for \(method.rawValue)") == true)
        }
        #expect(login.openID.violations.count == 3)
        #expect(
            try await login.metadata()["token_endpoint_auth_methods_supported"] == .array([.string(method.rawValue)])
        )
        await login.sandbox.stop()
    }

    @Test("two methods at once, a secret without form-encoding, and parameters in the URL have their own errors")
    func mistakes() async throws {
        let login = try await OpenIDLogin.start {
            $0.clientAuthentication = .clientSecretBasic
            $0.clientSecret = SandboxOpenIDConfiguration.specialClientSecret
        }
        let secret = login.openID.configuration.clientSecret ?? ""
        let exchange = login.exchange(code: "c")
        let good = basic(login, FormEncoding.escape(secret))
        let both = try await login.token(exchange + login.credentials, headers: good)
        #expect(both.status == 400)
        #expect(both.json["error_description"]?.string?.contains("more than one method") == true)
        let raw = try await login.token(exchange, headers: basic(login, secret))
        #expect(raw.status == 401)
        #expect(raw.json["error_description"]?.string?.contains("form-encoded") == true)
        let url = try await login.post(login.openID.tokenEndpoint + "?a=b&code=c", exchange, headers: good)
        #expect(url.json["error_description"]?.string?.contains("code belongs in the body") == true)
        let kept = try await login.post(login.openID.tokenEndpoint + "?a=b", exchange, headers: good)
        #expect(kept.json["error_description"]?.string == "The code is unknown.")
        let other = try await login.token(exchange + [("client_id", "another")], headers: good)
        #expect(other.json["error"]?.string == "invalid_client")
        let twice = try await login.token(exchange + [("code", "d")], headers: good)
        #expect(twice.json["error_description"]?.string == "code is repeated.")
        let wrong = try await login.token(exchange, headers: basic(login, "wrong"))
        #expect(wrong.json["error_description"]?.string == "The client secret is wrong, or client_id is unknown.")
        let unknown = try await login.token(exchange + [("client_id", "another")])
        #expect(unknown.json["error_description"]?.string == "The client is unknown.")
        #expect(login.openID.violations.count == 8)
        login.openID.forgetRequests()
        #expect(login.openID.violations.isEmpty)
        await login.sandbox.stop()
    }

    @Test("an assertion is accepted once, from a registered key and for this issuer only")
    func assertions() async throws {
        let (signer, rsa) = (try TokenSigner(.es256, keyID: "one"), try TokenSigner(.rs256, keyID: "two"))
        let other = try TokenSigner(.es256, keyID: nil)
        let login = try await OpenIDLogin.start { configuration in
            configuration.clientAuthentication = .privateKeyJWT
            configuration.clientKeys = [signer.jwkMembers, rsa.jwkMembers]
            configuration.clientSigningAlgorithms = ["ES256", "RS256"]
        }
        let (now, issuer) = (login.now, login.openID.issuer)
        func reason(_ fields: Fields) async throws -> String {
            let answer = try await login.token(login.exchange(code: "unknown") + fields)
            // After successful client authentication the error is about the code.
            guard answer.json["error"]?.string == "invalid_client" else { return "passed" }
            return answer.json["error_description"]?.string ?? ""
        }
        func check(
            _ expected: String,
            by key: TokenSigner? = nil,
            header: (inout JSONObject) -> Void = { _ in },
            _ change: (inout JSONObject) -> Void = { _ in }
        ) async throws {
            let heard = try await reason(try assertion(login, key ?? signer, header: header, change: change))
            #expect(heard.contains(expected), "\(heard) instead of \(expected)")
        }
        try await check("passed")
        try await check("passed", header: { ($0["kid"], $0["typ"]) = (nil, nil) })
        try await check("passed", by: rsa, header: { $0["typ"] = .string("client-authentication+jwt") })
        try await check("signature", by: other)
        try await check("kid", header: { $0["kid"] = .string("three") })
        try await check("does not fit", by: rsa, header: { $0["alg"] = .string("ES256") })
        try await check("alg", header: { $0["alg"] = .string("none") })
        try await check("client_secret_jwt (HS256)", header: { $0["alg"] = .string("HS256") })
        try await check("its alg", by: rsa, header: { $0["alg"] = .string("PS256") })
        try await check("typ", header: { $0["typ"] = .string("at+jwt") })
        try await check("crit", header: { $0["crit"] = .array([.string("x")]) })
        try await check("iss", { $0["iss"] = .string("another") })
        try await check("sub", { $0["sub"] = nil })
        try await check("aud", { $0["aud"] = .array([.string(issuer)]) })
        try await check("aud", { $0["aud"] = .string(issuer + "/token") })
        try await check("exp is missing", { $0["exp"] = nil })
        try await check("expired", { $0["exp"] = .integer(now) })
        try await check("300 seconds", { $0["exp"] = .integer(now + 301) })
        try await check("nbf", { $0["nbf"] = .integer(now + 11) })
        try await check("iat", { $0["iat"] = .integer(now + 11) })
        try await check("jti", { $0["jti"] = nil })
        let once = try assertion(login, signer)
        #expect(try await reason(once) == "passed")
        #expect(try await reason(once).contains("jti was used"))
        #expect(try await reason([once[1], ("client_assertion_type", "x")]).contains("client_assertion_type"))
        await login.sandbox.stop()
    }
}

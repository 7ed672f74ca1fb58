import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import Testing

@Suite("Hints about endpoints and configuration members")
struct EndpointHintTests {
    /// The error of the call that needs this member of `endpoints`, if the metadata lack the members `names`.
    private func refusal(_ member: String, without names: [String]) async throws -> IdentityError? {
        var refusal: IdentityError?
        try await FakeWorld.run {
            $0.pushesAuthorizationRequest = member == "pushedAuthorization"
        } _: { world in
            world.fake.change(metadata: { metadata in for name in names { metadata[name] = nil } })
            do {
                if member == "deviceAuthorization" {
                    _ = try await world.provider.deviceAuthorization(LoginOptions())
                } else {
                    _ = try await world.login()
                }
            } catch { refusal = IdentityError.wrapping(error) }
        }
        return refusal
    }

    @Test(
        "the hint for a missing endpoint names its configuration member",
        arguments: [
            ("deviceAuthorization", ["device_authorization_endpoint"]), ("pushedAuthorization", []),
        ] as [(String, [String])]
    )
    func member(name: String, absent: [String]) async throws {
        let error = try await refusal(name, without: absent)
        #expect(error?.kind == .configuration)
        #expect(error?.code == .unsupportedByProvider)
        #expect(error?.hint?.contains("endpoints.\(name) ") == true, "\(error?.hint ?? "no error")")
    }

    @Test("the hint for an unusable revocation endpoint names its configuration member")
    func revocation() async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { $0["revocation_endpoint"] = .string("http://id.example/revoke") })
            let tokens = try await world.login()
            let error = await #expect(throws: IdentityError.self) { try await world.provider.revoke(tokens) }
            #expect(error?.code == .unsupportedByProvider)
            #expect(error?.hint?.contains("endpoints.revocation ") == true)
        }
    }

    @Test(
        "the hint for a refused token request names the configuration members to check",
        arguments: [
            (400, "invalid_grant", ["redirectURI"]),
            (401, "invalid_client", ["clientID", "clientSecret", "clientAuthentication"]),
            (400, "unauthorized_client", ["clientID"]), (400, "unsupported_grant_type", ["clientID"]),
            (400, "invalid_scope", ["scopes"]), (400, "invalid_request", ["clientID", "redirectURI"]),
            (400, "invalid_dpop_proof", ["endpoints.token"]), (302, "", ["endpoints.token"]),
            (404, "", ["endpoints.token", "issuer"]),
        ] as [(Int, String, [String])]
    )
    func tokenRefusal(status: Int, error: String, members: [String]) throws {
        let body = error.isEmpty ? Array("<html>".utf8) : JSONValue.object(["error": .string(error)]).serialized
        guard
            case .failure(let failure) = try TokenEndpointResponse(
                HTTPResponse(status: status, body: body),
                to: .authorizationCode
            )
        else {
            Issue.record("The token response was accepted.")
            return
        }
        let hint = failure.standardError.hint ?? ""
        for member in members { #expect(hint.contains(member), "\(hint)") }
    }

    @Test(
        "the hint for a refused authorization request names the configuration member to check",
        arguments: [("invalid_scope", "scopes"), ("unauthorized_client", "clientID")]
    )
    func authorizationRefusal(error: String, member: String) throws {
        let callback = try LoginCallback(form: Array("state=s&error=\(error)".utf8))
        let refusal = #expect(throws: IdentityError.self) {
            try AuthorizationResponse.code(
                in: callback,
                for: LoginAttempt(state: "s"),
                accepting: .exactly([]),
                requiresIssuer: false
            )
        }
        #expect(refusal?.hint?.contains(member) == true)
    }

    @Test(
        "the hint for a refused revocation names the configuration members to check",
        arguments: [
            (401, "invalid_client", ["clientID", "clientSecret", "clientAuthentication"]),
            (400, "invalid_request", ["endpoints.revocation"]), (302, "", ["endpoints.revocation"]),
        ] as [(Int, String, [String])]
    )
    func revocationRefusal(status: Int, error: String, members: [String]) {
        var failure = TokenErrorResponse(grant: .refreshToken, status: status, error: error)
        failure.endpoint = .revocation
        let hint = failure.revocationError.hint ?? ""
        for member in members { #expect(hint.contains(member), "\(hint)") }
        #expect(!hint.contains("Sessions are kept"))
    }

    @Test(
        "the error for a response that cannot be parsed as JSON names the response and its endpoint",
        arguments: [
            (.token, "token response"), (.deviceAuthorization, "device authorization response"),
            (.pushedAuthorization, "response to the pushed authorization request"),
        ] as [(ProviderEndpoint, String)]
    )
    func invalidJSON(endpoint: ProviderEndpoint, name: String) {
        let error = #expect(throws: IdentityError.self) {
            try TokenEndpointResponse(
                HTTPResponse(status: 200, body: Array("{".utf8)),
                to: .deviceCode,
                from: endpoint
            )
        }
        #expect(error?.message.hasPrefix("The \(name) could not be parsed as JSON") == true)
        #expect(error?.hint?.contains("Check endpoints.\(endpoint.rawValue) in") == true)
    }

    @Test("every request to the provider has the SDK's User-Agent")
    func userAgent() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            _ = try await world.provider.refresh(tokens)
            _ = try await world.provider.buyerProfile(for: tokens)
            for path in ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"] {
                let requests = world.fake.requests(to: path)
                #expect(!requests.isEmpty)
                #expect(requests.allSatisfy { $0.header("User-Agent") == UserAgent.standard }, "\(path)")
            }
        }
    }
}

internal import IdentityKit

extension SandboxOpenID {
    /// OpenID Connect Discovery section 3 and RFC 8414: what is switched on, and nothing else.
    func discovery() -> SandboxAnswer {
        journal.count(\.discoveries)
        func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        let authentication = configuration.permittedAuthentication
        var metadata: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string(authorizationEndpoint),
            "token_endpoint": .string(tokenEndpoint), "jwks_uri": .string(jwksEndpoint),
            "userinfo_endpoint": .string(userinfoEndpoint), "end_session_endpoint": .string(issuer + "/logout"),
            "response_types_supported": list(["code"]), "response_modes_supported": list(["query"]),
            "grant_types_supported": list(["authorization_code", "refresh_token"]),
            "subject_types_supported": list(["public"]),
            "id_token_signing_alg_values_supported": list([configuration.algorithm == .es256 ? "ES256" : "RS256"]),
            "scopes_supported": list(["openid", "email", "profile", "phone", "offline_access"]),
            "token_endpoint_auth_methods_supported": list(authentication.map(\.rawValue)),
            "code_challenge_methods_supported": list(["S256"]),
            "authorization_response_iss_parameter_supported": .bool(true),
        ]
        if authentication.contains(.privateKeyJWT) {
            metadata["token_endpoint_auth_signing_alg_values_supported"] = list(configuration.clientSigningAlgorithms)
        }
        return .json(metadata)
    }
}

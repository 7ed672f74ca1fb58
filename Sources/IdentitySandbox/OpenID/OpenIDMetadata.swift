internal import IdentityKit

extension SandboxOpenID {
    /// The discovery endpoint: returns the metadata with the enabled features (OpenID Connect Discovery section 3, RFC 8414).
    func discovery() -> SandboxResponse {
        journal.count(\.discoveries)
        let authentication = JSONValue.strings(configuration.permittedAuthentication.map(\.rawValue))
        let clientAlgorithms = JSONValue.strings(configuration.clientSigningAlgorithms)
        var metadata: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string(authorizationEndpoint),
            "token_endpoint": .string(tokenEndpoint), "jwks_uri": .string(jwksEndpoint),
            "userinfo_endpoint": .string(userinfoEndpoint), "end_session_endpoint": .string(endSessionEndpoint),
            "response_types_supported": .strings(responseTypes),
            "response_modes_supported": .strings(configuration.responseModes),
            "grant_types_supported": .strings(grantTypes),
            "subject_types_supported": .strings(["public"]),
            "id_token_signing_alg_values_supported": .strings(
                Set(configuration.clients.map(\.algorithm.rawValue)).sorted()
            ),
            "scopes_supported": .strings(configuration.scopes),
            "token_endpoint_auth_methods_supported": authentication,
            "code_challenge_methods_supported": .strings(["S256"]),
            "authorization_response_iss_parameter_supported": .bool(true),
            // A missing member would mean true (OpenID Connect Discovery section 3).
            "request_uri_parameter_supported": .bool(false),
        ]
        if configuration.clients.contains(where: { $0.backchannelLogoutURI != nil }) {
            metadata["backchannel_logout_supported"] = .bool(true)
            metadata["backchannel_logout_session_supported"] = .bool(true)
        }
        if configuration.permittedAuthentication.contains(.privateKeyJWT) {
            metadata["token_endpoint_auth_signing_alg_values_supported"] = clientAlgorithms
        }
        if configuration.dpop != .off { metadata["dpop_signing_alg_values_supported"] = clientAlgorithms }
        if configuration.pushedRequests != .off {
            metadata["pushed_authorization_request_endpoint"] = .string(pushedRequestEndpoint)
            metadata["require_pushed_authorization_requests"] = .bool(configuration.pushedRequests == .required)
        }
        if configuration.supportsRevocation {
            metadata["revocation_endpoint"] = .string(revocationEndpoint)
            metadata["revocation_endpoint_auth_methods_supported"] = authentication
            metadata["revocation_endpoint_auth_signing_alg_values_supported"] =
                metadata["token_endpoint_auth_signing_alg_values_supported"]
        }
        if configuration.supportsDeviceAuthorization {
            metadata["device_authorization_endpoint"] = .string(deviceAuthorizationEndpoint)
        }
        let userInfoAlgorithms = configuration.clients.compactMap(\.userInfoAlgorithm?.rawValue)
        if !userInfoAlgorithms.isEmpty {
            metadata["userinfo_signing_alg_values_supported"] = .strings(Set(userInfoAlgorithms).sorted())
        }
        if !configuration.acrValues.isEmpty { metadata["acr_values_supported"] = .strings(configuration.acrValues) }
        return .json(metadata)
    }

    private var responseTypes: [String] {
        guard configuration.announcesOddResponseTypes else { return configuration.responseTypes }
        return ["token id_token", "id_token", "token code", "code", "id_token code", "token id_token code"]
    }

    private var grantTypes: [String] {
        ["authorization_code"] + (configuration.responseTypes.contains("id_token") ? ["implicit"] : [])
            + (configuration.issuesRefreshTokens ? ["refresh_token"] : [])
            + (configuration.supportsDeviceAuthorization ? [DeviceAuthorizations.grantType] : [])
    }
}

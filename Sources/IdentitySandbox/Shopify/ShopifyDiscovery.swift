internal import IdentityKit
internal import Synchronization

/// The URLs of the endpoints in one of the two forms of ``SandboxShopifyConfiguration/EndpointShape``.
public struct SandboxShopifyEndpoints: Sendable, Equatable {
    /// The discovery document of the OpenID provider.
    public let discovery: String
    /// The discovery document of the Customer Account API.
    public let apiDiscovery: String
    /// The authorization endpoint.
    public let authorization: String
    /// The token endpoint.
    public let token: String
    /// The key set.
    public let jwks: String
    /// The end-session endpoint.
    public let logout: String
    /// The Customer Account API in its newest version.
    public let api: String
}

extension SandboxShopify {
    /// The endpoints in the form of ``SandboxShopifyConfiguration/endpointShape``.
    public var endpoints: SandboxShopifyEndpoints { endpoints(for: configuration.endpointShape) }

    /// The endpoints in one of the two forms.
    public func endpoints(for shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxShopifyEndpoints {
        let origin = shape == .platform ? platformOrigin : accountOrigin
        let base = origin + basePath(shape)
        return SandboxShopifyEndpoints(
            discovery: origin + "/.well-known/openid-configuration",
            apiDiscovery: origin + "/.well-known/customer-account-api",
            authorization: base + "/oauth/authorize",
            token: base + "/oauth/token",
            jwks: base + "/.well-known/jwks.json",
            logout: base + "/logout",
            api: origin + apiBase(shape) + "\(ShopifyVersions.newest)/graphql"
        )
    }

    func discovery(_ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxResponse {
        journal.count(\.discoveries)
        let endpoints = endpoints(for: shape)
        func list(_ values: String...) -> JSONValue { .array(values.map { .string($0) }) }
        return .json([
            "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
            "token_endpoint": .string(endpoints.token), "end_session_endpoint": .string(endpoints.logout),
            "jwks_uri": .string(endpoints.jwks),
            "scopes_supported": list(
                "openid",
                "email",
                "customer-account-api:full",
                "customer-account-mcp-api:full"
            ),
            "response_types_supported": list("code"),
            "grant_types_supported": list(
                "authorization_code",
                "refresh_token",
                "urn:ietf:params:oauth:grant-type:jwt-bearer"
            ),
            "token_endpoint_auth_methods_supported": list("client_secret_basic"),
            "subject_types_supported": list("public"), "id_token_signing_alg_values_supported": list("RS256"),
            "code_challenge_methods_supported": list("S256"),
            "claims_supported": list("iss", "sub", "aud", "exp", "iat", "nonce", "sid", "email", "email_verified"),
            "ui_locales_supported": list("da", "de", "en", "es", "fr", "it", "ja", "pt-BR", "pt-PT", "zh-CN", "zh-TW"),
            "op_policy_uri": .string(platformOrigin + "/legal/privacy"),
            "op_tos_uri": .string(platformOrigin + "/legal/terms"),
        ])
    }

    func apiDiscovery(_ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxResponse {
        journal.count(\.discoveries)
        let origin = shape == .platform ? platformOrigin : accountOrigin
        return .json([
            "graphql_api": .string(endpoints(for: shape).api),
            "mcp_api": .string(origin + apiBase(shape) + "mcp"),
        ])
    }

    /// The metadata of the Customer Account API as a protected resource (RFC 9728).
    func resourceDiscovery(_ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxResponse {
        journal.count(\.discoveries)
        let origin = shape == .platform ? platformOrigin : accountOrigin
        return .json([
            "resource": .string(origin + apiBase(shape) + "mcp"),
            "authorization_servers": .array([.string(issuer)]),
            "bearer_methods_supported": .array([.string("header")]),
            "scopes_supported": .array([.string("customer-account-mcp-api:full")]),
        ])
    }
}

internal import IdentityKit

/// The URLs of Shopify's endpoints: all at the platform's origin, or all at the shop's account domain.
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

    /// The endpoints at the platform's origin or at the shop's account domain.
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
        return .json([
            "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
            "token_endpoint": .string(endpoints.token), "end_session_endpoint": .string(endpoints.logout),
            "jwks_uri": .string(endpoints.jwks),
            "scopes_supported": .strings([
                "openid", "email", "customer-account-api:full", "customer-account-mcp-api:full",
            ]),
            "response_types_supported": .strings(["code"]),
            "grant_types_supported": .strings([
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:jwt-bearer",
            ]),
            "token_endpoint_auth_methods_supported": .strings(["client_secret_basic"]),
            "subject_types_supported": .strings(["public"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "code_challenge_methods_supported": .strings(["S256"]),
            "claims_supported": .strings([
                "iss", "sub", "aud", "exp", "iat", "nonce", "sid", "email", "email_verified",
            ]),
            "ui_locales_supported": .strings([
                "da", "de", "en", "es", "fr", "it", "ja", "pt-BR", "pt-PT", "zh-CN", "zh-TW",
            ]),
            "op_policy_uri": .string(platformOrigin + "/legal/privacy"),
            "op_tos_uri": .string(platformOrigin + "/legal/terms"),
        ])
    }

    func apiDiscovery(_ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxResponse {
        journal.count(\.discoveries)
        return .json(["graphql_api": .string(endpoints(for: shape).api), "mcp_api": .string(mcpAPI(shape))])
    }

    /// The metadata of the Customer Account API as a protected resource (RFC 9728).
    func resourceDiscovery(_ shape: SandboxShopifyConfiguration.EndpointShape) -> SandboxResponse {
        journal.count(\.discoveries)
        return .json([
            "resource": .string(mcpAPI(shape)),
            "authorization_servers": .strings([issuer]),
            "bearer_methods_supported": .strings(["header"]),
            "scopes_supported": .strings(["customer-account-mcp-api:full"]),
        ])
    }

    private func mcpAPI(_ shape: SandboxShopifyConfiguration.EndpointShape) -> String {
        (shape == .platform ? platformOrigin : accountOrigin) + apiBase(shape) + "mcp"
    }
}

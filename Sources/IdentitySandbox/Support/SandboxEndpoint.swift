/// An endpoint of a provider, for which a test plans faults and reads the received requests.
public struct SandboxEndpoint: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name.
    public let rawValue: String

    /// Creates an endpoint from its stable name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The discovery document.
    public static let discovery = SandboxEndpoint(rawValue: "discovery")
    /// Shopify's `/.well-known/customer-account-api`.
    public static let apiDiscovery = SandboxEndpoint(rawValue: "api_discovery")
    /// Shopify's `/.well-known/oauth-protected-resource`.
    public static let resourceDiscovery = SandboxEndpoint(rawValue: "resource_discovery")
    /// The provider's public keys.
    public static let jwks = SandboxEndpoint(rawValue: "jwks")
    /// The authorization endpoint.
    public static let authorization = SandboxEndpoint(rawValue: "authorization")
    /// The login pages.
    public static let loginPage = SandboxEndpoint(rawValue: "login_page")
    /// The token endpoint, for authorization codes, device codes and refresh tokens.
    public static let token = SandboxEndpoint(rawValue: "token")
    /// The end-session endpoint.
    public static let logout = SandboxEndpoint(rawValue: "logout")
    /// The API that needs the access token: Shopify's Customer Account API, Bolt's account API, or UserInfo.
    public static let api = SandboxEndpoint(rawValue: "api")
    /// The endpoint for pushed authorization requests.
    public static let pushedRequest = SandboxEndpoint(rawValue: "pushed_request")
    /// The revocation endpoint.
    public static let revocation = SandboxEndpoint(rawValue: "revocation")
    /// The device authorization endpoint.
    public static let deviceAuthorization = SandboxEndpoint(rawValue: "device_authorization")
    /// The pages where a buyer enters the code of a device login and approves or refuses the login.
    public static let devicePage = SandboxEndpoint(rawValue: "device_page")
    /// SFCC's controller `Login-OAuthMobileBolt`, which exchanges Bolt's code.
    public static let codeExchange = SandboxEndpoint(rawValue: "code_exchange")
    /// SFCC's controller `Login-ExchangeSFCCToken`, which returns the buyer's JWT.
    public static let tokenExchange = SandboxEndpoint(rawValue: "token_exchange")
    /// All other paths.
    public static let other = SandboxEndpoint(rawValue: "other")

    /// The stable name.
    public var description: String { rawValue }
}

public import IdentityKit

/// A client at any provider that follows OpenID Connect.
///
/// ```swift
/// var configuration = OpenIDProvider.Configuration(name: "id", issuer: "https://id.example", clientID: "shop")
/// configuration.authentication = .secretBasic(clientSecret)
/// configuration.redirectURI = "https://app.example/callback/id"
/// let provider = try OpenIDProvider(configuration, environment: environment)
/// let sessions = SessionManager(
///     providers: try ProviderRegistry([provider]), store: store, environment: environment
/// )
/// ```
///
/// The ID token of a login is always validated: signature, issuer, audience, times, `nonce` if one was sent, and `at_hash` if present.
/// `state` is always sent. PKCE with S256 and `nonce` are used by default; the configured quirks can turn them off. If quirks cannot
/// describe how a provider differs, create a separate type that conforms to ``OpenIDClientProvider``.
public struct OpenIDProvider: OpenIDClientProvider, BuyerProfileProviding, UserInfoProviding, LogoutStateSupporting,
    BackChannelLogoutSupporting, TokenRevoking, DeviceAuthorizing, ResourceAuthorizing
{
    /// The configuration of a client at an OpenID provider.
    public typealias Configuration = OpenIDClient.Configuration
    /// Endpoints that replace discovered ones.
    public typealias Endpoints = OpenIDClient.Endpoints

    /// The client that does the work.
    public let client: OpenIDClient

    /// Creates a provider; no request is sent yet.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ configuration: Configuration, environment: IdentityEnvironment) throws {
        client = try OpenIDClient(configuration, environment: environment)
        guard configuration.scopes.contains(where: { $0.isIdentical(to: "openid") }) else {
            throw OpenIDClient.scopesWithoutOpenID(ofProvider: configuration.name)
        }
    }
}

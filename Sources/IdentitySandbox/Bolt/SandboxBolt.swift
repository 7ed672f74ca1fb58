internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The sandbox's Bolt: hosted login, token endpoint, keys and account API, all at ``origin``.
public final class SandboxBolt: SandboxAuthorizationServer {
    struct State: Sendable {
        var callbackURL: String
        /// The redirect URIs that were registered after the start.
        var redirectURIs: [String] = []
    }

    /// The record of requests, and the planned faults.
    public let journal = SandboxJournal()
    /// The issued tokens, the signed-in browsers and the signing keys.
    public let tokens: SandboxTokens
    /// The origin that stands for `https://api-sandbox.bolt.com`.
    public let origin: String
    /// The configuration with which the provider was created.
    public let configuration: SandboxBoltConfiguration

    let state: Mutex<State>

    init(_ configuration: SandboxConfiguration, directory: BuyerDirectory, origin: String) {
        self.configuration = configuration.bolt
        self.origin = origin
        tokens = SandboxTokens(configuration, directory, brand: "Bolt", keyIDPrefix: "bolt-")
        state = Mutex(State(callbackURL: configuration.bolt.callbackURL))
    }

    /// The URL of the authorization endpoint.
    public var authorizationEndpoint: String { origin + "/v1/oauth/authorize" }
    /// The URL of `/v1/oauth/internal/authorize`, the authorization endpoint for logins with SFCC.
    public var internalAuthorizationEndpoint: String { origin + Self.internalAuthorizationPath }
    static let internalAuthorizationPath = "/v1/oauth/internal/authorize"
    /// The URL of the token endpoint.
    public var tokenEndpoint: String { origin + "/v1/oauth/token" }
    /// The URL of the key set.
    public var jwksEndpoint: String { origin + "/v1/oauth/jwks.json" }
    /// The URL of the discovery document.
    public var discoveryEndpoint: String { origin + "/.well-known/openid-configuration" }
    /// The URL of the account API.
    public var accountEndpoint: String { origin + "/v1/account" }

    /// Replaces the registered callback, to which Bolt sends the response of a login without `redirect_uri`.
    public func register(callbackURL: String) {
        state.withLock { $0.callbackURL = callbackURL }
    }

    /// Registers another URI that a login may send as `redirect_uri`, in addition to ``SandboxBoltConfiguration/redirectURIs``.
    public func register(redirectURI: String) {
        state.withLock { $0.redirectURIs.append(redirectURI) }
    }

    /// Ends the sessions of a buyer: signs the buyer's browsers out, and revokes the buyer's codes and tokens.
    public func endSessions(ofBuyer email: String) { tokens.endSessions(ofBuyer: email) }

    func route(_ path: String) -> SandboxRoute {
        let endpoint: SandboxEndpoint =
            switch path {
            case "/.well-known/openid-configuration": .discovery
            case "/v1/oauth/jwks.json": .jwks
            case "/v1/oauth/authorize", Self.internalAuthorizationPath: .authorization
            case "/v1/oauth/token": .token
            default:
                path.hasPrefix("/hosted/") ? .loginPage : path.hasPrefix("/v1/account") ? .api : .other
            }
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            var response =
                switch endpoint {
                case .discovery: discovery()
                case .jwks: keySet()
                case .authorization: authorize(call)
                case .loginPage: login(call)
                case .token: token(call)
                case .api: account(call)
                default: other(call)
                }
            response.headers.append(("X-Bolt-Trace-Id", RandomText.hexadecimal(32)))
            response.headers.append(("X-Bolt-Api-Version", "2022-01-01"))
            return response
        }
    }

    private func discovery() -> SandboxResponse {
        journal.count(\.discoveries)
        return .json([
            "issuer": .string(configuration.issuer), "authorization_endpoint": .string(authorizationEndpoint),
            "token_endpoint": .string(tokenEndpoint), "jwks_uri": .string(jwksEndpoint),
            "response_types_supported": .strings(["code", "id_token", "token", "code id_token"]),
            "grant_types_supported": .strings(["authorization_code", "refresh_token"]),
            "subject_types_supported": .strings(["public"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "scopes_supported": .strings(Self.knownScopes),
        ])
    }

    /// Whether a `client_id` is the configured publishable key or its part after the last dot, which some clients send.
    func isClient(_ id: String?) -> Bool {
        let key = configuration.publishableKey
        guard let id else { return false }
        return id == key || id == key.split(separator: ".").last.map(String.init)
    }
}

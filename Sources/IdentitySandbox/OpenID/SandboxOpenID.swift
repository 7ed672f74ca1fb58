internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// A plain OpenID provider that follows the specifications.
///
/// The issuer is the origin of the provider's server, unless the configuration sets another issuer.
public final class SandboxOpenID: SandboxAuthorizationServer {
    struct State: Sendable {
        var usedAssertions = UsedIDs()
        var usedProofs = UsedIDs()
        var nonces: DPoPNonces
        var pushed = PushedRequests()
        var devices = DeviceAuthorizations()
        /// The redirect URIs that were registered at every client after the start.
        var redirectURIs: [String] = []
        var logoutURIs: [String] = []
        /// The logouts that wait for the buyer's answer, by the token in the HTML form that asks the buyer.
        var logouts: [String: PendingLogout] = [:]
    }

    /// The record of requests, and the planned faults.
    public let journal = SandboxJournal()
    /// The issued tokens, the signed-in browsers and the signing keys.
    public let tokens: SandboxTokens
    /// The issuer, with which the URLs of all endpoints begin.
    public let issuer: String
    /// The configuration with which the provider was created.
    public let configuration: SandboxOpenIDConfiguration

    let keySetPath: String
    let clientCheck: OpenIDClientCheck
    let state: Mutex<State>

    init(_ configuration: SandboxConfiguration, directory: BuyerDirectory, origin: String) {
        self.configuration = configuration.openID
        issuer = configuration.openID.issuer ?? origin
        let keySetName = configuration.openID.randomizesKeySetPath ? RandomText.hexadecimal(32) : "jwks"
        keySetPath = "/\(keySetName).json"
        clientCheck = OpenIDClientCheck(configuration: configuration.openID, issuer: issuer)
        var common = configuration
        common.authorizationCodeLifetime =
            configuration.openID.authorizationCodeLifetime ?? common.authorizationCodeLifetime
        common.tokenReuse = configuration.openID.tokenReuse ?? common.tokenReuse
        common.accessTokenLifetime = configuration.openID.accessTokenLifetime ?? common.accessTokenLifetime
        let algorithms = configuration.openID.algorithms.map(\.signature)
        tokens = SandboxTokens(common, directory, brand: "OpenID", algorithms: algorithms)
        state = Mutex(State(nonces: DPoPNonces(policy: configuration.openID.dpopNonce)))
    }

    /// The URL of the token endpoint.
    public var tokenEndpoint: String { issuer + "/token" }
    /// The URL of the authorization endpoint.
    public var authorizationEndpoint: String { issuer + "/authorize" }
    /// The URL of the key set.
    public var jwksEndpoint: String { issuer + keySetPath }
    /// The URL of the userinfo endpoint.
    public var userinfoEndpoint: String { issuer + "/userinfo" }
    /// The URL to which authorization requests are pushed.
    public var pushedRequestEndpoint: String { issuer + "/par" }
    /// The URL of the revocation endpoint.
    public var revocationEndpoint: String { issuer + "/revoke" }
    /// The URL of the end-session endpoint.
    public var endSessionEndpoint: String { issuer + "/logout" }
    /// The URL of the device authorization endpoint.
    public var deviceAuthorizationEndpoint: String { issuer + "/device_authorization" }
    /// The verification URI that a device shows to its buyer.
    public var verificationURI: String { issuer + "/device" }

    /// Registers another redirect URI at every client, in addition to ``SandboxOpenIDClient/redirectURIs``.
    public func register(redirectURI: String) {
        state.withLock { $0.redirectURIs.append(redirectURI) }
    }

    /// Registers another post-logout redirect URI at every client, in addition to ``SandboxOpenIDClient/postLogoutRedirectURIs``.
    public func register(logoutURI: String) {
        state.withLock { $0.logoutURIs.append(logoutURI) }
    }

    func route(_ path: String) -> SandboxRoute {
        let endpoint: SandboxEndpoint =
            switch path {
            case "/.well-known/openid-configuration": .discovery
            case keySetPath: .jwks
            case "/authorize": .authorization
            case "/token": .token
            case "/par" where configuration.pushedRequests != .off: .pushedRequest
            case "/userinfo": .api
            case "/revoke" where configuration.supportsRevocation: .revocation
            case "/device_authorization" where configuration.supportsDeviceAuthorization: .deviceAuthorization
            case "/device" where configuration.supportsDeviceAuthorization: .devicePage
            case "/logout": .logout
            case _ where path.hasPrefix("/login/"): .loginPage
            case _ where path.hasPrefix("/device/"): .devicePage
            default: .other
            }
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            if let refusal = refusal(ofMethod: call) { return refusal }
            return switch endpoint {
            case .discovery: discovery()
            case .jwks: keySet()
            case .authorization: authorize(call)
            case .loginPage: login(call)
            case .token: withFreshNonce(token(call))
            case .pushedRequest: withFreshNonce(push(call))
            case .api: withFreshNonce(userinfo(call))
            case .logout: await logout(call)
            case .revocation: revoke(call)
            case .deviceAuthorization: authorizeDevice(call)
            case .devicePage: devicePage(call)
            default: .json(["error": .string("not_found")], status: 404)
            }
        }
    }

    /// Returns 405 for a method that the endpoint does not serve; `OAuthParameters` checks the method of endpoints with POST only.
    private func refusal(ofMethod call: SandboxCall) -> SandboxResponse? {
        let methods: [String]
        switch call.request.endpoint {
        case .discovery, .jwks: methods = ["GET", "HEAD"]
        case .authorization, .loginPage, .devicePage, .logout, .api: methods = ["GET", "HEAD", "POST"]
        default: return nil
        }
        guard !methods.contains(call.request.method) else { return nil }
        let allowed = methods.joined(separator: ", ")
        let description = "The method must be one of \(allowed)."
        let refusal = OAuthRefusal("invalid_request", description, status: 405, headers: [("Allow", allowed)])
        note(refusal, call)
        return refusal.response
    }

    static func subject(of buyer: Int) -> String { "user-\(buyer)" }

    /// Returns the claims and the client of an ID token that a published key signed, even if it has expired; nil for other tokens.
    ///
    /// The same keys sign logout tokens and UserInfo responses, which are not accepted: a logout token has the claim `events`, and a
    /// UserInfo response has no `exp` and no `iat`.
    func hint(_ token: String) -> (claims: JSONObject, client: SandboxOpenIDClient)? {
        guard let claims = tokens.state.withLock({ $0.keyring.claims(of: token) }), claims["iss"] == .string(issuer),
            let client = configuration.client(id: claims["aud"]?.string), claims["events"] == nil,
            ["sub", "exp", "iat"].allSatisfy({ claims[$0] != nil })
        else { return nil }
        return (claims, client)
    }

    /// Returns the claims about a buyer that the scopes request (OpenID Connect Core section 5.4).
    func claims(of number: Int, scopes: [String]) -> JSONObject {
        var claims: JSONObject = ["sub": .string(Self.subject(of: number))]
        guard let account = directory.buyer(number: number)?.account else { return claims }
        if scopes.contains("email") {
            claims["email"] = .string(account.email)
            claims["email_verified"] = .bool(account.emailVerified)
        }
        if scopes.contains("profile") {
            claims["given_name"] = .string(account.firstName)
            claims["family_name"] = .string(account.lastName)
            claims["name"] = .string("\(account.firstName) \(account.lastName)")
        }
        if scopes.contains("phone"), !account.phone.isEmpty { claims["phone_number"] = .string(account.phone) }
        return claims
    }
}

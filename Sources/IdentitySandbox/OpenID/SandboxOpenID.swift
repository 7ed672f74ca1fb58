internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// A plain OpenID provider as the specifications describe it: the issuer is the origin, discovery lies where it should.
public final class SandboxOpenID: SandboxService {
    struct State: Sendable {
        var ledger = GrantLedger()
        var desk = LoginDesk(brand: "OpenID", cookieName: "sandbox_openid")
        var keyring: SigningKeyring
        var accessTokenLifetime: Duration
        /// The `jti` values of assertions that came.
        var usedAssertions = OneUseRegister()
    }

    /// Where requests are noted and misbehaviours planned.
    public let journal = SandboxJournal()
    /// The issuer, which is the origin.
    public let issuer: String
    /// How it was set up.
    public let configuration: SandboxOpenIDConfiguration

    let codeLifetime: Duration
    let clock: any IdentityClock
    let directory: BuyerDirectory
    let clientCheck: OpenIDClientCheck
    let state: Mutex<State>

    init(_ configuration: SandboxConfiguration, directory: BuyerDirectory, origin: String) {
        self.configuration = configuration.openID
        self.directory = directory
        issuer = origin
        clientCheck = OpenIDClientCheck(configuration: configuration.openID, issuer: origin)
        clock = configuration.clock
        codeLifetime = configuration.authorizationCodeLifetime
        let usesCurve = configuration.openID.algorithm == .es256
        let keyring = SigningKeyring(
            owner: "openid",
            keyIDPrefix: usesCurve ? "ec-" : "rsa-",
            algorithm: usesCurve ? .es256 : .rs256
        )
        state = Mutex(State(keyring: keyring, accessTokenLifetime: configuration.accessTokenLifetime))
    }

    /// The URL of the token endpoint.
    public var tokenEndpoint: String { issuer + "/token" }
    /// The URL of the authorization endpoint.
    public var authorizationEndpoint: String { issuer + "/authorize" }
    /// The URL of the key set.
    public var jwksEndpoint: String { issuer + "/jwks.json" }
    /// The URL of the userinfo endpoint.
    public var userinfoEndpoint: String { issuer + "/userinfo" }

    /// Sets how long access tokens live that are issued from now on.
    public func setAccessTokenLifetime(_ lifetime: Duration) {
        state.withLock { $0.accessTokenLifetime = lifetime }
    }

    /// Makes a new key sign; the old ones stay published unless told otherwise.
    public func rotateSigningKey(keepingOld keepsOld: Bool = true) {
        state.withLock { $0.keyring.rotate(keepsOld: keepsOld) }
    }

    /// Kills every token; a refresh is answered `invalid_grant` from now on.
    public func revokeAll() {
        state.withLock { $0.ledger.revokeAll() }
    }

    /// Makes every access token expired; refreshing still works.
    public func expireAccessTokens() {
        let now = clock.now
        state.withLock { $0.ledger.expireAccessTokens(at: now) }
    }

    /// Signs all browsers out, so that the next login shows its page again.
    public func signOutBrowsers() {
        state.withLock { $0.desk.closeAllSessions() }
    }

    func route(_ path: String) -> SandboxRoute {
        let endpoint: SandboxEndpoint =
            switch path {
            case "/.well-known/openid-configuration": .discovery
            case "/jwks.json": .jwks
            case "/authorize": .authorization
            case "/token": .token
            case "/userinfo": .api
            case "/logout": .logout
            default: path.hasPrefix("/login/") ? .loginPage : .other
            }
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            switch endpoint {
            case .discovery: discovery()
            case .jwks: keySet()
            case .authorization: authorize(call)
            case .loginPage: login(call)
            case .token: token(call)
            case .api: userinfo(call.request)
            case .logout: logout(call.request)
            default: .json(["error": .string("not_found")], status: 404)
            }
        }
    }

    private func keySet() -> SandboxAnswer {
        journal.count(\.jwksFetches)
        return .json(state.withLock { $0.keyring.keySet() })
    }

    private func userinfo(_ request: SandboxRequest) -> SandboxAnswer {
        journal.count(\.apiCalls)
        let now = clock.now
        guard let bearer = request.header("authorization"), bearer.hasPrefix("Bearer "),
            let found = state.withLock({ $0.ledger.grant(ofAccessToken: String(bearer.dropFirst(7)), at: now) })
        else {
            return SandboxAnswer(status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        return .json(claims(of: found.grant.buyer, scopes: found.scopes))
    }

    /// The claims about a person that the scopes allow (OpenID Connect Core section 5.4).
    func claims(of number: Int, scopes: [String]) -> JSONObject {
        var claims: JSONObject = ["sub": .string("user-\(number)")]
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

    private func logout(_ request: SandboxRequest) -> SandboxAnswer {
        journal.count(\.logouts)
        let cookie = state.withLock { state in
            if let session = state.desk.session(of: request) { state.desk.closeSession(id: session.id) }
            return state.desk.expiredCookie
        }
        let query = AuthorizationQuery(request)
        guard let target = query?["post_logout_redirect_uri"],
            RedirectRule.permits(target, registered: configuration.redirectURIs, allowsLoopback: true)
        else { return SandboxAnswer.html(NoticePages.signedOut(brand: "OpenID")).with("Set-Cookie", cookie) }
        let fields = query?["state"].map { [(name: "state", value: $0)] } ?? []
        return SandboxAnswer.redirect(to: FormText.append(fields, to: target)).with("Set-Cookie", cookie)
    }
}

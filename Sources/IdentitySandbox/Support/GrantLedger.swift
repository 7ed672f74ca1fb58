internal import FoundationEssentials
internal import IdentityKit

/// A buyer's consent in one login; all codes and tokens belong to a grant.
struct Grant: Sendable {
    fileprivate(set) var id = 0
    let clientID: String
    let buyer: Int
    let scopes: [String]
    let sessionID: String
    let authenticatedAt: Date
    private(set) var nonce: String?
    private(set) var redirectURI: String?
    private(set) var challenge: String?
    private(set) var acr: String?
    /// The thumbprint of the key to which the code is bound (RFC 9449 section 10); nil for an unbound code.
    private(set) var keyThumbprint: String?
    fileprivate(set) var isRevoked = false
    /// Whether the session has ended at the provider; with the scope `offline_access`, the tokens of the grant are still valid then.
    fileprivate(set) var hasEnded = false

    /// Creates a grant without redirect URI and nonce, for a device login or for a test shopper of Bolt.
    init(clientID: String, scopes: [String], _ session: LoginSessions.Session) {
        self.clientID = clientID
        self.scopes = scopes
        buyer = session.buyer
        sessionID = session.id
        authenticatedAt = session.authenticatedAt
    }

    init(_ login: HostedLogin, _ session: LoginSessions.Session) {
        self.init(clientID: login.clientID, scopes: login.scopes, session)
        nonce = login.nonce
        redirectURI = login.redirectURI
        challenge = login.challenge
        acr = login.acr
        keyThumbprint = login.keyThumbprint
    }
}

/// The codes and tokens of one authorization server; the codes and tokens of one grant can be revoked together.
struct GrantLedger: Sendable {
    struct AccessToken: Sendable {
        let grant: Int
        let scopes: [String]
        /// The thumbprint of the key to which the token is bound (RFC 9449 section 6); nil for a bearer token.
        let keyThumbprint: String?
        var expires: Date
        var isRevoked = false
    }

    private struct Code {
        let grant: Int
        let expires: Date
        var isUsed = false
    }

    private struct RefreshToken {
        let grant: Int
        /// The thumbprint of the key to which the token of a public client is bound (RFC 9449 section 5); nil for an unbound token.
        let keyThumbprint: String?
        let expires: Date?
        var spentAt: Date?
        /// The response to the first use of the token, kept for ``SandboxTokenReuse/repeatsResponse``.
        var response: SandboxResponse?
    }

    enum Refusal: Error, Sendable {
        case unknown
        case expired
        case reused(grant: Int)
        case revoked
    }

    private let reuse: SandboxTokenReuse
    private let codeLifetime: Duration
    /// The lifetime of the access tokens that are added from now on.
    var accessTokenLifetime: Duration
    private var grants: [Int: Grant] = [:]
    private var codes: [String: Code] = [:]
    private var refreshTokens: [String: RefreshToken] = [:]
    private var accessTokens: [String: AccessToken] = [:]

    init(_ configuration: SandboxConfiguration) {
        reuse = configuration.tokenReuse
        codeLifetime = configuration.authorizationCodeLifetime
        accessTokenLifetime = configuration.accessTokenLifetime
    }

    mutating func add(_ grant: Grant) -> Grant {
        var grant = grant
        grant.id = grants.count + 1
        grants[grant.id] = grant
        return grant
    }

    mutating func addCode(_ code: String, for grant: Grant, at now: Date) {
        codes[code] = Code(grant: grant.id, expires: now + codeLifetime.timeInterval)
    }

    /// Returns the grant of an authorization code; only ``spendCode(_:)`` marks the code as used.
    func grant(ofCode code: String, at now: Date) throws(Refusal) -> Grant {
        guard let known = codes[code], let grant = grants[known.grant] else { throw .unknown }
        guard !known.isUsed else { throw .reused(grant: grant.id) }
        guard known.expires > now else { throw .expired }
        guard !grant.isRevoked else { throw .revoked }
        return grant
    }

    mutating func spendCode(_ code: String) {
        codes[code]?.isUsed = true
    }

    mutating func addAccessToken(
        _ token: String,
        for grant: Grant,
        _ scopes: [String],
        keyThumbprint: String? = nil,
        at now: Date
    ) {
        let expires = now + accessTokenLifetime.timeInterval
        accessTokens[token] =
            AccessToken(grant: grant.id, scopes: scopes, keyThumbprint: keyThumbprint, expires: expires)
    }

    mutating func addRefreshToken(
        _ token: String,
        for grant: Grant,
        keyThumbprint: String? = nil,
        expires: Date? = nil
    ) {
        refreshTokens[token] = RefreshToken(grant: grant.id, keyThumbprint: keyThumbprint, expires: expires)
    }

    func key(ofRefreshToken token: String) -> String? { refreshTokens[token]?.keyThumbprint }

    func grant(ofRefreshToken token: String, at now: Date) throws(Refusal) -> Grant {
        guard let known = refreshTokens[token], let grant = grants[known.grant] else { throw .unknown }
        if let spentAt = known.spentAt, !isForgiven(token, spentAt, now) { throw .reused(grant: grant.id) }
        if let expires = known.expires, expires <= now { throw .expired }
        guard !grant.isRevoked else { throw .revoked }
        return grant
    }

    private func isForgiven(_ token: String, _ spentAt: Date, _ now: Date) -> Bool {
        switch reuse {
        case .revokes: return false
        case .grace(let duration): return now.timeIntervalSince(spentAt) < duration.timeInterval
        case .repeatsResponse: return repeatedResponse(to: token) != nil
        }
    }

    /// The stored response to a used refresh token, as long as the refresh token in that response is unused; otherwise nil.
    func repeatedResponse(to token: String) -> SandboxResponse? {
        guard let response = refreshTokens[token]?.response, let body = try? JSONValue(parsing: response.body),
            let successor = (body["refresh_token"]?.string).flatMap({ refreshTokens[$0] }), successor.spentAt == nil
        else { return nil }
        return response
    }

    /// Marks a refresh token as used; returns true for the first use, false for a used or unknown token.
    mutating func spendRefreshToken(_ token: String, at now: Date) -> Bool {
        guard let known = refreshTokens[token], known.spentAt == nil else { return false }
        refreshTokens[token]?.spentAt = now
        return true
    }

    mutating func keep(_ response: SandboxResponse, to token: String) {
        if reuse == .repeatsResponse { refreshTokens[token]?.response = response }
    }

    /// Revokes all tokens of a login if `refusal` is `reused`, because an attacker may have stolen the code or refresh token.
    mutating func revokeIfReused(_ refusal: Refusal, _ journal: SandboxJournal) {
        guard case .reused(let grant) = refusal else { return }
        revoke(grant)
        journal.count(\.reusesPunished)
    }

    /// Revokes the access tokens of a grant; an unused refresh token still works.
    mutating func revokeAccessTokens(of grant: Int) {
        for (token, known) in accessTokens where known.grant == grant { accessTokens[token]?.isRevoked = true }
    }

    mutating func revoke(_ grant: Int) {
        grants[grant]?.isRevoked = true
        revokeAccessTokens(of: grant)
    }

    mutating func revoke(where isSelected: (Grant) -> Bool) {
        for grant in grants.values where isSelected(grant) { revoke(grant.id) }
    }

    /// Ends a session's grants, and revokes those without `offline_access`; returns the clients of the grants that had not ended before.
    mutating func endSession(_ id: String) -> [String] {
        let clients = values(of: \.clientID) { $0.sessionID == id && !$0.hasEnded }
        for grant in grants.values where grant.sessionID == id {
            grants[grant.id]?.hasEnded = true
            if !grant.scopes.contains("offline_access") { revoke(grant.id) }
        }
        return clients
    }

    /// Revokes a refresh token with all tokens of its login, or only one access token (RFC 7009 section 2.1).
    mutating func revoke(token: String, of clientID: String) {
        func isOurs(_ grant: Int) -> Bool { grants[grant]?.clientID.isIdentical(to: clientID) ?? false }
        if let known = refreshTokens[token], isOurs(known.grant) { revoke(known.grant) }
        if let known = accessTokens[token], isOurs(known.grant) { accessTokens[token]?.isRevoked = true }
    }

    func buyer(ofSession id: String) -> Int? {
        grants.values.first { $0.sessionID == id }?.buyer
    }

    /// Returns the distinct values of a member, such as the client id, of the grants that a closure selects, in the order of the logins.
    func values(of member: KeyPath<Grant, String>, where isSelected: (Grant) -> Bool) -> [String] {
        grants.values.filter(isSelected).sorted { $0.id < $1.id }.map { $0[keyPath: member] }
            .reduce(into: []) { ids, id in if !ids.contains(where: { $0.isIdentical(to: id) }) { ids.append(id) } }
    }

    mutating func expireAccessTokens(at now: Date) {
        for token in accessTokens.keys { accessTokens[token]?.expires = now }
    }

    func grant(ofAccessToken text: String, at now: Date) -> (grant: Grant, token: AccessToken)? {
        guard let known = accessTokens[text], !known.isRevoked, known.expires > now, let grant = grants[known.grant],
            !grant.isRevoked
        else { return nil }
        return (grant, known)
    }
}

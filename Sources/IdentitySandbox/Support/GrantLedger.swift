internal import FoundationEssentials

/// What a buyer agreed to in one login; everything that is issued later descends from it.
struct Grant: Sendable {
    let id: Int
    let clientID: String
    let buyer: Int
    let scopes: [String]
    let nonce: String?
    /// The login's session at the provider.
    let sessionID: String
    let authenticatedAt: Date
    let redirectURI: String?
    let challenge: String?
    var isRevoked = false
}

/// Codes and tokens of one authorization server: one-use codes, rotating refresh tokens, families that die as one.
struct GrantLedger: Sendable {
    struct AccessToken: Sendable {
        let grant: Int
        let scopes: [String]
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
        var isSpent = false
    }

    enum Refusal: Error, Sendable {
        case unknown
        case expired
        /// It came a second time.
        case reused(grant: Int)
        case revoked
    }

    private var grants: [Int: Grant] = [:]
    private var codes: [String: Code] = [:]
    private var refreshTokens: [String: RefreshToken] = [:]
    private var accessTokens: [String: AccessToken] = [:]

    mutating func addGrant(
        clientID: String,
        buyer: Int,
        scopes: [String],
        nonce: String?,
        sessionID: String,
        at now: Date,
        redirectURI: String?,
        challenge: String?
    ) -> Grant {
        let grant = Grant(
            id: grants.count + 1,
            clientID: clientID,
            buyer: buyer,
            scopes: scopes,
            nonce: nonce,
            sessionID: sessionID,
            authenticatedAt: now,
            redirectURI: redirectURI,
            challenge: challenge
        )
        grants[grant.id] = grant
        return grant
    }

    func grant(_ id: Int) -> Grant? { grants[id] }

    mutating func addCode(_ code: String, for grant: Int, expires: Date) {
        codes[code] = Code(grant: grant, expires: expires)
    }

    /// The grant behind a code, which is not spent by looking.
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

    mutating func addAccessToken(_ token: String, for grant: Int, scopes: [String], expires: Date) {
        accessTokens[token] = AccessToken(grant: grant, scopes: scopes, expires: expires)
    }

    mutating func addRefreshToken(_ token: String, for grant: Int) {
        refreshTokens[token] = RefreshToken(grant: grant)
    }

    func grant(ofRefreshToken token: String) throws(Refusal) -> Grant {
        guard let known = refreshTokens[token], let grant = grants[known.grant] else { throw .unknown }
        guard !known.isSpent else { throw .reused(grant: grant.id) }
        guard !grant.isRevoked else { throw .revoked }
        return grant
    }

    mutating func spendRefreshToken(_ token: String) {
        refreshTokens[token]?.isSpent = true
    }

    /// The access tokens of a grant die; a refresh token that is not spent still works.
    mutating func revokeAccessTokens(of grant: Int) {
        for (token, known) in accessTokens where known.grant == grant { accessTokens[token]?.isRevoked = true }
    }

    /// Everything that descends from a grant dies.
    mutating func revoke(_ grant: Int) {
        grants[grant]?.isRevoked = true
        revokeAccessTokens(of: grant)
    }

    mutating func revokeAll() {
        for id in grants.keys { revoke(id) }
    }

    mutating func revoke(sessionID: String) {
        for grant in grants.values where grant.sessionID == sessionID { revoke(grant.id) }
    }

    /// All access tokens become expired; refresh tokens keep working.
    mutating func expireAccessTokens(at now: Date) {
        for token in accessTokens.keys { accessTokens[token]?.expires = now }
    }

    func accessToken(_ token: String) -> AccessToken? { accessTokens[token] }

    /// The grant behind a living access token.
    func grant(ofAccessToken token: String, at now: Date) -> (grant: Grant, scopes: [String])? {
        guard let known = accessTokens[token], !known.isRevoked, known.expires > now, let grant = grants[known.grant],
            !grant.isRevoked
        else { return nil }
        return (grant, known.scopes)
    }
}

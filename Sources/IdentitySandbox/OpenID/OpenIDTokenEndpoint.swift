internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    private struct TokenRequest {
        let form: OAuthParameters
        let client: SandboxOpenIDClient
        /// The thumbprint of the key of the DPoP proof; nil if the request has no proof, or if DPoP is off.
        let key: String?
        let idTokenChanges: [@Sendable (inout SandboxIDToken) -> Void]
    }

    func token(_ call: SandboxCall) -> SandboxResponse {
        let response = respond(to: call) { () throws(OAuthRefusal) in
            let (form, client) = try authenticate(call.request)
            let key = try provenKey(call.request, isRequired: configuration.dpop == .required)
            let request = TokenRequest(form: form, client: client, key: key, idTokenChanges: call.idTokenChanges)
            switch try form.required("grant_type") {
            case "authorization_code": return try exchange(request)
            case "refresh_token" where configuration.issuesRefreshTokens: return try refresh(request)
            case DeviceAuthorizations.grantType where configuration.supportsDeviceAuthorization:
                return try collect(request)
            default: throw OAuthRefusal("unsupported_grant_type", "The grant type is not supported.")
            }
        }
        if response.status != 200 { journal.count(\.tokenRefusals) }
        return response
    }

    func respond(to call: SandboxCall, _ body: () throws(OAuthRefusal) -> SandboxResponse) -> SandboxResponse {
        do throws(OAuthRefusal) { return try body() } catch {
            note(error, call)
            return error.response
        }
    }

    func note(_ refusal: OAuthRefusal, _ call: SandboxCall) {
        guard refusal.isViolation else { return }
        let endpoint = call.request.endpoint
        journal.note(SandboxViolation(endpoint: endpoint, error: refusal.error, reason: refusal.description))
    }

    func authenticate(
        _ request: SandboxRequest
    ) throws(OAuthRefusal) -> (form: OAuthParameters, client: SandboxOpenIDClient) {
        let now = clock.now
        return try state.withLock { state throws(OAuthRefusal) in
            try clientCheck.authenticate(request, &state.usedAssertions, at: now)
        }
    }

    private func exchange(_ request: TokenRequest) throws(OAuthRefusal) -> SandboxResponse {
        let form = request.form
        return try redeem(code: try form.required("code"), refuse: { Self.refusal(of: $0, "code") }) {
            (grant, state, now) throws(OAuthRefusal) in
            try Self.check(request, owns: grant, "code")
            guard let redirectURI = form["redirect_uri"], grant.redirectURI?.isIdentical(to: redirectURI) ?? false
            else {
                throw .invalidGrant("redirect_uri is missing, or is not the one of the authorization request.")
            }
            if let reason = PKCECheck.problem(verifier: form["code_verifier"], challenge: grant.challenge) {
                throw .invalidGrant(reason)
            }
            try Self.check(request, has: grant.keyThumbprint, "code")
            return issue(request, grant, isFirst: true, grant.scopes, &state, now)
        }
    }

    private func refresh(_ request: TokenRequest) throws(OAuthRefusal) -> SandboxResponse {
        let form = request.form
        let token = try form.required("refresh_token")
        return try redeem(
            refreshToken: token,
            isRotated: configuration.rotatesRefreshTokens,
            refuse: { Self.refusal(of: $0, "refresh token") },
            scopes: { grant, ledger throws(OAuthRefusal) in
                try Self.check(request, owns: grant, "refresh token")
                try Self.check(request, has: ledger.key(ofRefreshToken: token), "refresh token")
                let scopes = form["scope"] == nil ? grant.scopes : form.scopes
                guard scopes.allSatisfy({ scope in grant.scopes.contains { $0.isIdentical(to: scope) } }) else {
                    throw OAuthRefusal("invalid_scope", "The scope exceeds the scopes that the buyer granted.")
                }
                return scopes
            },
            issue: { issue(request, $0, isFirst: false, $1, &$2, $3) }
        )
    }

    /// Returns the tokens to a device whose login the buyer has approved.
    private func collect(_ request: TokenRequest) throws(OAuthRefusal) -> SandboxResponse {
        let (now, clientID) = (clock.now, request.client.clientID)
        let deviceCode = try request.form.required("device_code")
        let (device, session) = try state.withLock { state throws(OAuthRefusal) in
            try state.devices.poll(deviceCode: deviceCode, clientID: clientID, at: now)
        }
        let body = try tokens.state.withLock { state throws(OAuthRefusal) in
            // As with a code, the end of the buyer's session revokes the device code, except with the scope `offline_access`.
            guard state.logins.isOpen(session) || device.scopes.contains("offline_access") else {
                throw .invalidGrant("The session in which the buyer approved the login has ended.", isViolation: false)
            }
            let grant = state.ledger.add(Grant(clientID: clientID, scopes: device.scopes, session))
            return issue(request, grant, isFirst: true, grant.scopes, &state, now)
        }
        journal.count(\.exchanges)
        return .tokens(body)
    }

    private static func check(_ request: TokenRequest, owns grant: Grant, _ what: String) throws(OAuthRefusal) {
        guard request.client.clientID.isIdentical(to: grant.clientID) else {
            throw .invalidGrant("The \(what) was issued to another client.")
        }
    }

    private static func check(_ request: TokenRequest, has key: String?, _ what: String) throws(OAuthRefusal) {
        guard let key else { return }
        guard request.key?.isIdentical(to: key) ?? false else {
            throw .invalidGrant("The \(what) is bound to a key for which the request has no DPoP proof.")
        }
    }

    private static func refusal(of refusal: GrantLedger.Refusal, _ what: String) -> OAuthRefusal {
        switch refusal {
        case .reused: .invalidGrant("The \(what) was used before: all tokens of its login are revoked.")
        case .unknown: .invalidGrant("The \(what) is unknown.")
        case .expired: .invalidGrant("The \(what) has expired.", isViolation: false)
        case .revoked: .invalidGrant("The \(what) was revoked.", isViolation: false)
        }
    }

    private func issue(
        _ request: TokenRequest,
        _ grant: Grant,
        isFirst: Bool,
        _ scopes: [String],
        _ state: inout SandboxTokens.State,
        _ now: Date
    ) -> JSONObject {
        let (client, key) = (request.client, request.key)
        let accessToken = RandomText.base64URL(32)
        state.ledger.addAccessToken(accessToken, for: grant, scopes, keyThumbprint: key, at: now)
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string(key == nil ? "Bearer" : "DPoP"),
            "expires_in": .integer(state.ledger.accessTokenLifetime.wholeSeconds),
            "scope": .string(scopes.joined(separator: " ")),
        ]
        if issuesRefreshToken(for: grant, isFirst: isFirst) {
            let refreshToken = RandomText.base64URL(32)
            state.ledger.addRefreshToken(
                refreshToken,
                for: grant,
                // Only refresh tokens of public clients are bound to the DPoP key (RFC 9449 section 5).
                keyThumbprint: client.isPublic ? key : nil,
                expires: configuration.refreshTokenLifetime.map { now + $0.timeInterval }
            )
            body["refresh_token"] = .string(refreshToken)
        }
        guard isFirst || configuration.refreshesIDToken, scopes.contains("openid") else { return body }
        var claims = idTokenClaims(grant, client, now)
        if configuration.claimsIn == .idToken { add(claimsOf: grant.buyer, scopes, to: &claims) }
        // A refreshed ID token has no nonce (OpenID Connect Core section 12.2).
        if isFirst { claims["nonce"] = grant.nonce.map { .string($0) } }
        claims["at_hash"] = Self.halfHash(accessToken, client.algorithm)
        let token = state.keyring.mint(claims, client.algorithm.signature, changes: request.idTokenChanges)
        body["id_token"] = .string(token)
        return body
    }

    private func issuesRefreshToken(for grant: Grant, isFirst: Bool) -> Bool {
        configuration.issuesRefreshTokens && (isFirst || configuration.rotatesRefreshTokens)
            && (!configuration.refreshNeedsOfflineAccess || grant.scopes.contains("offline_access"))
    }

    /// Returns the claims of an ID token, without `nonce`, without hashes, and without the claims of scopes such as `email`.
    func idTokenClaims(_ grant: Grant, _ client: SandboxOpenIDClient, _ now: Date) -> JSONObject {
        var claims: JSONObject = [
            "sub": .string(Self.subject(of: grant.buyer)), "iss": .string(issuer), "aud": .string(client.clientID),
            "iat": .integer(now.epochSeconds),
            "exp": .integer(now.epochSeconds + configuration.idTokenLifetime.wholeSeconds),
            "auth_time": .integer(grant.authenticatedAt.epochSeconds), "sid": .string(grant.sessionID),
        ]
        claims["acr"] = grant.acr.map { .string($0) }
        return claims
    }

    func add(claimsOf buyer: Int, _ scopes: [String], to claims: inout JSONObject) {
        for member in self.claims(of: buyer, scopes: scopes).members { claims[member.name] = member.value }
    }

    /// Returns `at_hash` or `c_hash` for a token or code: the left half of its hash (OpenID Connect Core section 3.1.3.6).
    static func halfHash(_ text: String, _ algorithm: SandboxOpenIDConfiguration.Algorithm) -> JSONValue? {
        let bytes = Array(text.utf8)
        let digest =
            switch algorithm {
            case .rs256, .ps256, .es256: try? Digest.sha256(bytes)
            case .es384: try? Digest.sha384(bytes)
            case .edDSA: try? Digest.sha512(bytes)
            }
        return digest.map { .string(Base64URL.encode(Array($0.prefix($0.count / 2)))) }
    }
}

internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    func token(_ call: SandboxCall) -> SandboxAnswer {
        let answer = answer(call) { () throws(OAuthRefusal) in
            let form = try authenticate(call.request)
            let key = try provenKey(call.request, isRequired: configuration.dpop == .required)
            switch try form.required("grant_type") {
            case "authorization_code": return try exchange(form, key, call)
            case "refresh_token" where configuration.issuesRefreshTokens: return try refresh(form, key, call)
            case DeviceAuthorizations.grantType where configuration.supportsDeviceAuthorization:
                return try collect(form, key, call)
            default: throw OAuthRefusal("unsupported_grant_type", "The grant type is not supported.")
            }
        }
        if answer.status != 200 { journal.count(\.tokenRefusals) }
        return answer
    }

    /// Answers a refusal with its error, and notes it when the client broke a rule.
    func answer(_ call: SandboxCall, _ body: () throws(OAuthRefusal) -> SandboxAnswer) -> SandboxAnswer {
        do throws(OAuthRefusal) { return try body() } catch {
            note(error, call)
            return error.answer
        }
    }

    func note(_ refusal: OAuthRefusal, _ call: SandboxCall) {
        guard refusal.isViolation else { return }
        let endpoint = call.request.endpoint
        journal.note(SandboxViolation(endpoint: endpoint, error: refusal.error, reason: refusal.description))
    }

    func authenticate(_ request: SandboxRequest) throws(OAuthRefusal) -> OAuthForm {
        let now = clock.now
        return try state.withLock { state throws(OAuthRefusal) in
            try clientCheck.authenticate(request, &state.usedAssertions, at: now)
        }
    }

    private func exchange(_ form: OAuthForm, _ key: String?, _ call: SandboxCall) throws(OAuthRefusal) -> SandboxAnswer
    {
        let now = clock.now
        let code = try form.required("code")
        let body = try state.withLock { state throws(OAuthRefusal) in
            let grant: Grant
            do throws(GrantLedger.Refusal) { grant = try state.ledger.grant(ofCode: code, at: now) } catch {
                throw punish(error, "code", &state)
            }
            guard let redirectURI = form["redirect_uri"], grant.redirectURI?.isIdentical(to: redirectURI) ?? false
            else { throw OAuthRefusal("invalid_grant", "redirect_uri is not the one of the authorization request.") }
            if let reason = PKCECheck.problem(verifier: form["code_verifier"], challenge: grant.challenge) {
                throw OAuthRefusal("invalid_grant", reason)
            }
            try Self.check(key, bound: grant.keyThumbprint, "code")
            state.ledger.spendCode(code)
            return issue(grant, scopes: grant.scopes, key: key, withIDToken: true, withNonce: true, &state, now, call)
        }
        journal.count(\.exchanges)
        return SandboxAnswer.json(body).with("Cache-Control", "no-store")
    }

    private func refresh(_ form: OAuthForm, _ key: String?, _ call: SandboxCall) throws(OAuthRefusal) -> SandboxAnswer {
        let now = clock.now
        let token = try form.required("refresh_token")
        let withIDToken = configuration.refreshesIDToken
        return try state.withLock { state throws(OAuthRefusal) in
            let grant: Grant
            do throws(GrantLedger.Refusal) { grant = try state.ledger.grant(ofRefreshToken: token, at: now) } catch {
                throw punish(error, "refresh token", &state)
            }
            try Self.check(key, bound: state.ledger.key(ofRefreshToken: token), "refresh token")
            let scopes = form["scope"].map { $0.split(separator: " ").map(String.init) } ?? grant.scopes
            guard scopes.allSatisfy({ scope in grant.scopes.contains { $0.isIdentical(to: scope) } }) else {
                throw OAuthRefusal("invalid_scope", "The scope is wider than what the buyer agreed to.")
            }
            let repeated = state.ledger.repeatedAnswer(to: token)
            journal.count(state.ledger.spendRefreshToken(token, at: now) ? \.refreshes : \.refreshReplays)
            if let repeated { return repeated }
            let body = issue(
                grant,
                scopes: scopes,
                key: key,
                withIDToken: withIDToken,
                withNonce: false,
                &state,
                now,
                call
            )
            let answer = SandboxAnswer.json(body).with("Cache-Control", "no-store")
            state.ledger.keep(answer, to: token)
            return answer
        }
    }

    /// The tokens of a device whose buyer has approved.
    private func collect(_ form: OAuthForm, _ key: String?, _ call: SandboxCall) throws(OAuthRefusal) -> SandboxAnswer {
        let now = clock.now
        let deviceCode = try form.required("device_code")
        let body = try state.withLock { state throws(OAuthRefusal) in
            let (device, session) = try state.devices.poll(deviceCode: deviceCode, at: now)
            let grant = state.ledger.addGrant(
                clientID: configuration.clientID,
                buyer: session.buyer,
                scopes: device.scopes,
                nonce: nil,
                sessionID: session.id,
                at: session.authenticatedAt,
                redirectURI: nil,
                challenge: nil
            )
            return issue(grant, scopes: grant.scopes, key: key, withIDToken: true, withNonce: true, &state, now, call)
        }
        journal.count(\.exchanges)
        return SandboxAnswer.json(body).with("Cache-Control", "no-store")
    }

    private static func check(_ key: String?, bound: String?, _ what: String) throws(OAuthRefusal) {
        guard let bound else { return }
        guard key?.isIdentical(to: bound) ?? false else {
            throw OAuthRefusal("invalid_grant", "The \(what) is bound to another key than the DPoP proof's.")
        }
    }

    /// A second use means that one of the two clients stole the token, so all tokens of its login are revoked.
    private func punish(_ refusal: GrantLedger.Refusal, _ what: String, _ state: inout State) -> OAuthRefusal {
        switch refusal {
        case .reused(let grant):
            state.ledger.revoke(grant)
            journal.count(\.reusesPunished)
            return OAuthRefusal("invalid_grant", "The \(what) was used before: all tokens of its login are revoked.")
        case .unknown: return OAuthRefusal("invalid_grant", "The \(what) is unknown.")
        case .expired: return OAuthRefusal("invalid_grant", "The \(what) has expired.", isViolation: false)
        case .revoked: return OAuthRefusal("invalid_grant", "The \(what) was revoked.", isViolation: false)
        }
    }

    private func issue(
        _ grant: Grant,
        scopes: [String],
        key: String?,
        withIDToken: Bool,
        withNonce: Bool,
        _ state: inout State,
        _ now: Date,
        _ call: SandboxCall
    ) -> JSONObject {
        let accessToken = RandomText.base64URL(32)
        let lifetime = state.accessTokenLifetime
        state.ledger.addAccessToken(
            accessToken,
            for: grant.id,
            scopes: scopes,
            keyThumbprint: key,
            expires: now + lifetime.timeInterval
        )
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string(key == nil ? "Bearer" : "DPoP"),
            "expires_in": .integer(lifetime.wholeSeconds), "scope": .string(scopes.joined(separator: " ")),
        ]
        if configuration.issuesRefreshTokens {
            let refreshToken = RandomText.base64URL(32)
            // The refresh tokens of an authenticated client are bound to the client already (RFC 9449 section 5).
            let binding = configuration.isPublicClient ? key : nil
            state.ledger.addRefreshToken(refreshToken, for: grant.id, keyThumbprint: binding)
            body["refresh_token"] = .string(refreshToken)
        }
        guard withIDToken, scopes.contains("openid") else { return body }
        var claims = claims(of: grant.buyer, scopes: scopes)
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(configuration.clientID)
        claims["iat"] = .integer(now.epochSeconds)
        claims["exp"] = .integer(now.epochSeconds + lifetime.wholeSeconds)
        claims["auth_time"] = .integer(grant.authenticatedAt.epochSeconds)
        claims["sid"] = .string(grant.sessionID)
        claims["acr"] = grant.acr.map { .string($0) }
        // Absent from a refreshed ID token (OpenID Connect Core section 12.2).
        if withNonce { claims["nonce"] = grant.nonce.map { .string($0) } }
        if let digest = try? Digest.sha256(Array(accessToken.utf8)) {
            claims["at_hash"] = .string(Base64URL.encode(Array(digest.prefix(16))))
        }
        body["id_token"] = .string(IDTokenMint.mint(claims, &state.keyring, changes: call.idTokenChanges))
        return body
    }
}

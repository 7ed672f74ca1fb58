internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    func token(_ call: SandboxCall) -> SandboxAnswer {
        let answer = answer(call) { () throws(OAuthRefusal) in
            let form = try authenticate(call.request)
            switch try form.required("grant_type") {
            case "authorization_code": return try exchange(form, call)
            case "refresh_token" where configuration.issuesRefreshTokens: return try refresh(form, call)
            default: throw OAuthRefusal("unsupported_grant_type", "The grant type is not supported.")
            }
        }
        if answer.status != 200 { journal.count(\.tokenRefusals) }
        return answer
    }

    /// Answers a refusal with its error, and notes it when the client broke a rule.
    func answer(
        _ call: SandboxCall,
        _ body: () throws(OAuthRefusal) -> SandboxAnswer
    ) -> SandboxAnswer {
        do throws(OAuthRefusal) { return try body() } catch {
            if error.isViolation {
                journal.note(
                    SandboxViolation(endpoint: call.request.endpoint, error: error.error, reason: error.description)
                )
            }
            return error.answer
        }
    }

    func authenticate(_ request: SandboxRequest) throws(OAuthRefusal) -> OAuthForm {
        let now = clock.now
        return try state.withLock { state throws(OAuthRefusal) in
            try clientCheck.authenticate(request, &state.usedAssertions, at: now)
        }
    }

    private func exchange(_ form: OAuthForm, _ call: SandboxCall) throws(OAuthRefusal) -> SandboxAnswer {
        let now = clock.now
        let code = try form.required("code")
        let body = try state.withLock { state throws(OAuthRefusal) in
            let grant: Grant
            do throws(GrantLedger.Refusal) { grant = try state.ledger.grant(ofCode: code, at: now) } catch {
                throw punish(error, "code", &state)
            }
            guard let redirectURI = form["redirect_uri"], grant.redirectURI?.isIdentical(to: redirectURI) ?? false
            else {
                throw OAuthRefusal("invalid_grant", "redirect_uri is not the one of the authorization request.")
            }
            if let reason = PKCECheck.problem(verifier: form["code_verifier"], challenge: grant.challenge) {
                throw OAuthRefusal("invalid_grant", reason)
            }
            state.ledger.spendCode(code)
            return issue(grant, scopes: grant.scopes, withIDToken: true, withNonce: true, &state, now, call)
        }
        journal.count(\.exchanges)
        return SandboxAnswer.json(body).with("Cache-Control", "no-store")
    }

    private func refresh(_ form: OAuthForm, _ call: SandboxCall) throws(OAuthRefusal) -> SandboxAnswer {
        let now = clock.now
        let token = try form.required("refresh_token")
        let withIDToken = configuration.refreshesIDToken
        let body = try state.withLock { state throws(OAuthRefusal) in
            let grant: Grant
            do throws(GrantLedger.Refusal) { grant = try state.ledger.grant(ofRefreshToken: token) } catch {
                throw punish(error, "refresh token", &state)
            }
            let scopes = form["scope"].map { $0.split(separator: " ").map(String.init) } ?? grant.scopes
            guard scopes.allSatisfy({ scope in grant.scopes.contains { $0.isIdentical(to: scope) } }) else {
                throw OAuthRefusal("invalid_scope", "The scope is wider than what the buyer agreed to.")
            }
            state.ledger.spendRefreshToken(token)
            return issue(grant, scopes: scopes, withIDToken: withIDToken, withNonce: false, &state, now, call)
        }
        journal.count(\.refreshes)
        return SandboxAnswer.json(body).with("Cache-Control", "no-store")
    }

    /// What comes a second time has been stolen by one of the two: everything that descends from its login dies.
    private func punish(_ refusal: GrantLedger.Refusal, _ what: String, _ state: inout State) -> OAuthRefusal {
        switch refusal {
        case .reused(let grant):
            state.ledger.revoke(grant)
            journal.count(\.reusesPunished)
            return OAuthRefusal("invalid_grant", "The \(what) came a second time: all that came from it is revoked.")
        case .unknown: return OAuthRefusal("invalid_grant", "The \(what) is unknown.")
        case .expired: return OAuthRefusal("invalid_grant", "The \(what) has expired.", isViolation: false)
        case .revoked: return OAuthRefusal("invalid_grant", "The \(what) was revoked.", isViolation: false)
        }
    }

    private func issue(
        _ grant: Grant,
        scopes: [String],
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
            expires: now + lifetime.timeInterval
        )
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("Bearer"),
            "expires_in": .integer(lifetime.wholeSeconds), "scope": .string(scopes.joined(separator: " ")),
        ]
        if configuration.issuesRefreshTokens {
            let refreshToken = RandomText.base64URL(32)
            state.ledger.addRefreshToken(refreshToken, for: grant.id)
            body["refresh_token"] = .string(refreshToken)
        }
        guard withIDToken else { return body }
        var claims = claims(of: grant.buyer, scopes: scopes)
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(configuration.clientID)
        claims["iat"] = .integer(now.epochSeconds)
        claims["exp"] = .integer(now.epochSeconds + lifetime.wholeSeconds)
        claims["auth_time"] = .integer(grant.authenticatedAt.epochSeconds)
        // Absent from a refreshed ID token (OpenID Connect Core section 12.2).
        if withNonce { claims["nonce"] = grant.nonce.map { .string($0) } }
        if let digest = try? Digest.sha256(Array(accessToken.utf8)) {
            claims["at_hash"] = .string(Base64URL.encode(Array(digest.prefix(16))))
        }
        body["id_token"] = .string(IDTokenMint.mint(claims, &state.keyring, changes: call.idTokenChanges))
        return body
    }
}

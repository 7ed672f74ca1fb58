internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    private struct Refused: Error {
        let answer: SandboxAnswer

        init(_ error: String, status: Int = 400) {
            answer = .oauthError(error, "Refused by the sandbox.", status: status)
        }
    }

    func token(_ call: SandboxCall) -> SandboxAnswer {
        do throws(Refused) {
            let fields = try authenticate(call.request)
            switch fields["grant_type"] {
            case "authorization_code": return try exchange(fields, call)
            case "refresh_token" where configuration.issuesRefreshTokens: return try refresh(fields, call)
            default: throw Refused("unsupported_grant_type")
            }
        } catch {
            journal.count(\.tokenRefusals)
            return error.answer
        }
    }

    /// `client_secret_basic` with its form encoding (RFC 6749 section 2.3.1), `client_secret_post`, or none.
    private func authenticate(_ request: SandboxRequest) throws(Refused) -> [String: String] {
        let type = request.header("content-type")?.lowercased() ?? ""
        guard request.method == "POST", type.hasPrefix("application/x-www-form-urlencoded"),
            let decoded = FormText.decode(request.body)
        else { throw Refused("invalid_request") }
        var fields: [String: String] = [:]
        for field in decoded where fields.updateValue(field.value, forKey: field.name) != nil {
            throw Refused("invalid_request")
        }
        let header = request.header("authorization")
        guard let secret = configuration.clientSecret else {
            guard header == nil, fields["client_id"] == configuration.clientID else {
                throw Refused("invalid_client", status: 401)
            }
            return fields
        }
        if header != nil, fields["client_secret"] != nil { throw Refused("invalid_request") }
        let pair = FormText.escape(configuration.clientID) + ":" + FormText.escape(secret)
        let isBasic = header == "Basic " + Base64.encode(Array(pair.utf8))
        let isPost = fields["client_id"] == configuration.clientID && fields["client_secret"] == secret
        guard isBasic || header == nil && isPost else { throw Refused("invalid_client", status: 401) }
        return fields
    }

    private func exchange(_ fields: [String: String], _ call: SandboxCall) throws(Refused) -> SandboxAnswer {
        let now = clock.now
        let code = fields["code"] ?? ""
        let outcome = state.withLock { state -> Result<JSONObject, GrantLedger.Refusal> in
            do throws(GrantLedger.Refusal) {
                let grant = try state.ledger.grant(ofCode: code, at: now)
                guard fields["redirect_uri"].map({ Array($0.utf8) }) == grant.redirectURI.map({ Array($0.utf8) }),
                    PKCECheck.passes(verifier: fields["code_verifier"], challenge: grant.challenge)
                else { throw .unknown }
                state.ledger.spendCode(code)
                return .success(issue(grant, withIDToken: true, withNonce: true, &state, now, call))
            } catch {
                return .failure(error)
            }
        }
        return try finish(outcome, \.exchanges)
    }

    private func refresh(_ fields: [String: String], _ call: SandboxCall) throws(Refused) -> SandboxAnswer {
        let now = clock.now
        let token = fields["refresh_token"] ?? ""
        let withIDToken = configuration.refreshesIDToken
        let outcome = state.withLock { state -> Result<JSONObject, GrantLedger.Refusal> in
            do throws(GrantLedger.Refusal) {
                let grant = try state.ledger.grant(ofRefreshToken: token)
                state.ledger.spendRefreshToken(token)
                return .success(issue(grant, withIDToken: withIDToken, withNonce: false, &state, now, call))
            } catch {
                return .failure(error)
            }
        }
        return try finish(outcome, \.refreshes)
    }

    private func finish(
        _ outcome: Result<JSONObject, GrantLedger.Refusal>,
        _ counter: any WritableKeyPath<SandboxCounters, Int> & Sendable
    ) throws(Refused) -> SandboxAnswer {
        switch outcome {
        case .success(let body):
            journal.count(counter)
            return SandboxAnswer.json(body).with("Cache-Control", "no-store")
        case .failure(.reused(let grant)):
            state.withLock { $0.ledger.revoke(grant) }
            journal.count(\.reusesPunished)
            throw Refused("invalid_grant")
        case .failure: throw Refused("invalid_grant")
        }
    }

    private func issue(
        _ grant: Grant,
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
            scopes: grant.scopes,
            expires: now + lifetime.timeInterval
        )
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("Bearer"),
            "expires_in": .integer(lifetime.wholeSeconds), "scope": .string(grant.scopes.joined(separator: " ")),
        ]
        if configuration.issuesRefreshTokens {
            let refreshToken = RandomText.base64URL(32)
            state.ledger.addRefreshToken(refreshToken, for: grant.id)
            body["refresh_token"] = .string(refreshToken)
        }
        guard withIDToken else { return body }
        var claims = claims(of: grant.buyer, scopes: grant.scopes)
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

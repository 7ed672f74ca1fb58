internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// A refusal of Bolt's token endpoint.
struct BoltRefusal: Error {
    let error: String
    let description: String
    let status: Int

    var answer: SandboxAnswer {
        SandboxAnswer.oauthError(error, description, status: status).with("X-Bolt-Error-Code", "0")
    }
}

extension SandboxBolt {
    static let viewScope = "bolt.account.view"

    func token(_ call: SandboxCall) -> SandboxAnswer {
        do throws(BoltRefusal) {
            let fields = try form(call.request)
            let hasSecret = try authenticate(fields, call.request)
            switch fields["grant_type"] {
            case "authorization_code":
                return try exchange(fields, hasSecret: hasSecret, idTokenChanges: call.idTokenChanges)
            case "refresh_token": return try refresh(fields, hasSecret: hasSecret)
            case nil: throw BoltRefusal(error: "invalid_request", description: "grant_type is missing.", status: 400)
            default: throw BoltRefusal(error: "unsupported_grant_type", description: "Not supported.", status: 403)
            }
        } catch {
            journal.count(\.tokenRefusals)
            return error.answer
        }
    }

    private func form(_ request: SandboxRequest) throws(BoltRefusal) -> [String: String] {
        let type = request.header("content-type")?.lowercased() ?? ""
        guard request.method == "POST", type.hasPrefix("application/x-www-form-urlencoded"),
            let decoded = FormText.decode(request.body)
        else {
            throw BoltRefusal(
                error: "invalid_request",
                description: "The body must be a well-formed form.",
                status: 400
            )
        }
        var fields: [String: String] = [:]
        for field in decoded where fields.updateValue(field.value, forKey: field.name) != nil {
            throw BoltRefusal(error: "invalid_request", description: "\(field.name) is repeated.", status: 400)
        }
        return fields
    }

    /// Whether the client authenticated with its secret; a wrong secret is refused.
    private func authenticate(_ fields: [String: String], _ request: SandboxRequest) throws(BoltRefusal) -> Bool {
        guard isClient(fields["client_id"]) else {
            throw BoltRefusal(error: "invalid_client", description: "The client is unknown.", status: 401)
        }
        if let key = request.header("x-api-key"), key != configuration.apiKey {
            throw BoltRefusal(error: "request_forbidden", description: "X-API-Key is wrong.", status: 403)
        }
        guard let secret = fields["client_secret"] else { return false }
        guard secret == configuration.apiKey else {
            throw BoltRefusal(error: "invalid_client", description: "Client authentication failed.", status: 401)
        }
        return true
    }

    private var invalidGrant: BoltRefusal {
        BoltRefusal(
            error: "invalid_grant",
            description: "The provided authorization grant is invalid, expired or revoked.",
            status: configuration.invalidGrantStatus
        )
    }

    private func requireSecret(_ hasSecret: Bool, for grant: Grant) throws(BoltRefusal) {
        guard hasSecret || configuration.acceptsPublicClients && grant.challenge != nil else {
            throw BoltRefusal(error: "invalid_client", description: "client_secret is missing.", status: 401)
        }
    }

    // MARK: Code

    private func exchange(
        _ fields: [String: String],
        hasSecret: Bool,
        idTokenChanges: [@Sendable (inout SandboxIDToken) -> Void]
    ) throws(BoltRefusal) -> SandboxAnswer {
        let now = clock.now
        let code = fields["code"] ?? ""
        let outcome = state.withLock { state in
            Result { () throws(GrantLedger.Refusal) in try state.ledger.grant(ofCode: code, at: now) }
        }
        let grant: Grant
        switch outcome {
        case .success(let found): grant = found
        case .failure(let refusal): throw punish(refusal)
        }
        try requireSecret(hasSecret, for: grant)
        guard fields["redirect_uri"].map({ Array($0.utf8) }) == grant.redirectURI.map({ Array($0.utf8) }),
            PKCECheck.passes(verifier: fields["code_verifier"], challenge: grant.challenge)
        else { throw invalidGrant }
        let scopes = try scopes(asked: fields["scope"], grant)
        let body = state.withLock { state -> JSONObject? in
            // Checked again when it is used, because two requests may have arrived at once.
            guard (try? state.ledger.grant(ofCode: code, at: now)) != nil else { return nil }
            state.ledger.spendCode(code)
            let refreshes = hasSecret || configuration.refreshesPublicClients
            var body = issue(grant, scopes: scopes, withRefreshToken: refreshes, &state, now)
            if scopes.contains("openid") {
                let claims = idTokenClaims(grant, audience: fields["client_id"] ?? "", now)
                body["id_token"] = .string(IDTokenMint.mint(claims, &state.keyring, changes: idTokenChanges))
            }
            return body
        }
        guard let body else { throw invalidGrant }
        journal.count(\.exchanges)
        return SandboxAnswer.json(body).with("Cache-Control", "no-store")
    }

    /// The scopes of the login, restricted to those of the exchange; separated by spaces or plus signs.
    private func scopes(asked: String?, _ grant: Grant) throws(BoltRefusal) -> [String] {
        guard let asked, !asked.isEmpty else { return grant.scopes }
        let wanted = asked.split { $0 == " " || $0 == "+" }.map(String.init)
        let permitted = grant.scopes.isEmpty ? Self.knownScopes : grant.scopes
        guard wanted.allSatisfy({ permitted.contains($0) }) else {
            throw BoltRefusal(error: "invalid_scope", description: "The scope was not granted.", status: 400)
        }
        return wanted
    }

    private func idTokenClaims(_ grant: Grant, audience: String, _ now: Date) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(configuration.issuer), "sub": .string("BA\(grant.buyer)"),
            "aud": .array([.string(audience)]), "exp": .integer(now.epochSeconds + 3000),
            "iat": .integer(now.epochSeconds),
        ]
        claims["nonce"] = grant.nonce.map { .string($0) }
        if let account = directory.buyer(number: grant.buyer)?.account {
            claims["email"] = .string(account.email)
            claims["email_verified"] = .bool(account.emailVerified)
            claims["first_name"] = .string(account.firstName)
            claims["last_name"] = .string(account.lastName)
            claims["phone_number"] = .string(account.phone)
            claims["phone_number_verified"] = .bool(!account.phone.isEmpty)
        }
        return claims
    }

    // MARK: Refresh

    private func refresh(_ fields: [String: String], hasSecret: Bool) throws(BoltRefusal) -> SandboxAnswer {
        let now = clock.now
        let token = fields["refresh_token"] ?? ""
        let outcome = state.withLock { state in
            Result { () throws(GrantLedger.Refusal) in try state.ledger.grant(ofRefreshToken: token, at: now) }
        }
        let grant: Grant
        switch outcome {
        case .success(let found): grant = found
        case .failure(let refusal): throw punish(refusal)
        }
        try requireSecret(hasSecret, for: grant)
        guard fields["scope"].map({ $0.isEmpty || $0 == Self.viewScope }) ?? true else {
            throw BoltRefusal(
                error: "invalid_scope",
                description: "A refresh grants \(Self.viewScope) only.",
                status: 400
            )
        }
        let answer = state.withLock { state -> SandboxAnswer? in
            guard (try? state.ledger.grant(ofRefreshToken: token, at: now)) != nil else { return nil }
            let repeated = state.ledger.repeatedAnswer(to: token)
            journal.count(state.ledger.spendRefreshToken(token, at: now) ? \.refreshes : \.refreshReplays)
            if let repeated { return repeated }
            state.ledger.revokeAccessTokens(of: grant.id)
            let body = issue(grant, scopes: [Self.viewScope], withRefreshToken: true, &state, now)
            let answer = SandboxAnswer.json(body).with("Cache-Control", "no-store")
            state.ledger.keep(answer, to: token)
            return answer
        }
        guard let answer else { throw invalidGrant }
        return answer
    }

    private func issue(
        _ grant: Grant,
        scopes: [String],
        withRefreshToken: Bool,
        _ state: inout State,
        _ now: Date
    ) -> JSONObject {
        let accessToken = RandomText.base64URL(32) + "." + RandomText.base64URL(32)
        state.ledger.addAccessToken(
            accessToken,
            for: grant.id,
            scopes: scopes,
            expires: now + state.accessTokenLifetime.timeInterval
        )
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("bearer"),
            "expires_in": .integer(state.accessTokenLifetime.wholeSeconds),
            "scope": .string(scopes.sorted().joined(separator: " ")),
        ]
        if withRefreshToken {
            let refreshToken = RandomText.base64URL(32) + "." + RandomText.base64URL(32)
            state.ledger.addRefreshToken(refreshToken, for: grant.id)
            body["refresh_token"] = .string(refreshToken)
            body["refresh_token_scope"] = .string(Self.viewScope)
        }
        return body
    }

    private func punish(_ refusal: GrantLedger.Refusal) -> BoltRefusal {
        if case .reused(let grant) = refusal {
            state.withLock { $0.ledger.revoke(grant) }
            journal.count(\.reusesPunished)
        }
        return invalidGrant
    }

    // MARK: SFCC

    /// What SFCC's controller does server-to-server: exchanges a code with the merchant's secret and without PKCE.
    func exchangeForSFCC(code: String) -> KnownBuyer? {
        let fields = [
            "grant_type": "authorization_code", "client_id": configuration.publishableKey, "code": code,
        ]
        let now = clock.now
        guard let grant = state.withLock({ try? $0.ledger.grant(ofCode: code, at: now) }) else { return nil }
        var complete = fields
        complete["redirect_uri"] = grant.redirectURI
        guard (try? exchange(complete, hasSecret: true, idTokenChanges: [])) != nil else { return nil }
        return directory.buyer(number: grant.buyer)
    }
}

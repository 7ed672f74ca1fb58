internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

extension SandboxBolt {
    static let viewScope = "bolt.account.view"

    func token(_ call: SandboxCall) -> SandboxResponse {
        do throws(OAuthRefusal) {
            let fields = try OAuthParameters.fields(ofForm: call.request)
            let hasSecret = try authenticate(fields, call.request)
            switch fields["grant_type"] {
            case "authorization_code": return try exchange(fields, hasSecret: hasSecret, call)
            case "refresh_token": return try refresh(fields, hasSecret: hasSecret)
            case nil: throw .invalidRequest("grant_type is missing.")
            default: throw OAuthRefusal("unsupported_grant_type", "The grant type is not supported.", status: 403)
            }
        } catch {
            journal.count(\.tokenRefusals)
            return error.response.with("X-Bolt-Error-Code", "0")
        }
    }

    /// Checks `client_id` and, if they are present, `X-API-Key` and `client_secret`; returns whether `client_secret` is present.
    private func authenticate(_ fields: [String: String], _ request: SandboxRequest) throws(OAuthRefusal) -> Bool {
        guard isClient(fields["client_id"]) else {
            throw OAuthRefusal("invalid_client", "The client is unknown.", status: 401)
        }
        if let key = request.header("x-api-key"), key != configuration.apiKey {
            throw OAuthRefusal("request_forbidden", "X-API-Key is wrong.", status: 403)
        }
        guard let secret = fields["client_secret"] else { return false }
        guard secret == configuration.apiKey else {
            throw OAuthRefusal("invalid_client", "Client authentication failed.", status: 401)
        }
        return true
    }

    private static let invalidGrant =
        OAuthRefusal.invalidGrant("The provided authorization grant is invalid, expired or revoked.")

    /// Bolt's documentation does not say whether PKCE replaces the client secret, so a login with PKCE may omit the secret here.
    private func requireSecret(_ hasSecret: Bool, for grant: Grant) throws(OAuthRefusal) {
        guard hasSecret || grant.challenge != nil else {
            throw OAuthRefusal("invalid_client", "client_secret is missing.", status: 401)
        }
    }

    private func exchange(
        _ fields: [String: String],
        hasSecret: Bool,
        _ call: SandboxCall
    ) throws(OAuthRefusal) -> SandboxResponse {
        try redeem(code: fields["code"] ?? "", refuse: { _ in Self.invalidGrant }) {
            (grant, state, now) throws(OAuthRefusal) in
            try requireSecret(hasSecret, for: grant)
            guard fields["redirect_uri"].map({ Array($0.utf8) }) == grant.redirectURI.map({ Array($0.utf8) }),
                PKCECheck.problem(verifier: fields["code_verifier"], challenge: grant.challenge) == nil
            else { throw Self.invalidGrant }
            let scopes = try scopes(requested: fields["scope"], grant)
            var body = issue(grant, scopes: scopes, &state, now)
            if scopes.contains("openid") {
                let claims = idTokenClaims(grant, audience: fields["client_id"] ?? "", now)
                body["id_token"] = .string(state.keyring.mint(claims, .rs256, changes: call.idTokenChanges))
            }
            return body
        }
    }

    /// Without `scope` in the token request, the result is the login's scopes; a login without scopes permits every known scope.
    private func scopes(requested: String?, _ grant: Grant) throws(OAuthRefusal) -> [String] {
        guard let requested, !requested.isEmpty else { return grant.scopes }
        let wanted = requested.split { $0 == " " || $0 == "+" }.map(String.init)
        let permitted = grant.scopes.isEmpty ? Self.knownScopes : grant.scopes
        guard wanted.allSatisfy({ permitted.contains($0) }) else {
            throw OAuthRefusal("invalid_scope", "The scope was not granted.")
        }
        return wanted
    }

    private func idTokenClaims(_ grant: Grant, audience: String, _ now: Date) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(configuration.issuer), "sub": .string("BA\(grant.buyer)"),
            "aud": .strings([audience]), "exp": .integer(now.epochSeconds + 3000),
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

    private func refresh(_ fields: [String: String], hasSecret: Bool) throws(OAuthRefusal) -> SandboxResponse {
        try redeem(
            refreshToken: fields["refresh_token"] ?? "",
            refuse: { _ in Self.invalidGrant },
            scopes: { grant, _ throws(OAuthRefusal) in
                try requireSecret(hasSecret, for: grant)
                guard fields["scope"].map({ $0.isEmpty || $0 == Self.viewScope }) ?? true else {
                    throw OAuthRefusal("invalid_scope", "A refresh grants \(Self.viewScope) only.")
                }
                return [Self.viewScope]
            },
            issue: { grant, scopes, state, now in
                state.ledger.revokeAccessTokens(of: grant.id)
                return issue(grant, scopes: scopes, &state, now)
            }
        )
    }

    private func issue(
        _ grant: Grant,
        scopes: [String],
        _ state: inout SandboxTokens.State,
        _ now: Date
    ) -> JSONObject {
        let (accessToken, refreshToken) = (Self.randomToken(), Self.randomToken())
        state.ledger.addAccessToken(accessToken, for: grant, scopes, at: now)
        state.ledger.addRefreshToken(refreshToken, for: grant)
        return [
            "access_token": .string(accessToken), "token_type": .string("bearer"),
            "expires_in": .integer(state.ledger.accessTokenLifetime.wholeSeconds),
            "scope": .string(scopes.sorted().joined(separator: " ")),
            "refresh_token": .string(refreshToken), "refresh_token_scope": .string(Self.viewScope),
        ]
    }

    /// Returns a random text in the format of Bolt's codes and tokens.
    static func randomToken() -> String { RandomText.base64URL(32) + "." + RandomText.base64URL(32) }

    /// Redeems a code for SFCC's controller; returns nil if the code is unknown, used, expired or revoked, or if its login used PKCE.
    ///
    /// The method issues no tokens, because SFCC's controller does not send Bolt's tokens to the app.
    func redeemForSFCC(code: String) -> KnownBuyer? {
        var buyer: Int?
        _ = try? redeem(code: code, refuse: { _ in Self.invalidGrant }) { (grant, _, _) throws(OAuthRefusal) in
            guard grant.challenge == nil else { throw Self.invalidGrant }
            buyer = grant.buyer
            return [:]
        }
        return buyer.flatMap { directory.buyer(number: $0) }
    }
}

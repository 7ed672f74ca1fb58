internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

extension SandboxShopify {
    func token(_ call: SandboxCall) -> SandboxResponse {
        do throws(OAuthRefusal) {
            let (fields, client) = try authenticate(call.request)
            switch fields["grant_type"] {
            case nil: throw .invalidRequest("grant_type is missing.")
            case "authorization_code":
                // A confidential client may omit PKCE.
                let verifier = client.kind == .confidential ? [] : ["code_verifier"]
                try require(["code", "redirect_uri"] + verifier, in: fields)
                return try exchange(fields, client, call)
            case "refresh_token" where client.kind != .app:
                try require(["refresh_token"], in: fields)
                return try refresh(fields, client)
            default: throw OAuthRefusal("unsupported_grant_type", "The grant type is not supported for this client.")
            }
        } catch {
            journal.count(\.tokenRefusals)
            return error.response
        }
    }

    private func require(_ names: [String], in fields: [String: String]) throws(OAuthRefusal) {
        for name in names where fields[name] == nil {
            throw .invalidRequest("\(name) is missing.")
        }
    }

    private func authenticate(
        _ request: SandboxRequest
    ) throws(OAuthRefusal) -> (fields: [String: String], client: SandboxShopifyClient) {
        guard request.header("user-agent")?.isEmpty == false else {
            throw OAuthRefusal(NoticePages.accessDenied())
        }
        let fields = try OAuthParameters.fields(ofForm: request)
        let basicID = configuration.requiresClientIDBesideBasic ? nil : Self.basicID(request)
        guard let clientID = fields["client_id"] ?? basicID else {
            throw .invalidRequest("client_id is missing.")
        }
        guard let client = clients.first(where: { $0.id == clientID }) else {
            throw OAuthRefusal("invalid_client", "The client is unknown.", status: 401)
        }
        switch client.kind {
        case .confidential:
            let expected = "Basic " + Base64.encode(Array("\(client.id):\(client.secret ?? "")".utf8))
            guard request.header("authorization") == expected else {
                throw OAuthRefusal("invalid_client", "Client authentication failed.", status: 401)
            }
        case .publicWeb:
            guard client.permitsOrigin(of: request) else { throw OAuthRefusal(.originMissing) }
        case .publicMobile, .app: break
        }
        return (fields, client)
    }

    private static func basicID(_ request: SandboxRequest) -> String? {
        guard let header = request.header("authorization"), header.hasPrefix("Basic "),
            let bytes = Base64.decode(String(header.dropFirst(6)))
        else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }

    private func exchange(
        _ fields: [String: String],
        _ client: SandboxShopifyClient,
        _ call: SandboxCall
    ) throws(OAuthRefusal) -> SandboxResponse {
        try redeem(code: fields["code"] ?? "", refuse: Self.invalidGrant) { grant, state, now throws(OAuthRefusal) in
            guard grant.clientID == client.id else {
                throw .invalidGrant("The code was issued to another client.")
            }
            guard let redirectURI = fields["redirect_uri"],
                Array(redirectURI.utf8) == grant.redirectURI.map({ Array($0.utf8) })
            else { throw .invalidGrant("redirect_uri is not the one of the authorization request.") }
            guard PKCECheck.problem(verifier: fields["code_verifier"], challenge: grant.challenge) == nil else {
                throw .invalidGrant("code_verifier is missing or does not match.")
            }
            let idToken = grant.scopes.contains("openid") ? mintIDToken(grant, &state, now, call) : nil
            return issue(grant, client, idToken: idToken, &state, now)
        }
    }

    private func refresh(
        _ fields: [String: String],
        _ client: SandboxShopifyClient
    ) throws(OAuthRefusal) -> SandboxResponse {
        try redeem(
            refreshToken: fields["refresh_token"] ?? "",
            refuse: Self.invalidGrant,
            scopes: { grant, _ throws(OAuthRefusal) in
                guard grant.clientID == client.id else { throw Self.invalidGrant(.unknown) }
                return grant.scopes
            },
            issue: { grant, _, state, now in issue(grant, client, idToken: nil, &state, now) }
        )
    }

    private static func invalidGrant(_: GrantLedger.Refusal) -> OAuthRefusal {
        .invalidGrant("The grant is invalid, expired or was revoked.")
    }

    private func issue(
        _ grant: Grant,
        _ client: SandboxShopifyClient,
        idToken: String?,
        _ state: inout SandboxTokens.State,
        _ now: Date
    ) -> JSONObject {
        let lifetime = state.ledger.accessTokenLifetime
        let accessToken = accessToken(grant, now, lifetime)
        state.ledger.addAccessToken(accessToken, for: grant, grant.scopes, at: now)
        var body: JSONObject = [
            "access_token": .string(accessToken), "expires_in": .integer(lifetime.wholeSeconds),
        ]
        body["id_token"] = idToken.map { .string($0) }
        if client.kind != .app {
            let refreshToken = "shcrt_" + RandomText.hexadecimal(32)
            state.ledger.addRefreshToken(refreshToken, for: grant)
            body["refresh_token"] = .string(refreshToken)
        }
        if configuration.includesTokenType { body["token_type"] = .string("bearer") }
        if configuration.includesScope { body["scope"] = .string(grant.scopes.joined(separator: " ")) }
        return body
    }

    private func mintIDToken(
        _ grant: Grant,
        _ state: inout SandboxTokens.State,
        _ now: Date,
        _ call: SandboxCall
    ) -> String {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string(String(grant.buyer)), "aud": .string(grant.clientID),
            "exp": .integer(now.epochSeconds + 3600), "iat": .integer(now.epochSeconds),
        ]
        claims["nonce"] = grant.nonce.map { .string($0) }
        claims["sid"] = .string(grant.sessionID)
        if grant.scopes.contains("email"), let buyer = directory.buyer(number: grant.buyer) {
            claims["email"] = .string(buyer.account.email)
            claims["email_verified"] = .bool(buyer.account.emailVerified)
        }
        return state.keyring.mint(claims, .rs256, changes: call.idTokenChanges)
    }

    /// Creates a token in the form of Shopify's access tokens: a prefix and a JWT whose `alg` is not a registered name.
    private func accessToken(_ grant: Grant, _ now: Date, _ lifetime: Duration) -> String {
        let header: JSONObject = ["kid": .string("0"), "alg": .string("ED25519")]
        let payload: JSONObject = [
            "shopId": .integer(shopID), "cid": .string(grant.clientID), "iat": .integer(now.epochSeconds),
            "exp": .integer(now.epochSeconds + lifetime.wholeSeconds), "iss": .string(issuer),
            "sub": .integer(grant.buyer), "scope": .string(grant.scopes.joined(separator: " ")),
            "sid": .string(grant.sessionID),
        ]
        let parts = [header, payload].map { Base64URL.encode(JSONValue.object($0).serialized) }
        return "shcat_" + parts.joined(separator: ".") + "." + RandomText.base64URL(64)
    }
}

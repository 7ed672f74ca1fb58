internal import IdentityHTTP
internal import IdentityKit

struct Reply {
    /// Nil when the connection is lost.
    var response: HTTPResponse?
    /// Whether the response contains usable tokens.
    var isUsable = false

    /// The response to a request whose sender may have crashed.
    static func to(
        _ request: HTTPRequest,
        _ exchange: Exchange?,
        _ planned: PlannedOutcome,
        in world: World,
        revoking token: String?
    ) -> Reply {
        if let exchange { return to(exchange, planned, in: world) }
        switch planned {
        case .lostBefore: return Reply(response: nil)
        case .error503: return Reply(response: page(503))
        default: break
        }
        guard let token else { return Reply(response: document(request.url, world)) }
        world.server.revokeToken(token)
        return Reply(response: HTTPResponse(status: 200))
    }

    private static func to(_ exchange: Exchange, _ planned: PlannedOutcome, in world: World) -> Reply {
        if planned == .withoutRefreshToken, let reply = keeping(exchange, in: world) { return reply }
        guard planned.isProcessed || planned == .withoutRefreshToken else { return Reply(response: refusal(planned)) }
        guard let (family, number) = world.server.present(exchange) else {
            return Reply(response: json(["error": .string("invalid_grant")], status: 400), isUsable: true)
        }
        let accessToken = family.accessToken(number)
        var body = tokens(family, accessToken, world.episode.lifetime)
        body["refresh_token"] = .string(family.refreshToken(number))
        // Shopify sends no new ID token.
        if family.provider != .shopify {
            let isLate = planned == .lateKey
            if isLate { world.announceLateKey() }
            let mint = world.mint
            guard
                let idToken = try? mint.idToken(of: family, for: accessToken, at: world.trueDate, withLateKey: isLate)
            else {
                world.violate("The simulated provider cannot sign.")
                return Reply(response: nil)
            }
            body["id_token"] = .string(idToken)
        }
        switch planned {
        case .lostAfter: return Reply(response: nil)
        case .error502After: return Reply(response: page(502))
        case .pageAfter: return Reply(response: page(200))
        case .brokenJSONAfter: return Reply(response: HTTPResponse(status: 200, body: Array("{\"access_tok".utf8)))
        default:
            return Reply(response: json(body), isUsable: true)
        }
    }

    /// A response with only an access token, for the newest token at a provider that keeps refresh tokens.
    private static func keeping(_ exchange: Exchange, in world: World) -> Reply? {
        guard let (family, number) = world.server.find(exchange.text, prefix: "rt"), family.valid.contains(number),
            family.provider != .bolt, family.revokedBecause == nil
        else { return nil }
        family.refreshAccess(of: number, at: world.scheduler.now)
        let body = tokens(family, family.accessToken(number), world.episode.lifetime)
        return Reply(response: json(body), isUsable: true)
    }

    private static func tokens(_ family: Family, _ accessToken: String, _ lifetime: Duration) -> JSONObject {
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("bearer"),
            "expires_in": .integer(lifetime.milliseconds / 1000),
        ]
        if family.provider == .bolt {
            body["scope"] = .string("bolt.account.view")
            body["refresh_token_scope"] = .string("bolt.account.view")
        }
        return body
    }

    private static func refusal(_ planned: PlannedOutcome) -> HTTPResponse? {
        func error(_ name: String, _ status: Int) -> HTTPResponse { json(["error": .string(name)], status: status) }
        switch planned {
        case .lostBefore: return nil
        case .error500Before: return page(500)
        case .error503: return page(503)
        case .pageBefore: return page(200)
        case .unauthorizedWithoutCode: return HTTPResponse(status: 401)
        case .retryRequest: return error("invalid_request", 400)
        case .temporarilyUnavailable: return error("temporarily_unavailable", 400)
        case .invalidClient: return error("invalid_client", 401)
        default:
            var response = error("rate_limited", 429)
            try? response.headers.set("Retry-After", "20")
            return response
        }
    }

    private static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, body: JSONValue.object(object).serialized)
    }

    private static func page(_ status: Int) -> HTTPResponse {
        HTTPResponse(status: status, body: Array("<!doctype html><title>Something went wrong</title>".utf8))
    }

    /// The response to a request for metadata or keys.
    private static func document(_ url: HTTPURL, _ world: World) -> HTTPResponse {
        let issuer = url.origin
        guard url.path.hasSuffix("/.well-known/openid-configuration") else {
            return json(["keys": world.mint.keySet(withLateKeys: world.hasPublishedLateKey)])
        }
        return json([
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            "revocation_endpoint": .string(issuer + "/revoke"),
            "response_types_supported": .array([.string("code")]),
            "subject_types_supported": .array([.string("public")]),
            "id_token_signing_alg_values_supported": .array([.string("RS256")]),
        ])
    }
}

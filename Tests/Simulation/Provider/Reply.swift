internal import IdentityHTTP
internal import IdentityKit

/// What a provider answers.
struct Reply {
    /// Nil when the connection is lost.
    var response: HTTPResponse?
    /// Whether the client can use what is in it.
    var isUsable = false

    /// The answer to a request, whose sender may no longer be there.
    static func to(
        _ request: HTTPRequest,
        _ exchange: Exchange?,
        _ fate: Fate,
        in world: World,
        revoking token: String?
    ) -> Reply {
        if let exchange { return to(exchange, fate, in: world) }
        switch fate {
        case .lostBefore: return Reply(response: nil)
        case .error503: return Reply(response: page(503))
        default: break
        }
        guard let token else { return Reply(response: document(request.url)) }
        world.authority.takeBack(token)
        return Reply(response: HTTPResponse(status: 200))
    }

    private static func to(_ exchange: Exchange, _ fate: Fate, in world: World) -> Reply {
        if fate == .withoutRefreshToken, let reply = keeping(exchange, in: world) { return reply }
        guard fate.isActedOn || fate == .withoutRefreshToken else { return Reply(response: refusal(fate)) }
        guard let (family, number) = world.authority.present(exchange) else {
            return Reply(response: json(["error": .string("invalid_grant")], status: 400), isUsable: true)
        }
        var body = tokens(family, family.accessToken(number), world.episode.lifetime)
        body["refresh_token"] = .string(family.refreshToken(number))
        switch fate {
        case .lostAfter: return Reply(response: nil)
        case .error502After: return Reply(response: page(502))
        case .pageAfter: return Reply(response: page(200))
        case .brokenJSONAfter: return Reply(response: HTTPResponse(status: 200, body: Array("{\"access_tok".utf8)))
        case .brokenIDToken:
            body["id_token"] = .string("e30.e30.AAAA")
            family.untrusted.insert(number)
            return Reply(response: json(body))
        default:
            family.untrusted.remove(number)
            return Reply(response: json(body), isUsable: true)
        }
    }

    /// An access token and nothing else; only for the newest token, and of a provider that permits it.
    private static func keeping(_ exchange: Exchange, in world: World) -> Reply? {
        guard let (family, number) = world.authority.find(exchange.text, prefix: "rt"), family.good.contains(number),
            family.provider != .bolt, family.revokedBecause == nil
        else { return nil }
        family.renewAccess(of: number, at: world.scheduler.now)
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

    private static func refusal(_ fate: Fate) -> HTTPResponse? {
        func error(_ name: String, _ status: Int) -> HTTPResponse { json(["error": .string(name)], status: status) }
        switch fate {
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

    /// Metadata, or a key that signed nothing here.
    private static func document(_ url: HTTPURL) -> HTTPResponse {
        let issuer = url.origin
        guard url.path.hasSuffix("/.well-known/openid-configuration") else {
            // The example key of RFC 7517 appendix A.1.
            return json([
                "keys": .array([
                    .object([
                        "kty": .string("EC"), "crv": .string("P-256"), "kid": .string("1"), "use": .string("sig"),
                        "x": .string("MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"),
                        "y": .string("4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"),
                    ])
                ])
            ])
        }
        return json([
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            "revocation_endpoint": .string(issuer + "/revoke"),
            "response_types_supported": .array([.string("code")]),
            "subject_types_supported": .array([.string("public")]),
            "id_token_signing_alg_values_supported": .array([.string("ES256")]),
        ])
    }
}

import IdentityHTTP
import IdentityKit

/// A response that repeats the secrets of its request, in places from which an app may copy them into errors, logs or pages.
enum Attack: String, CaseIterable, Sendable {
    /// An OAuth error whose description, URI and trace id are the request's secrets.
    case oauthDescription
    /// An OAuth error whose name consists of the secrets, too.
    case oauthName
    /// The response of `oauthDescription` with status 200, which some providers send.
    case oauthInSuccess
    /// An HTML page that contains the secrets.
    case page
    /// A redirect whose URL contains the secrets.
    case redirect
    /// A refused token, with the secrets in the challenge and in the error formats of Bolt and Shopify.
    case unauthorized
    /// GraphQL errors and user errors that contain the secrets.
    case graphQL
    case throttled
    /// An object in which each secret is a duplicate member name, which the parser refuses.
    case duplicateNames
    /// An object in which every string is a secret: wrong issuer, wrong key, wrong algorithm.
    case everywhere
    /// The correct response with another signature and other claims in its ID token.
    case forgedToken
    /// The correct response with null as the value of each member.
    case nothing
    /// A transport error.
    case lost

    /// The response that replaces the provider's; nil if the provider's response is changed instead.
    func replacement(for request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse? {
        let secrets = SecretsOnTheWire.values(of: request)
        let echo = secrets.joined(separator: " ")
        let text = JSONValue.string(echo)
        let error: JSONObject = [
            "error": .string("invalid_grant"), "error_description": text,
            "error_uri": .string("https://id.example/?\(echo)"),
            "message": text, "errorMessage": text,
        ]
        switch self {
        case .oauthDescription: return try Self.answer(400, .object(error), echo)
        case .oauthName:
            var named = error
            named["error"] = text
            return try Self.answer(400, .object(named), echo)
        case .oauthInSuccess: return try Self.answer(200, .object(error), echo)
        case .page:
            return try Self.answer(
                500,
                nil,
                echo,
                body: "<!doctype html><h1>Error</h1><pre>\(echo)</pre>",
                type: "text/html"
            )
        case .redirect:
            return try Self.answer(
                302,
                nil,
                echo,
                location: "https://id.example/?error_description=\(FormEncoding.escape(echo))"
            )
        case .unauthorized:
            let list: JSONValue = .array([
                .object(["code": .integer(18), "message": text, "extensions": .object(["code": text])])
            ])
            return try Self.answer(
                401,
                .object(["errors": list, "result": text, "fault": .object(["type": text, "message": text])]),
                echo
            )
        case .graphQL:
            let place: JSONValue = .array([text])
            let entry: JSONValue = .object([
                "message": text, "path": place, "extensions": .object(["code": text, "requestId": text]),
            ])
            let userErrors: JSONValue = .array([.object(["code": text, "field": place, "message": text])])
            let warnings: JSONValue = .array([.object(["code": text, "target": text, "message": text])])
            let payload: JSONValue = .object(["cart": .null, "userErrors": userErrors, "warnings": warnings])
            let names = ["cartCreate", "cartBuyerIdentityUpdate", "cartLinesAdd"]
            let data = names.reduce(into: JSONObject()) { $0[$1] = payload }
            // Half of the requests get data and half get errors, so that both code paths run.
            return request.body.map { $0.count % 2 == 0 } ?? true
                ? try Self.answer(200, .object(["errors": .array([entry]), "data": .null]), echo)
                : try Self.answer(200, .object(["data": .object(data)]), echo)
        case .throttled: return try Self.answer(429, .object(error), echo)
        case .duplicateNames:
            let name = String(decoding: text.serialized, as: UTF8.self)
            return try Self.answer(
                200,
                nil,
                echo,
                body: "{\(name):1,\(name):2,\"access_token\":\(name)}",
                type: "application/json"
            )
        case .everywhere:
            let names = [
                "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint", "graphql_api",
                "access_token",
                "token_type", "expires_in", "id_token", "scope", "sub", "keys", "kid", "alg", "kty", "data", "cart",
            ]
            return try Self.answer(200, .object(names.reduce(into: JSONObject()) { $0[$1] = text }), echo)
        case .lost:
            throw HTTPTransportError(code: .connectionLost, phase: .ambiguous, message: "The connection ended.")
        case .forgedToken, .nothing: return nil
        }
    }

    func change(_ answer: inout HTTPResponse, for request: HTTPRequest) {
        guard var object = (try? JSONValue(parsing: answer.body))?.object else { return }
        switch self {
        case .forgedToken:
            guard let token = object["id_token"]?.string ?? object["access_token"]?.string else { return }
            object["id_token"] = .string(String(token.dropLast(8)) + "AAAAAAAA")
            object["token_type"] = .string(token)
        case .nothing: for member in object.members { object[member.name] = .null }
        default: return
        }
        answer = HTTPResponse(status: answer.status, headers: answer.headers, body: JSONValue.object(object).serialized)
    }

    private static func answer(
        _ status: Int,
        _ json: JSONValue?,
        _ echo: String,
        body: String = "",
        type: String = "application/json",
        location: String? = nil
    ) throws(HTTPTransportError) -> HTTPResponse {
        var headers = HTTPHeaders()
        try headers.set("Content-Type", type)
        if let location { try headers.set("Location", location) }
        let line = String(decoding: echo.utf8.filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
        for name in ["X-Request-Id", "X-Bolt-Trace-Id", "X-Dw-Request-Base-Id", "WWW-Authenticate", "Retry-After"] {
            try headers.set(
                name,
                name == "WWW-Authenticate" ? "Bearer error=\"invalid_token\", error_description=\"\(line)\"" : line
            )
        }
        return HTTPResponse(status: status, headers: headers, body: json?.serialized ?? Array(body.utf8))
    }
}

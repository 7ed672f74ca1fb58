import IdentityHTTP
import IdentityKit
import IdentityOIDC

/// Checks responses of a token endpoint.
///
/// The first byte of the input selects status and grant, the first line is `Retry-After`, and the rest is the body.
enum TokenResponseFuzz {
    private static let statuses = [200, 201, 200, 204, 302, 400, 401, 403, 429, 500, 503]

    static func check(_ input: [UInt8]) throws {
        guard let choice = input.first else { return }
        let grant: TokenGrant = choice & 0x80 == 0 ? .refreshToken : .authorizationCode
        let line = input.dropFirst().prefix { $0 != 0x0A }
        var headers = HTTPHeaders()
        try? headers.append("Retry-After", String(decoding: line, as: UTF8.self))
        let body = Array(input.dropFirst(line.count + 2))
        let response = HTTPResponse(
            status: statuses[Int(choice & 0x7F) % statuses.count],
            headers: headers,
            body: body
        )
        let answer: TokenEndpointResponse
        do {
            answer = try TokenEndpointResponse(response, to: grant)
        } catch {
            return try require(error.kind == .rejected, "an unreadable response is not a refusal")
        }
        switch answer {
        case .success(let object):
            try require([200, 201].contains(response.status), "a success with a wrong status")
            try require(object["error"]?.isNull ?? true, "a success with an error")
            try judge(object)
        case .failure(let failure):
            let error = failure.standardError
            let isDead = object(body)?["error"]?.string.map { Array($0.utf8) } == Array("invalid_grant".utf8)
            try require(error.kind != .signInAgain || isDead && grant == .refreshToken, "the error ends the session")
            let isBounded = error.retryAfter.map { $0 >= .zero && $0 <= .seconds(3600) } ?? true
            try require(isBounded, "the wait is too long")
        }
    }

    private static func judge(_ object: JSONObject) throws {
        var lenient = OpenIDQuirkSettings()
        lenient.additionalScopeSeparators = [UInt8(ascii: ",")]
        lenient.requiresTokenType = false
        var strict = OpenIDQuirkSettings()
        strict.requiresLifetime = true
        for settings in [OpenIDQuirkSettings(), lenient, strict] {
            guard let response = try? TokenResponse(object, settings: settings) else { continue }
            try require(
                object["access_token"]?.string.map { Array($0.utf8) } == response.accessToken.revealBytes(),
                "the access token differs"
            )
            try require(response.accessToken.count > 0, "an empty access token")
            try require(response.tokenType.lowercased() == "bearer", "the token type differs")
            try require(
                response.lifetime.map { $0 > 0 && $0 <= 316_224_000 } ?? !settings.requiresLifetime,
                "the lifetime is out of range"
            )
            try require(response.scopes?.allSatisfy { !$0.isEmpty && !$0.contains(" ") } ?? true, "a malformed scope")
        }
    }

    private static func object(_ body: [UInt8]) -> JSONObject? {
        (try? JSONValue(parsing: body))?.object
    }
}

import IdentityHTTP
import IdentityKit
import IdentityOIDC

/// Checks responses to pushed authorization requests.
///
/// The first byte of the input selects the status, the first line is `Retry-After`, and the rest is the body.
enum PushedAuthorizationFuzz {
    private static let statuses = [201, 200, 201, 204, 302, 400, 401, 403, 405, 413, 429, 500]
    private static let secret = "secret-of-this-client"
    private static let silentLogin = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    static func check(_ input: [UInt8]) throws {
        guard let choice = input.first else { return }
        let line = input.dropFirst().prefix { $0 != 0x0A }
        var headers = HTTPHeaders()
        try? headers.append("Retry-After", String(decoding: line, as: UTF8.self))
        let body = Array(input.dropFirst(line.count + 2))
        let response = HTTPResponse(status: statuses[Int(choice) % statuses.count], headers: headers, body: body)
        let object = (try? JSONValue(parsing: body))?.object
        let answer: PushedAuthorizationResponse
        do {
            answer = try PushedAuthorizationResponse(response, hiding: RequestSecrets(secrets: [Secret(secret)]))
        } catch {
            return try require(error.kind == .rejected, "an unreadable response is not a refusal")
        }
        switch answer {
        case .requestURI(let reference):
            try require(response.status == 201, "a success with a wrong status")
            try require(object?["error"]?.isNull ?? true, "a success with an error")
            let written = try require(object?["request_uri"]?.string, "a request_uri that is not in the response")
            try require(Array(written.utf8) == reference.revealBytes(), "the request_uri differs")
            try require((1...4096).contains(written.utf8.count), "the request_uri is too long")
            try require(written.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "the request_uri is not printable")
            let lifetime = try require(object?["expires_in"]?.number?.double, "a request_uri without a lifetime")
            try require(lifetime > 0, "the lifetime is not positive")
        case .failure(let failure):
            let error = failure.pushedRequestError ?? failure.standardError
            let word = object?["error"]?.string ?? ""
            try require(
                error.kind != .signInAgain || silentLogin.contains { $0.utf8.elementsEqual(word.utf8) },
                "the error ends a session"
            )
            let isBounded = error.retryAfter.map { $0 >= .zero && $0 <= .seconds(3600) } ?? true
            try require(isBounded, "the wait is too long")
            let said = [error.message, error.hint] + Self.texts(error.providerResponse)
            try require(!said.contains { $0?.contains(secret) ?? false }, "the error contains a secret of the request")
        }
    }

    private static func texts(_ answer: IdentityError.ProviderResponse?) -> [String?] {
        [answer?.error, answer?.errorDescription, answer?.errorURI, answer?.traceID]
    }
}

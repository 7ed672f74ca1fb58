import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import Synchronization

/// Checks responses to requests with a DPoP proof (RFC 9449 sections 8 and 9).
///
/// The first byte of the input selects the status. Each line is a header, and the body follows an empty line. A line `N…` is a
/// `DPoP-Nonce`, every other line a `WWW-Authenticate`.
enum DPoPResponseFuzz {
    private static let statuses = [401, 400, 401, 200, 403, 302, 503]
    private static let issuer = "https://id.example"

    static func check(_ input: [UInt8]) async throws {
        guard let choice = input.first else { return }
        var rest = input.dropFirst()
        var headers = HTTPHeaders()
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard let kind = line.first else { break }
            let text = String(decoding: kind == UInt8(ascii: "N") ? line.dropFirst() : line, as: UTF8.self)
            try? headers.append(kind == UInt8(ascii: "N") ? "DPoP-Nonce" : "WWW-Authenticate", text)
        }
        let status = statuses[Int(choice) % statuses.count]
        let answer = HTTPResponse(status: status, headers: headers, body: Array(rest))
        try checkResourceServer(answer)
        try await checkTokenEndpoint(answer)
    }

    // MARK: The resource server

    private static func checkResourceServer(_ answer: HTTPResponse) throws {
        let provider = try provider(Endpoint(answers: []))
        let url = try HTTPURL("https://api.example/orders")
        let tokens = try tokens()
        let first = try provider.authorizationHeaders(for: .get, url, with: tokens)
        try require(nonce(of: first) == nil, "a nonce that no server sent")
        let repeats = provider.shouldRepeat(first, answeredWith: answer.status, answer.headers, from: url)
        let second = try provider.authorizationHeaders(for: .get, url, with: tokens)
        try require(nonce(of: second) == goodNonce(answer.headers), "the nonce differs from the server's")
        guard repeats else { return }
        try require(answer.status == 401 && goodNonce(answer.headers) != nil, "a repetition without a reason")
        let challenges = answer.headers.values(for: "WWW-Authenticate")
        let isAsked = challenges.contains { $0.contains("use_dpop_nonce") && $0.lowercased().contains("dpop") }
        try require(isAsked, "a repetition that the server did not request")
        let again = provider.shouldRepeat(second, answeredWith: answer.status, answer.headers, from: url)
        try require(!again, "a second repetition")
    }

    // MARK: The token endpoint

    /// Answers requests to the token endpoint with prepared responses, and other requests like a provider.
    private final class Endpoint: HTTPTransport {
        private let state: Mutex<(answers: [HTTPResponse], requests: [HTTPRequest])>

        init(answers: [HTTPResponse]) {
            state = Mutex((answers.reversed(), []))
        }

        var requests: [HTTPRequest] { state.withLock { $0.requests } }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            guard request.url.path == "/token" else {
                return HTTPResponse(status: 200, body: DPoPResponseFuzz.metadata)
            }
            return state.withLock { state in
                state.requests.append(request)
                return state.answers.popLast() ?? HTTPResponse(status: 503)
            }
        }
    }

    private static func checkTokenEndpoint(_ answer: HTTPResponse) async throws {
        let endpoint = Endpoint(answers: [answer, answer])
        let provider = try provider(endpoint)
        do { _ = try await provider.requestRefresh(of: try tokens(), under: .notNeeded) } catch {}
        let requests = endpoint.requests
        try require((1...2).contains(requests.count), "\(requests.count) requests with one refresh token")
        try require(nonce(of: requests[0].headers) == nil, "a nonce that no server sent")
        guard requests.count == 2 else { return }
        try require(requests[0].body == requests[1].body, "the repeated request differs")
        try require(nonce(of: requests[1].headers) == goodNonce(answer.headers), "the nonce differs from the server's")
        try require(
            goodNonce(answer.headers) != nil && [400, 401].contains(answer.status),
            "a repetition without a reason"
        )
        let word = (try? JSONValue(parsing: answer.body))?["error"]?.string
        try require(
            word?.utf8.elementsEqual("use_dpop_nonce".utf8) ?? false,
            "a repetition that the server did not request"
        )
    }

    // MARK: Parts

    private static let key = Result { try DPoPKey().secret() }

    private static let metadata = JSONValue.object([
        "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
        "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/jwks"),
    ]).serialized

    private static func provider(_ transport: Endpoint) throws -> OpenIDProvider {
        var configuration = OpenIDProvider.Configuration(name: "any", issuer: issuer, clientID: "client-1")
        configuration.usesDPoP = true
        return try OpenIDProvider(configuration, environment: IdentityEnvironment(transport: transport))
    }

    private static func tokens() throws -> TokenSet {
        var tokens = TokenSet(
            buyer: Buyer(issuer: issuer, subject: "buyer-1"),
            accessToken: Secret("access-1"),
            tokenType: "DPoP",
            refreshToken: Secret("refresh-1"),
            issuedAt: Forge.now
        )
        tokens.dpopKey = try key.get()
        return tokens
    }

    private static func nonce(of headers: HTTPHeaders) throws -> String? {
        let proof = try require(headers["DPoP"], "a request without a proof")
        return try JSONWebToken(parsing: Secret(proof)).claims["nonce"]?.string
    }

    /// The nonce of a response, if it has exactly one valid nonce (RFC 9449 section 8.1).
    private static func goodNonce(_ headers: HTTPHeaders) -> String? {
        let values = headers.values(for: "DPoP-Nonce")
        guard values.count == 1, let nonce = values.first, (1...512).contains(nonce.utf8.count) else { return nil }
        let isGood = nonce.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        return isGood ? nonce : nil
    }
}

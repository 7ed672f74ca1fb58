internal import IdentityHTTP
internal import IdentityKit

/// Sends a request to a resource server with a session's access token.
struct CallCommand: Command {
    static let name = "call"
    static let usage = "call --session ID [--method METHOD] URL"
    static let summary = "Call a protected resource with the session's access token."
    static let operand: String? = "URL"
    static let options: [Option] = [.session, method]
    static let examples = [
        "identity-lab call --session ID https://api.example/orders",
        "identity-lab call --session ID --method DELETE --json https://api.example/orders/7",
    ]
    private static let method = Option(
        name: "--method",
        form: .value("METHOD"),
        help:
            "The HTTP method, by default GET. The token is sent only to origins in the member resources of the session's provider."
    )

    private let session: SessionID
    private let method: HTTPMethod
    private let url: HTTPURL

    init(_ arguments: Arguments) throws {
        session = try arguments.sessionID(of: Self.self)
        method = HTTPMethod(rawValue: arguments[Self.method] ?? HTTPMethod.get.rawValue)
        guard let text = arguments.action, let url = try? HTTPURL(text) else {
            throw UsageError("call needs the absolute URL of the resource.", command: Self.self)
        }
        self.url = url
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let response = try await deployment.draining { try await call(deployment) }
        let body = String(validating: response.body, as: UTF8.self)
        lab.output.event(
            "call",
            ["status": .integer(response.status), "body": body.map { .string($0) } ?? .null],
            text: "HTTP \(response.status)\n\(body?.printable ?? "\(response.body.count) bytes that are not text")"
        )
        guard response.status < 400 else { throw Self.refusal(response) }
    }

    /// Calls the resource, and once more after a refresh if it refuses the token.
    private func call(_ deployment: Deployment) async throws -> HTTPResponse {
        let session = try await deployment.sessions.session(session)
        let provider = try deployment.providers.provider(named: session.provider)
        guard let authorizing = provider as? any ResourceAuthorizing,
            provider.descriptor.resources.contains(where: { $0.isIdentical(to: url.origin) })
        else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member providers.\(session.provider).resources does not list \(url.origin), so no token is sent there.",
                hint:
                    "Add the origin if this server is trusted with the buyer's access token. Only providers of kind openid have resources.",
                reference: "RFC 9700 section 4.9.1"
            )
        }
        let first = try await deployment.sessions.tokens(for: session.id)
        let response = try await send(first.tokens, authorizing, deployment.environment.transport)
        let isFresh = first.outcome == .refreshedEarly || first.outcome == .refreshedLate
        guard response.status == 401, session.isRefreshable, !isFresh else { return response }
        let second = try await deployment.sessions.refreshTokens(for: session.id)
        return try await send(second.tokens, authorizing, deployment.environment.transport)
    }

    /// Sends the request, and once more if the server wants its nonce in the DPoP proof.
    private func send(
        _ tokens: TokenSet,
        _ authorizing: any ResourceAuthorizing,
        _ transport: any HTTPTransport
    ) async throws -> HTTPResponse {
        var isRepeated = false
        while true {
            let headers = try authorizing.authorizationHeaders(for: method, url, with: tokens)
            let request = HTTPRequest(method: method, url: url, headers: headers, allowsLoopbackHTTP: url.isLoopback)
            let response: HTTPResponse
            do {
                response = try await transport.send(request)
            } catch {
                throw IdentityError(error, asking: "The resource server", at: url.host)
            }
            let wantsNonce = authorizing.shouldRepeat(
                headers,
                answeredWith: response.status,
                response.headers,
                from: url
            )
            guard wantsNonce, !isRepeated else { return response }
            isRepeated = true
        }
    }

    private static func refusal(_ response: HTTPResponse) -> IdentityError {
        let isOutage = response.status >= 500 || response.status == 429
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            response.status == 401 ? .accessTokenRefused : .unexpectedResponse,
            "The resource server answered with status \(response.status).",
            hint: isOutage
                ? "Try again later." : "Compare scopes and audience of the token with what the server requires.",
            retryAfter: isOutage ? response.headers.retryAfter : nil
        )
    }
}

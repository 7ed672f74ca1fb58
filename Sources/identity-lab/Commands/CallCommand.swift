internal import IdentityHTTP
internal import IdentityKit

struct CallCommand: Command {
    static let name = "call"
    static let summary = "Call a protected resource with the session's access token."
    static let operand: String? = "URL"
    static let options: [Option] = [.session, method]
    static let examples = [
        "identity-lab call --session ID https://api.example/orders",
        "identity-lab call --session ID --method DELETE --json https://api.example/orders/7",
    ]
    private static let method = Option(
        "--method METHOD",
        "The HTTP method, by default GET. The token is sent only to the origins that providers.NAME.resources lists."
    )

    private let session: SessionArgument
    private let method: HTTPMethod
    private let url: HTTPURL

    init(_ arguments: Arguments) throws {
        session = try arguments.session()
        let name = arguments[Self.method] ?? HTTPMethod.get.rawValue
        guard name.utf8.count <= 32, name.utf8.allSatisfy(ASCII.isToken) else {
            throw UsageError("--method must be an HTTP method such as GET.")
        }
        method = HTTPMethod(rawValue: name)
        guard let text = arguments.action, let url = try? HTTPURL(text) else {
            throw UsageError("call needs an https URL without a fragment, or an http URL of a loopback address.")
        }
        self.url = url
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let (response, refusal) = try await deployment.draining { try await call(deployment) }
        let body = String(validating: response.body, as: UTF8.self)
        lab.output.event(
            "call",
            ["status": .integer(response.status), "body": body.map { .string($0) } ?? .null],
            text: "HTTP \(response.status)\n\(body?.printableLines ?? "\(response.body.count) bytes that are not text")"
        )
        if let refusal { throw refusal }
    }

    /// Calls the resource, and calls it once more with new tokens if the resource server rejects the access token.
    ///
    /// Returns the last response, and an error unless its status is 2xx.
    private func call(_ deployment: Deployment) async throws -> (HTTPResponse, refusal: (any Error)?) {
        let session = try await session.id(in: deployment.sessions)
        let name = try await deployment.sessions.session(session).provider
        try deployment.sessions.descriptor(of: name).requireResource(url)
        var last: HTTPResponse?
        do {
            let response = try await deployment.sessions.withAccessToken(of: session) { access in
                let headers = try access.headers(for: method, url)
                let response = try await send(headers, deployment.environment.transport)
                last = response
                try access.check(status: response.status, response.headers, sent: headers, from: url)
                return response
            }
            return (response, (200..<300).contains(response.status) ? nil : Self.refusal(response))
        } catch {
            guard let last, last.status == 401 else { throw error }
            return (last, error)
        }
    }

    private func send(_ headers: HTTPHeaders, _ transport: any HTTPTransport) async throws -> HTTPResponse {
        do {
            return try await transport.send(
                HTTPRequest(method: method, url: url, headers: headers, allowsLoopbackHTTP: url.isLoopback)
            )
        } catch {
            throw IdentityError(error, asking: "The resource server", at: url.host)
        }
    }

    private static func refusal(_ response: HTTPResponse) -> IdentityError {
        let isOutage = response.isOutage
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            .unexpectedResponse,
            "The resource server responded with status \(response.status).",
            hint: isOutage
                ? "If the request's method changes data, check first whether the server has carried out the request. Then try again later."
                : response.status == 403
                    ? "Compare the access token's scopes and audience with those that the resource server requires."
                    : "Read the body of the response, and check the URL and the method of the request.",
            retryAfter: isOutage ? response.headers.retryAfter : nil
        )
    }
}

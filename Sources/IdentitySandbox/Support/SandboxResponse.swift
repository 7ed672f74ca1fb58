public import IdentityKit

/// The sandbox's response to one request.
public struct SandboxResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in their order in the response.
    ///
    /// The sandbox adds a missing `Date`, a missing `Content-Length`, and `Connection: close` if it closes the connection. It omits a field
    /// with an invalid name or with a control character in its value.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a JSON body.
    public static func json(_ object: JSONObject, status: Int = 200) -> SandboxResponse {
        let headers = [(name: "Content-Type", value: "application/json; charset=utf-8")]
        return SandboxResponse(status: status, headers: headers, body: JSONValue.object(object).serialized)
    }

    /// Creates a response with a page.
    ///
    /// - Parameters:
    ///   - text: The page.
    ///   - status: The HTTP status.
    ///   - script: The value of `script-src` in the content security policy; by default the page may run no script.
    /// - Returns: The response.
    public static func html(_ text: String, status: Int = 200, script: String = "'none'") -> SandboxResponse {
        let policy = "default-src 'none'; script-src \(script); style-src 'unsafe-inline'; frame-ancestors 'none'"
        return SandboxResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
            ],
            body: Array(text.utf8)
        )
    }

    /// Creates a response with plain text.
    public static func text(_ text: String, status: Int) -> SandboxResponse {
        let headers = [(name: "Content-Type", value: "text/plain; charset=utf-8")]
        return SandboxResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    /// Creates a redirect.
    public static func redirect(to location: String, status: Int = 302) -> SandboxResponse {
        SandboxResponse(status: status, headers: [("Location", location), ("Cache-Control", "no-store")])
    }

    /// Creates a response with an OAuth error (RFC 6749 section 5.2).
    static func oauthError(_ error: String, _ description: String, status: Int = 400) -> SandboxResponse {
        json(["error": .string(error), "error_description": .string(description)], status: status)
            .with("Cache-Control", "no-store")
    }

    package func with(_ name: String, _ value: String) -> SandboxResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }
}

extension SandboxResponse: CustomStringConvertible {
    /// The status and the first 200 bytes of the body as text.
    public var description: String { "\(status) \(String(decoding: body.prefix(200), as: UTF8.self))" }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

/// An error that the sandbox returns to a client: as the response of the endpoint (RFC 6749 section 5.2), or in the authorization
/// response (RFC 6749 section 4.1.2.1).
struct OAuthRefusal: Error, Sendable {
    let error: String
    let description: String
    let status: Int
    let headers: [(name: String, value: String)]
    /// Whether the client broke a rule; an expired code, or a poll before the buyer has answered, is not a violation.
    let isViolation: Bool
    /// The response that replaces the OAuth error; nil for an OAuth error.
    private var replacement: SandboxResponse?

    init(
        _ error: String,
        _ description: String,
        status: Int = 400,
        headers: [(name: String, value: String)] = [],
        isViolation: Bool = true
    ) {
        self.error = error
        self.description = Self.permitted(description)
        self.status = status
        self.headers = headers
        self.isViolation = isViolation
    }

    static func invalidRequest(_ description: String, isViolation: Bool = true) -> OAuthRefusal {
        OAuthRefusal("invalid_request", description, isViolation: isViolation)
    }

    static func invalidGrant(_ description: String, isViolation: Bool = true) -> OAuthRefusal {
        OAuthRefusal("invalid_grant", description, isViolation: isViolation)
    }

    init(_ response: SandboxResponse) {
        self.init("", "", status: response.status)
        replacement = response
    }

    var response: SandboxResponse {
        replacement ?? headers.reduce(.oauthError(error, description, status: status)) { $0.with($1.name, $1.value) }
    }

    /// Shortens a description to 500 bytes, and replaces each byte that `error_description` must not contain (RFC 6749 section 5.2).
    ///
    /// A description may quote text of the client, which can contain any byte.
    private static func permitted(_ text: String) -> String {
        let bytes = text.utf8.prefix(500).map { byte in
            (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                ? byte : UInt8(ascii: "'")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

public import FoundationEssentials

/// The unchanged response of a token endpoint to a refresh.
public struct RefreshResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The body, which may contain the new tokens.
    public var body: Secret
    /// The response's `Authorization` header, for providers that return a token in it.
    public var authorization: Secret?
    /// When the request began; `expires_in` counts from this time.
    public var startedAt: Date
    /// When the response was received, in whole milliseconds.
    ///
    /// The expiry of an ID token is compared with this time, because the response may have been stored for hours.
    public var receivedAt: Date
    /// The error code if the response belongs to another login, for example `id_token_subject`; otherwise nil.
    package var loginMismatch: IdentityError.Code?
    /// The secrets of the refresh request, which are redacted in errors; nil if the response was read from the store or the spool.
    package var requestSecrets: RequestSecrets?

    /// Creates a value from an HTTP response.
    public init(status: Int, body: Secret, authorization: Secret? = nil, startedAt: Date, receivedAt: Date) {
        self.status = status
        self.body = body
        self.authorization = authorization
        self.startedAt = startedAt
        // A store keeps whole milliseconds, and a stored response must equal the one in memory.
        self.receivedAt = Date(timeIntervalSince1970: receivedAt.milliseconds / 1000)
    }
}

extension RefreshResponse: Redacted {
    /// The status and the body's size.
    public var description: String { "RefreshResponse(status: \(status), body: \(body.count) bytes)" }
}

/// What a provider's back-channel logout request came to, and the answer to send.
public struct BackChannelLogoutResult: Sendable {
    /// The status of the answer (OpenID Connect Back-Channel Logout 1.0 section 2.8): 200 when the sessions are gone, also when
    /// there were none; 400 when the request or its token was refused; 503 when the provider should try again, for its keys or the
    /// store could not be had; and 500 when the operator has to change something first.
    public let status: Int
    /// The headers of the answer.
    public let headers: [(name: String, value: String)]
    /// The body of the answer: empty, or JSON that says what was wrong.
    public let body: [UInt8]
    /// The sessions that have ended, also where ``error`` tells that others have not.
    public let sessions: [Session]
    /// What could not be done for sessions that have ended, such as detaching a cart.
    public let problems: [IdentityError]
    /// Why the request was refused or failed; nil when it was carried out.
    public let error: IdentityError?

    init(sessions: [Session] = [], problems: [IdentityError] = [], error: IdentityError? = nil) {
        self.sessions = sessions
        self.problems = problems
        self.error = error
        let noStore = (name: "Cache-Control", value: "no-store")
        guard let error else {
            (status, headers, body) = (200, [noStore], [])
            return
        }
        headers = [noStore, ("Content-Type", "application/json")]
        var object = JSONObject()
        switch error.kind {
        case .rejected where Self.isAboutToken(error.code):
            status = 400
            object["error"] = .string("invalid_request")
            object["error_description"] = .string(error.message)
        // What is wrong here is not the provider's business.
        case .configuration:
            status = 500
            object["error"] = .string("server_error")
        // A page in the place of the provider's keys, for example, says nothing about the token.
        case .rejected, .retryLater, .signInAgain, .cancelled:
            status = 503
            object["error"] = .string("temporarily_unavailable")
        }
        body = JSONValue.object(object).serialized
    }

    /// Whether an error condemns the token or its request, and not what was needed to judge it.
    private static func isAboutToken(_ code: IdentityError.Code) -> Bool {
        switch code {
        case .logoutTokenInvalid, .logoutTokenReplayed, .idTokenMalformed, .idTokenAlgorithm, .idTokenKeyUnknown,
            .idTokenSignature, .idTokenIssuer, .idTokenAudience, .idTokenSubject, .idTokenTime:
            true
        default: false
        }
    }
}

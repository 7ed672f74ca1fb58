/// The result of a back-channel logout request, with the HTTP response to send.
public struct BackChannelLogoutResult: Sendable {
    /// The status of the response (OpenID Connect Back-Channel Logout 1.0 section 2.8).
    ///
    /// - 200: the sessions were ended, or no session matched.
    /// - 400: the request or its token was refused.
    /// - 503: the provider should try again, for example because its keys or the store were unavailable.
    /// - 500: an operator has to act first; ``error`` says how.
    public let status: Int
    /// The headers of the response.
    public let headers: [(name: String, value: String)]
    /// The body of the response: empty, or JSON that names the error.
    public let body: [UInt8]
    /// The sessions that were ended; if ``error`` is set, other sessions that the logout token names may remain.
    public let sessions: [Session]
    /// The errors of work that failed after the sessions were ended, such as detaching a cart.
    public let problems: [IdentityError]
    /// Why the request was refused or failed; nil when it succeeded.
    public let error: IdentityError?

    init(sessions: [Session], problems: [IdentityError], error: IdentityError?) {
        self.sessions = sessions
        self.problems = problems
        self.error = error
        let noStore = (name: "Cache-Control", value: "no-store")
        guard let error else {
            (status, headers, body) = (200, [noStore], [])
            return
        }
        headers = [noStore, ("Content-Type", "application/json")]
        let object: JSONObject
        switch error.kind {
        case .rejected where Self.isAboutToken(error.code):
            status = 400
            object = ["error": .string("invalid_request"), "error_description": .string(error.message)]
        // The message is left out, because it describes the app's configuration.
        case .configuration:
            status = 500
            object = ["error": .string("server_error")]
        // The failure is not about the logout token, for example if the provider returned an HTML page instead of its keys.
        case .rejected, .retryLater, .signInAgain, .cancelled:
            status = 503
            object = ["error": .string("temporarily_unavailable")]
        }
        body = JSONValue.object(object).serialized
    }

    /// Whether an error is about the logout request or its token, and not about the provider's keys or the store.
    private static func isAboutToken(_ code: IdentityError.Code) -> Bool {
        switch code {
        case .providerUnknown, .logoutTokenInvalid, .logoutTokenReplayed, .idTokenMalformed, .idTokenAlgorithm,
            .idTokenKeyUnknown, .idTokenSignature, .idTokenIssuer, .idTokenAudience, .idTokenSubject, .idTokenTime:
            true
        default: false
        }
    }
}

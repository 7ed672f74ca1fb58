internal import IdentityHTTP

/// Reads the logout token from a back-channel logout request (OpenID Connect Back-Channel Logout 1.0 section 2.5).
enum BackChannelLogoutRequest {
    /// The largest accepted body; a logout token has about one kilobyte.
    private static let maximumBytes = 16_384

    /// Returns the `logout_token` of a posted form; other fields are ignored, as section 2.5 requires.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/logoutTokenInvalid``.
    static func token(in body: [UInt8], contentType: String?) throws(IdentityError) -> Secret {
        guard MediaType.form.matches(contentType) else {
            throw invalid("does not have the Content-Type application/x-www-form-urlencoded")
        }
        guard body.count <= maximumBytes else { throw invalid("is larger than 16 KiB") }
        guard let fields = FormEncoding.decode(body) else { throw invalid("is not a well-formed form") }
        let tokens = fields.filter { $0.name.isIdentical(to: "logout_token") }
        guard tokens.count == 1, let token = tokens.first, !token.value.isEmpty else {
            throw invalid("does not contain exactly one logout token")
        }
        return Secret(token.value)
    }

    private static func invalid(_ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            .logoutTokenInvalid,
            "The back-channel logout request \(problem).",
            hint: """
                In the app, pass the body and the Content-Type of the HTTP request unchanged. If the app already does so, find out who \
                sent the malformed request. The request ended no session.
                """,
            reference: "OpenID Connect Back-Channel Logout 1.0 section 2.5"
        )
    }
}

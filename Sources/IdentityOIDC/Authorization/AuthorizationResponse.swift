package import IdentityKit

/// What a callback must look like to be this login's (RFC 6749 section 4.1.2, RFC 9207).
package struct AuthorizationResponse: Sendable {
    /// The authorization code.
    package let code: Secret

    package struct Expectations: Sendable {
        package var state: Secret
        /// The issuer that discovery named, if any.
        package var issuer: String?
        /// Which issuers the callback may name when none is known from discovery.
        package var issuers: IssuerPolicy
        /// Whether the provider has promised to send `iss`.
        package var requiresIssuer: Bool
        /// How the answer was to come.
        package var responseMode: ResponseMode
        /// The names under which the code may come.
        package var codeParameters: [String]
        /// Values of the code that a provider sends where it means an error.
        package var refusalsAsCode: [String]

        package init(
            state: Secret,
            issuer: String?,
            issuers: IssuerPolicy,
            requiresIssuer: Bool,
            responseMode: ResponseMode = .query,
            codeParameters: [String] = ["code"],
            refusalsAsCode: [String] = []
        ) {
            self.state = state
            self.issuer = issuer
            self.issuers = issuers
            self.requiresIssuer = requiresIssuer
            self.responseMode = responseMode
            self.codeParameters = codeParameters
            self.refusalsAsCode = refusalsAsCode
        }
    }

    /// Checks a callback: state first, then the issuer (also of an error), then the error, then the way it came, then the code.
    ///
    /// An error counts whichever way it came: a provider that cannot read a request may not know how to answer it. A code that
    /// should have been posted and came in a URL is refused: it stands in histories and logs, and somebody may have changed the
    /// request on its way. A code that was posted without being asked for stands in no such place, and is taken.
    ///
    /// - Throws: `IdentityError`.
    package init(_ callback: LoginCallback, expecting expected: Expectations) throws(IdentityError) {
        guard let state = try callback.value(of: "state"), !state.isEmpty, state.isEqual(to: expected.state) else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The callback's state is not this login's.",
                hint: "Start the login again.",
                reference: "RFC 6749 section 10.12"
            )
        }
        let refusal = try Self.refusal(in: callback)
        if let issuer = try callback.value(of: "iss")?.reveal() {
            try Self.check(issuer, expected)
        } else if expected.requiresIssuer {
            throw Self.missingIssuer(refusal).hiding(RedactedValues(secrets: [state]))
        }
        if let refusal { throw AuthorizationErrorResponse.error(for: refusal).hiding(RedactedValues(secrets: [state])) }
        guard expected.responseMode != .formPost || callback.place == nil else {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The callback came in a URL, although a posted form was asked for.",
                hint: "Its code was not used. Leave responseMode out if the provider does not offer form_post.",
                reference: "OAuth 2.0 Form Post Response Mode section 2"
            )
        }
        var codes: [Secret] = []
        for name in expected.codeParameters {
            if let code = try callback.value(of: name) { codes.append(code) }
        }
        guard codes.count == 1, let code = codes.first, !code.isEmpty, code.count <= 8192 else {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The callback has no usable code.",
                hint: "Start the login again.",
                reference: "RFC 6749 section 4.1.2"
            )
        }
        if let refusal = expected.refusalsAsCode.first(where: { code.isEqual(to: Secret($0)) }) {
            throw AuthorizationErrorResponse.error(for: IdentityError.ProviderAnswer(error: refusal))
        }
        self.code = code
    }

    /// What an error response says; nil for another response.
    private static func refusal(in callback: LoginCallback) throws(IdentityError) -> IdentityError.ProviderAnswer? {
        guard let error = try callback.value(of: "error") else { return nil }
        return IdentityError.ProviderAnswer(
            error: error.reveal(),
            errorDescription: try callback.value(of: "error_description")?.reveal(),
            errorURI: try callback.value(of: "error_uri")?.reveal()
        )
    }

    private static func check(_ issuer: String, _ expected: Expectations) throws(IdentityError) {
        guard expected.issuer?.isIdentical(to: issuer) ?? expected.issuers.isAccepted(issuer) else {
            throw IdentityError(
                .rejected,
                .responseIssuerMismatch,
                "The callback comes from another issuer than the login went to.",
                hint: "Somebody may be mixing up providers; give each a redirect URI of its own.",
                reference: "RFC 9207 section 2.4"
            )
        }
    }

    /// The error for a response without the `iss` that the provider promised.
    ///
    /// A missing `iss` alone is no sign of an attack: some providers leave it out, above all in errors. What the response says is
    /// passed on for people to read, and nothing is decided by it.
    private static func missingIssuer(_ refusal: IdentityError.ProviderAnswer?) -> IdentityError {
        let isDenied = refusal?.error?.isIdentical(to: "access_denied") ?? false
        let report =
            isDenied ? "access_denied, perhaps because the buyer cancelled" : "an error, see the provider answer"
        let advice = refusal == nil ? "" : "The callback reports \(report); nothing proves that it is genuine. "
        return IdentityError(
            .rejected,
            .responseIssuerMismatch,
            "The callback has no iss parameter, although the provider's metadata promise it.",
            hint: advice + "Offer the login again. If this happens at every login, tell the provider: its metadata set "
                + "authorization_response_iss_parameter_supported.",
            reference: "RFC 9207 section 2.4",
            providerAnswer: refusal
        )
    }
}

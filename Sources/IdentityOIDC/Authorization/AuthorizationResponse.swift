package import IdentityKit

/// Checks the authorization response in a callback (RFC 6749 section 4.1.2, RFC 9207).
package enum AuthorizationResponse {
    /// Checks a callback in this order: state, issuer (also of an error response), error, response mode, code.
    ///
    /// An `iss` must name the issuer to which `attempt` is bound, or one of `issuers` if `attempt` is not bound.
    ///
    /// An error is accepted in every response mode, because a provider that cannot read a request may not know the requested mode. If
    /// `form_post` was requested, a code in a URL is refused: browser histories and logs contain the URL, and an attacker may have changed
    /// the request. A posted code is accepted in every response mode, because histories and logs do not contain forms.
    package static func code(
        in callback: LoginCallback,
        for attempt: LoginAttempt,
        accepting issuers: IssuerPolicy,
        requiresIssuer: Bool,
        settings: OpenIDQuirkSettings = OpenIDQuirkSettings()
    ) throws(IdentityError) -> Secret {
        guard let state = try callback.value(of: "state"), !state.isEmpty, state.isEqual(to: attempt.state) else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The callback's state is missing or belongs to another login.",
                hint: "Start the login again.",
                reference: "RFC 6749 section 10.12",
                isAttackSuspected: true
            )
        }
        let refusal = try refusal(in: callback)
        if let issuer = try callback.value(of: "iss")?.reveal() {
            try check(issuer, attempt.issuer, issuers)
        } else if requiresIssuer {
            throw missingIssuer(refusal).hiding(RequestSecrets(secrets: [state]))
        }
        if let refusal { throw AuthorizationErrorResponse.error(for: refusal).hiding(RequestSecrets(secrets: [state])) }
        guard attempt.responseMode != .formPost || callback.address == nil else {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The callback has its parameters in the URL although the login requested form_post.",
                hint:
                    "If the app creates the LoginCallback, pass the body of the posted form to it. If the provider does not support "
                    + "form_post, set responseMode in the provider's configuration to query. Then start the login again.",
                reference: "OAuth 2.0 Form Post Response Mode section 2"
            )
        }
        var codes: [Secret] = []
        for name in settings.codeParameters {
            if let code = try callback.value(of: name) { codes.append(code) }
        }
        guard codes.count == 1, let code = codes.first, !code.isEmpty, code.count <= 8192 else {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The authorization code of the callback is missing or invalid.",
                hint: "Start the login again.",
                reference: "RFC 6749 section 4.1.2"
            )
        }
        try check(code, isNotOneOf: settings.errorsInCode)
        return code
    }

    /// Refuses a code whose value is the name of an error: some providers report errors in this way.
    static func check(_ code: Secret, isNotOneOf errors: [String]) throws(IdentityError) {
        guard let error = errors.first(where: { code.isEqual(to: Secret($0)) }) else { return }
        throw AuthorizationErrorResponse.error(for: IdentityError.ProviderResponse(error: error))
    }

    private static func refusal(in callback: LoginCallback) throws(IdentityError) -> IdentityError.ProviderResponse? {
        guard let error = try callback.value(of: "error") else { return nil }
        return IdentityError.ProviderResponse(
            error: error.reveal(),
            errorDescription: try callback.value(of: "error_description")?.reveal(),
            errorURI: try callback.value(of: "error_uri")?.reveal()
        )
    }

    private static func check(_ issuer: String, _ bound: String?, _ issuers: IssuerPolicy) throws(IdentityError) {
        guard bound?.isIdentical(to: issuer) ?? issuers.isAccepted(issuer) else {
            throw IdentityError(
                .rejected,
                .responseIssuerMismatch,
                "The callback names another issuer than the login accepts.",
                hint:
                    "Give each provider a separate redirect URI, because this may be a mix-up attack. If every login fails this way, "
                    + "compare iss in the callback with the accepted issuer (\(bound ?? issuers.summary)). If iss is "
                    + "right, correct the provider's configuration. Otherwise report iss to the provider.",
                reference: "RFC 9207 section 2.4",
                isAttackSuspected: true
            )
        }
    }

    /// A missing `iss` alone does not prove an attack: some providers omit it, mostly in error responses.
    ///
    /// The kind and code do not depend on `refusal`, the error in the response, because the response is not authenticated.
    private static func missingIssuer(_ refusal: IdentityError.ProviderResponse?) -> IdentityError {
        let isDenied = refusal?.error?.isIdentical(to: "access_denied") ?? false
        let report =
            isDenied
            ? "access_denied, perhaps because the buyer cancelled"
            : "an error, which is in providerResponse of this error"
        let advice =
            refusal == nil
            ? ""
            : " The callback also reports \(report). Do not rely on this report, because the callback is not authenticated."
        return IdentityError(
            .rejected,
            .responseIssuerMismatch,
            "The callback has no iss parameter, although the provider's metadata promise it.",
            hint:
                "Offer the login again. If every login fails this way, report to the provider that its metadata set "
                + "authorization_response_iss_parameter_supported, but its callbacks have no iss.\(advice)",
            reference: "RFC 9207 section 2.4",
            providerResponse: refusal
        )
    }
}

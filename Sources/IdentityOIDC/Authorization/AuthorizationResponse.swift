package import IdentityKit

/// The authorization response in a callback, checked against its login (RFC 6749 section 4.1.2, RFC 9207).
package struct AuthorizationResponse: Sendable {
    package let code: Secret

    package struct Expectations: Sendable {
        package var state: Secret
        /// The issuer to which the login is bound; nil if it is not bound to one.
        package var issuer: String?
        /// The issuers that `iss` of the callback may name if ``issuer`` is nil.
        package var issuers: IssuerPolicy
        package var requiresIssuer: Bool
        package var responseMode: ResponseMode
        /// The names that the code may have.
        package var codeParameters: [String]
        /// The names of errors that the provider sends in the code's parameter instead of in `error`.
        package var errorsInCode: [String]

        package init(
            state: Secret,
            issuer: String?,
            issuers: IssuerPolicy,
            requiresIssuer: Bool,
            responseMode: ResponseMode = .query,
            codeParameters: [String] = ["code"],
            errorsInCode: [String] = []
        ) {
            self.state = state
            self.issuer = issuer
            self.issuers = issuers
            self.requiresIssuer = requiresIssuer
            self.responseMode = responseMode
            self.codeParameters = codeParameters
            self.errorsInCode = errorsInCode
        }
    }
}

extension AuthorizationResponse {
    /// Checks a callback: state, issuer (also of an error response), error, response mode, code, in this order.
    ///
    /// Before this check, `SessionManager` looks up the login by its `state` (`LoginCoordinator+Completion.swift`).
    ///
    /// An error is accepted in every response mode, because a provider that cannot read a request may not know the requested mode. If
    /// `form_post` was requested, a code in a URL is refused: browser histories and logs contain the URL, and an attacker may have changed
    /// the request. A posted code is accepted in every response mode, because histories and logs do not contain forms.
    ///
    /// - Throws: `IdentityError`.
    package init(_ callback: LoginCallback, expecting expected: Expectations) throws(IdentityError) {
        guard let state = try callback.value(of: "state"), !state.isEmpty, state.isEqual(to: expected.state) else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The callback's state is missing or belongs to another login.",
                hint: "Start the login again.",
                reference: "RFC 6749 section 10.12",
                isAttackSuspected: true
            )
        }
        let refusal = try Self.refusal(in: callback)
        if let issuer = try callback.value(of: "iss")?.reveal() {
            try Self.check(issuer, expected)
        } else if expected.requiresIssuer {
            throw Self.missingIssuer(refusal).hiding(RequestSecrets(secrets: [state]))
        }
        if let refusal { throw AuthorizationErrorResponse.error(for: refusal).hiding(RequestSecrets(secrets: [state])) }
        guard expected.responseMode != .formPost || callback.address == nil else {
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
        for name in expected.codeParameters {
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
        try Self.check(code, isNotOneOf: expected.errorsInCode)
        self.init(code: code)
    }

    /// Refuses a code whose value is the name of an error: some providers report errors in this way.
    static func check(_ code: Secret, isNotOneOf errors: [String]) throws(IdentityError) {
        guard let error = errors.first(where: { code.isEqual(to: Secret($0)) }) else { return }
        throw AuthorizationErrorResponse.error(for: IdentityError.ProviderResponse(error: error))
    }

    /// The provider's error if the callback is an error response; otherwise nil.
    private static func refusal(in callback: LoginCallback) throws(IdentityError) -> IdentityError.ProviderResponse? {
        guard let error = try callback.value(of: "error") else { return nil }
        return IdentityError.ProviderResponse(
            error: error.reveal(),
            errorDescription: try callback.value(of: "error_description")?.reveal(),
            errorURI: try callback.value(of: "error_uri")?.reveal()
        )
    }
}

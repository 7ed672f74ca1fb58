package import IdentityKit

/// The authorization response in a callback, checked against its login (RFC 6749 section 4.1.2, RFC 9207).
package struct AuthorizationResponse: Sendable {
    /// The authorization code.
    package let code: Secret

    init(code: Secret) { self.code = code }

    /// The expected values of a response.
    package struct Expectations: Sendable {
        package var state: Secret
        /// The issuer that discovery named, if any.
        package var issuer: String?
        /// The issuers that the callback may name if none is known from discovery.
        package var issuers: IssuerPolicy
        /// Whether the metadata promise an `iss` parameter.
        package var requiresIssuer: Bool
        /// The response mode that the login requested.
        package var responseMode: ResponseMode
        /// The names that the code may have.
        package var codeParameters: [String]
        /// Values of the code that are the names of errors.
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

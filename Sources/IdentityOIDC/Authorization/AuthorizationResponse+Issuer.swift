internal import IdentityKit

extension AuthorizationResponse {
    /// Refuses an authorization response whose `iss` the login does not accept (RFC 9207), because it may be a mix-up attack.
    static func check(_ issuer: String, _ expected: Expectations) throws(IdentityError) {
        guard expected.issuer?.isIdentical(to: issuer) ?? expected.issuers.isAccepted(issuer) else {
            throw IdentityError(
                .rejected,
                .responseIssuerMismatch,
                "The callback names another issuer than the login accepts.",
                hint:
                    "Give each provider a separate redirect URI, because this may be a mix-up attack. If every login fails this way, "
                    + "compare iss in the callback with the accepted issuer (\(expected.issuer ?? expected.issuers.summary)). If iss is "
                    + "right, correct the issuer in the provider's configuration. Otherwise report iss to the provider.",
                reference: "RFC 9207 section 2.4",
                isAttackSuspected: true
            )
        }
    }

    /// The error for an authorization response without the `iss` that the provider's metadata promise.
    ///
    /// A missing `iss` alone does not prove an attack: some providers omit it, mostly in error responses. `refusal` is the error that the
    /// response reports; nil if the response reports no error. The returned error shows `refusal`, but no decision depends on it, because
    /// the response is not authenticated.
    static func missingIssuer(_ refusal: IdentityError.ProviderResponse?) -> IdentityError {
        let isDenied = refusal?.error?.isIdentical(to: "access_denied") ?? false
        let report =
            isDenied
            ? "access_denied, perhaps because the buyer cancelled"
            : "an error, which is in providerResponse of this error"
        let advice =
            refusal == nil
            ? "" : " Do not rely on the callback's report, which is not authenticated: it reports \(report)."
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

internal import IdentityKit

/// The error response of the authorization endpoint (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6).
enum AuthorizationErrorResponse {
    /// The error names with which a provider refuses `prompt=none` because it must show a page (OpenID Connect Core section 3.1.2.6).
    ///
    /// Shopify also sends `login_required` as the value of `code`; see ``OpenIDQuirkSettings/errorsInCode``.
    static let silentLoginErrors = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    /// The SDK's error for the `error` parameter of an authorization response, or of another response with the same error names.
    static func error(
        for answer: IdentityError.ProviderResponse,
        reference: String = "RFC 6749 section 4.1.2.1"
    ) -> IdentityError {
        let isSilentLogin = silentLoginErrors.contains(answer.error ?? "")
        let (kind, code, message, hint): (IdentityError.Kind, IdentityError.Code, String, String) =
            switch answer.error ?? "" {
            case _ where isSilentLogin:
                (
                    .signInAgain, .loginRequired, "The provider cannot sign the buyer in without showing a page.",
                    "If the login had prompt=none, start a login without prompt=none, so that the provider can show a page. Otherwise read "
                        + "providerResponse of this error."
                )
            // Other libraries report that Sign in with Apple sends `user_cancelled_authorize` when the buyer cancels.
            case "access_denied", "user_cancelled_authorize":
                (.rejected, .accessDenied, "The buyer or the provider denied access.", "Offer the login again.")
            case "temporarily_unavailable", "server_error":
                (
                    .retryLater, .providerUnavailable, "The provider cannot process logins at the moment.",
                    "Start the login again later."
                )
            case "invalid_scope":
                (
                    .configuration, .invalidScope, "The provider rejected the scopes.",
                    "Look up which scopes the provider permits for this client. Remove every other scope from scopes in the provider's "
                        + "configuration and from LoginOptions.scopes."
                )
            case "unauthorized_client":
                (
                    .configuration, .unauthorizedClient, "The provider does not let this client sign buyers in.",
                    "Compare clientID (publishableKey at Bolt) in the provider's configuration with the client's id at the provider. If "
                        + "they are equal, permit sign-ins for this client in the provider's administration."
                )
            case "":
                (.rejected, .callbackInvalid, "The callback has an empty error parameter.", "Start the login again.")
            default:
                (
                    .rejected, .authorizationRefused, "The provider rejected the login.",
                    "Read providerResponse of this error: it contains the provider's error code and, if sent, its explanation."
                )
            }
        return IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: isSilentLogin ? "OpenID Connect Core section 3.1.2.6" : reference,
            providerResponse: answer
        )
    }
}

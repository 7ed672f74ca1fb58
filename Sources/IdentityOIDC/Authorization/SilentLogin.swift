internal import IdentityKit

/// Recognizes the errors of a login with `prompt=none`, in which the provider must not show a page.
enum SilentLogin {
    /// The error names by which a provider says that it would have to show a page (OpenID Connect Core section 3.1.2.6).
    ///
    /// Shopify also sends `login_required` as the value of `code`; see ``OpenIDQuirkSettings/errorsInCode``.
    static let errorCodes = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    /// The SDK's error for a login that the provider refused with one of ``errorCodes``.
    static func error(_ answer: IdentityError.ProviderResponse) -> IdentityError {
        IdentityError(
            .signInAgain,
            .loginRequired,
            "The provider cannot sign the buyer in without showing a page.",
            hint:
                "If the login had prompt=none, start a login without prompt=none, so that the provider can show a page. Otherwise read "
                + "providerResponse of this error.",
            reference: "OpenID Connect Core section 3.1.2.6",
            providerResponse: answer
        )
    }
}

internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

struct ShopifyQuirks: OpenIDQuirks {
    private let isConfidential: Bool

    init(_ client: ShopifyProvider.Client) {
        isConfidential = if case .confidential = client { true } else { false }
    }

    var settings: OpenIDQuirkSettings {
        var settings = OpenIDQuirkSettings()
        settings.localeParameter = "locale"
        // According to Shopify's reference, the callback of a failed silent login has `login_required` in the parameter error or code.
        settings.errorsInCode = ["login_required"]
        // Shopify requires `client_id` in the body, also from a client that sends Basic credentials.
        settings.sendsClientIDBesideBasic = true
        settings.requiresTokenType = false
        settings.requiresLifetime = true
        settings.acceptsNumericSubject = true
        // At Shopify, acr_values selects a sign-in method, and the ID token has no acr claim that proves the method.
        settings.provesAuthenticationContext = false
        settings.listsAuthenticationMethods = false
        return settings
    }

    /// Only an OAuth `error` in a JSON response can end a session; an HTML page, an outage or a configuration error ends no session.
    func error(for failure: TokenErrorResponse) -> IdentityError {
        if (300..<400).contains(failure.status) {
            return failure.make(
                .configuration,
                .redirectRefused,
                "Shopify's token endpoint returned a redirect, which was not followed.",
                "Check shopID and endpoints.token: usually the shop id in the endpoint's URL is wrong. If the endpoint was discovered, "
                    + "check shopDomain or endpoints.discovery."
            )
        }
        let name = failure.error ?? ""
        let isRefusedClient =
            name.isIdentical(to: "invalid_client")
            || failure.status == 401 && name.isIdentical(to: "unauthorized_client")
        if !failure.isOutage, isRefusedClient { return invalidClient(failure) }
        // Status 401 means a refused origin only if the error name is `invalid_token`, or if the name is missing and the header
        // WWW-Authenticate contains `invalid_token`. Status 403 means a blocked request only if the error name is missing.
        let challenges = AuthenticationChallenge.all(in: failure.headers)
        let isInvalidToken =
            name.isIdentical(to: "invalid_token")
            || name.isEmpty && challenges.contains { $0["error"] == "invalid_token" }
        if failure.status == 401, isInvalidToken {
            return failure.make(
                .configuration,
                .originRefused,
                "Shopify rejected the token request: its Origin header is missing or is not registered.",
                "If the client at Shopify is a public web client, register the app's origin at Shopify under JavaScript origins. Then "
                    + "set client to publicWeb and origin to this origin. Otherwise compare client in the provider's configuration with "
                    + "the client's type at Shopify. Sessions are kept."
            )
        }
        if failure.status == 403, name.isEmpty {
            return failure.make(
                .configuration,
                .requestBlocked,
                "Shopify blocked the token request (HTTP 403).",
                "Ask Shopify whether it blocks this machine's address or the userAgent of IdentityEnvironment. Sessions are kept."
            )
        }
        return failure.standardError
    }

    private func invalidClient(_ failure: TokenErrorResponse) -> IdentityError {
        failure.make(
            .configuration,
            .invalidClient,
            isConfidential
                ? "Shopify does not know this client or rejected its secret." : "Shopify does not know this client.",
            isConfidential
                ? "Compare clientID and clientSecret with the Customer Account API settings at Shopify. Sessions are kept."
                : "Compare clientID and client with the id and the type of the client at Shopify: a confidential client needs a "
                    + "clientSecret. Sessions are kept."
        )
    }
}

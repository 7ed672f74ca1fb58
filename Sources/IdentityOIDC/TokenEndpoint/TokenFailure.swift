package import IdentityHTTP
package import IdentityKit

/// An answer of a token endpoint that is no success, and what it means.
package struct TokenFailure: Sendable {
    package var grant: TokenGrant
    package var status: Int
    package var headers: HTTPHeaders
    /// The OAuth `error`, empty or missing where the answer has none.
    package var error: String?
    package var errorDescription: String?
    package var errorURI: String?
    /// Whether the body was a JSON object.
    package var isJSON: Bool
    /// What the request carried: no error repeats it.
    package var sent = RedactedValues()
    /// Which endpoint it was, in the words of an error.
    package var endpoint = "token endpoint"
    /// The member of the configuration that sets the endpoint's address.
    package var endpointMember = "endpoints.token"

    /// What it means by RFC 6749 section 5.2 and common sense: only `invalid_grant` ends a session, and only by its exact name.
    package var standardError: IdentityError {
        if (300..<400).contains(status) {
            return make(
                .rejected,
                .redirectRefused,
                "The \(endpoint) answered with a redirect, which was not followed.",
                "Set \(endpointMember) to the address that answers without a redirect, if that is the provider's."
            )
        }
        if status == 429 || status >= 500 {
            return make(
                .retryLater,
                .providerUnavailable,
                "The provider cannot issue tokens at the moment (HTTP \(status)).",
                "Try again in a while."
            )
        }
        switch error ?? "" {
        case "invalid_grant" where grant == .refreshToken:
            return make(
                .signInAgain,
                .invalidGrant,
                "The provider no longer accepts the refresh token.",
                "Let the buyer sign in again."
            )
        case "invalid_grant" where grant == .deviceCode:
            return make(
                .rejected,
                .invalidGrant,
                "The provider refused the device code.",
                "The code was used before, has expired, or was issued to another clientID. Start the login again."
            )
        case "invalid_grant":
            return make(
                .rejected,
                .invalidGrant,
                "The provider refused the authorization code.",
                "The code was used before or has expired, or redirectURI or the PKCE code verifier differ from the login's. "
                    + "Start the login again."
            )
        case "invalid_client":
            return make(
                .configuration,
                .invalidClient,
                "The provider does not know this client or refuses its secret.",
                "Check clientID, clientSecret and clientAuthentication. Sessions are kept."
            )
        case "unauthorized_client":
            return make(
                .configuration,
                .unauthorizedClient,
                "The provider does not let this client do that.",
                "Check that clientID names the right client, and what that client may do at the provider. Sessions are kept."
            )
        case "unsupported_grant_type":
            return make(
                .configuration,
                .unsupportedGrantType,
                "The provider does not offer this grant to this client.",
                "Check that clientID names the right client, and that it may use this grant at the provider. Sessions are kept."
            )
        case "invalid_scope":
            return make(
                .configuration,
                .invalidScope,
                "The provider refuses the scopes.",
                "Compare scopes with the scopes that the client may request at the provider."
            )
        case "invalid_request" where grant == .refreshToken:
            // Ory Hydra's word for two refreshes at once, and for what a retry can cure.
            return make(
                .retryLater,
                .invalidRequest,
                "The provider could not read the token request.",
                "Try again in a while."
            )
        case "invalid_request":
            return make(
                .rejected,
                .invalidRequest,
                "The provider could not read the token request.",
                "Compare clientID and redirectURI with the client's registration at the provider."
            )
        case "invalid_dpop_proof":
            return make(
                .configuration,
                .possessionProofRefused,
                "The provider refused the proof of possession.",
                "Compare this machine's clock with the provider's, and \(endpointMember) with the address in the provider's documentation.",
                reference: "RFC 9449 section 5"
            )
        case "use_dpop_nonce":
            return make(
                .retryLater,
                .possessionProofRefused,
                "The provider asked for a nonce in the proof of possession and gave none that could be used.",
                "Try again; if it goes on, the provider's servers do not know one another's nonces.",
                reference: "RFC 9449 section 8"
            )
        case "temporarily_unavailable", "server_error":
            return make(
                .retryLater,
                .providerUnavailable,
                "The provider cannot issue tokens at the moment.",
                "Try again in a while."
            )
        case "" where !isJSON || status == 401:
            // Proxies and outages answer with pages; none of them says that a token is dead.
            return make(
                .retryLater,
                .unexpectedResponse,
                "The \(endpoint) returned an unexpected response (HTTP \(status)).",
                "Check \(endpointMember), or issuer where it is discovered. If the address is right, try again later."
            )
        default:
            return make(
                .rejected,
                .unexpectedResponse,
                "The provider refused the token request (HTTP \(status)).",
                "Read providerAnswer of this error: it has the provider's explanation."
            )
        }
    }

    /// An error with what the provider said and how long it asks to wait.
    package func make(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ message: String,
        _ hint: String,
        reference: String = "RFC 6749 section 5.2"
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: reference,
            retryAfter: headers.retryAfter,
            providerAnswer: providerAnswer
        )
    }

    /// What the provider said, without what it was told.
    var providerAnswer: IdentityError.ProviderAnswer {
        IdentityError.ProviderAnswer(
            error: error.map(sent.hidden),
            errorDescription: errorDescription.map(sent.hidden),
            errorURI: errorURI.map(sent.hidden),
            status: status,
            traceID: (headers["X-Bolt-Trace-Id"] ?? headers["X-Request-Id"]).map(sent.hidden)
        )
    }
}

public import IdentityHTTP
public import IdentityKit

/// An error response of an endpoint that authenticates clients (RFC 6749 section 5.2), or another response that is not a success.
public struct TokenErrorResponse: Sendable {
    /// The grant type of the request.
    public var grant: TokenGrant
    /// The HTTP status.
    public var status: Int
    /// The response's headers.
    public var headers: HTTPHeaders
    /// The OAuth `error`; nil if the response has no `error` that is a string.
    public var error: String?
    /// `error_description`.
    public var errorDescription: String?
    /// `error_uri`.
    public var errorURI: String?
    /// Whether the body was a JSON object.
    public var isJSON: Bool
    /// The name of the header that identifies the request to the provider's support; if the header is missing, `X-Request-Id` is read.
    public var traceIDHeader = "X-Request-Id"
    /// The body if it is a JSON object, for providers with their own error format.
    package var object: JSONObject?
    /// The request's secrets, which no error may contain.
    package var redacted = RequestSecrets()
    package var endpoint = ProviderEndpoint.token

    /// Creates an error response, for tests of ``OpenIDQuirks/error(for:)``; `error` is nil for a response that is not JSON.
    public init(grant: TokenGrant, status: Int, headers: HTTPHeaders = HTTPHeaders(), error: String?) {
        self.grant = grant
        self.status = status
        self.headers = headers
        self.error = error
        isJSON = error != nil
    }

    init(
        _ response: HTTPResponse,
        _ object: JSONObject?,
        to grant: TokenGrant,
        from endpoint: ProviderEndpoint,
        hiding redacted: RequestSecrets
    ) {
        self.init(
            grant: grant,
            status: response.status,
            headers: response.headers,
            error: object?["error"]?.string
        )
        errorDescription = object?["error_description"]?.string
        errorURI = object?["error_uri"]?.string
        isJSON = object != nil
        self.object = object
        self.redacted = redacted
        self.endpoint = endpoint
    }

    /// Whether the provider may accept the same request later (``HTTPResponse/isOutage``).
    package var isOutage: Bool { HTTPResponse.isOutage(status) }

    /// The end of a hint about a rejected client: what happens to the session or its tokens.
    var consequence: String {
        endpoint == .revocation
            ? "The tokens may stay valid at the provider until they expire." : "Sessions are kept."
    }

    /// The hint after a temporary failure: a login with an authorization code must start again, because a code must not be sent twice.
    private var retryHint: String {
        grant == .authorizationCode ? "Start the login again later." : "Try again later."
    }

    /// The SDK's error for this response, by the error names of RFC 6749 section 5.2.
    ///
    /// Only `invalid_grant` for a refresh ends a session.
    public var standardError: IdentityError {
        if (300..<400).contains(status) {
            return make(
                .rejected,
                .redirectRefused,
                "The \(endpoint.name) returned a redirect, which was not followed.",
                "If the redirect leads to an address of the provider, set \(endpoint.member) to that address."
            )
        }
        if isOutage {
            return make(
                .retryLater,
                .providerUnavailable,
                "The provider cannot process the \(endpoint.request) at the moment (HTTP \(status)).",
                retryHint
            )
        }
        let name = isFailedAuthentication ? "invalid_client" : error ?? ""
        if name == "invalid_client" { return invalidClient }
        let (kind, code, message, hint): (IdentityError.Kind, IdentityError.Code, String, String) =
            switch name {
            case "invalid_grant" where grant == .refreshToken:
                (
                    .signInAgain, .invalidGrant, "The provider no longer accepts the refresh token.",
                    "Let the buyer sign in again."
                )
            case "invalid_grant" where grant == .deviceCode:
                (
                    .rejected, .invalidGrant, "The provider rejected the device code.",
                    "Start the login again. The device code was used before, has expired, or was issued to another clientID."
                )
            case "invalid_grant":
                (
                    .rejected, .invalidGrant, "The provider rejected the authorization code.",
                    "Start the login again. If every login fails this way, check that the code is exchanged only once, with the client, "
                        + "redirectURI and PKCE code verifier of the login."
                )
            case "unauthorized_client":
                (
                    .configuration, .unauthorizedClient,
                    "The provider does not permit the \(endpoint.request) of this client (unauthorized_client).",
                    "Compare clientID in the provider's configuration with the client's id at the provider. If they are equal, permit the "
                        + "\(endpoint.request) for this client in the provider's administration. \(consequence)"
                )
            case "unsupported_grant_type":
                (
                    .configuration, .unsupportedGrantType,
                    "The provider does not offer the requested grant type to this client (unsupported_grant_type).",
                    "Compare clientID in the provider's configuration with the client's id at the provider. If they are equal, permit this "
                        + "grant type for the client in the provider's administration, if the provider supports it. \(consequence)"
                )
            case "invalid_scope":
                (
                    .configuration, .invalidScope, "The provider rejected the scopes.",
                    "Look up which scopes the provider permits for this client. Remove every other scope from scopes in the provider's "
                        + "configuration and from LoginOptions.scopes."
                        + (grant == .refreshToken ? " Then let the buyer sign in again." : "")
                )
            case "invalid_request" where grant == .refreshToken:
                // Ory Hydra sends this error for two concurrent refreshes, and for failures after which a retry succeeds.
                (
                    .retryLater, .invalidRequest,
                    "The provider rejected the \(endpoint.request) as invalid (invalid_request).",
                    "Try again later."
                )
            case "invalid_request":
                (
                    .rejected, .invalidRequest,
                    "The provider rejected the \(endpoint.request) as invalid (invalid_request).",
                    grant == .deviceCode
                        ? "Compare clientID, scopes and the options of the login with the client's registration at the provider."
                        : "Compare clientID and redirectURI with the client's registration at the provider."
                )
            case "invalid_dpop_proof":
                (
                    .configuration, .dpopProofRefused, "The provider rejected the DPoP proof, or requires one.",
                    "Compare this machine's clock with the provider's clock. Compare \(endpoint.member) with the URL in the provider's "
                        + "documentation."
                )
            case "use_dpop_nonce":
                (
                    .retryLater, .dpopProofRefused, "The provider requires a DPoP nonce that the request did not have.",
                    "Try again. If a login failed, start the login again. If every attempt fails, report to the provider that its servers "
                        + "may not share their DPoP nonces."
                )
            case "temporarily_unavailable", "server_error":
                (
                    .retryLater, .providerUnavailable,
                    "The provider cannot process the \(endpoint.request) at the moment.",
                    retryHint
                )
            case "" where !isJSON || status == 401:
                // During an outage a proxy may return HTML, which does not show whether the token is still valid.
                (
                    .retryLater, .unexpectedResponse,
                    "The \(endpoint.name) returned an unexpected response (HTTP \(status)).",
                    status == 401
                        ? "\(retryHint) If every attempt fails, the client may be unknown or the address wrong. Check the client's id, "
                            + "and its secret or key, in the provider's configuration. \(endpoint.addressHint)"
                        : "\(retryHint) If every attempt fails, the address may be wrong. \(endpoint.addressHint)"
                )
            default:
                (
                    .rejected, .unexpectedResponse,
                    status < 300 && error == nil
                        ? "The \(endpoint.name) returned an unexpected response (HTTP \(status))."
                        : "The provider rejected the \(endpoint.request) (HTTP \(status)).",
                    (error ?? "").isEmpty && errorDescription == nil
                        ? "\(endpoint.addressHint) If the address is right, ask the provider for the reason."
                        : "Read providerResponse of this error: it contains the provider's explanation."
                )
            }
        let dpopSections = ["invalid_dpop_proof": "RFC 9449 section 5", "use_dpop_nonce": "RFC 9449 section 8"]
        return make(kind, code, message, hint, reference: dpopSections[name])
    }

    var invalidClient: IdentityError {
        make(
            .configuration,
            .invalidClient,
            "The provider does not know this client or rejected its authentication.",
            "Check clientID, clientAuthentication, and clientSecret or clientKey in the provider's configuration. \(consequence)"
        )
    }

    /// Whether the provider rejected the client's authentication, but reported it with the name of another error.
    ///
    /// Keycloak responds to a wrong secret with status 401. Its token endpoint sends `unauthorized_client`; its pushed authorization
    /// request endpoint sends `invalid_request`.
    private var isFailedAuthentication: Bool {
        guard status == 401 else { return false }
        return error == "unauthorized_client" || error == "invalid_request" && endpoint == .pushedAuthorization
    }

    /// Creates an error with the provider's explanation and its `Retry-After`.
    ///
    /// `message` says in one sentence what failed, and `hint` what the caller should do. `reference` is the section of a specification; nil
    /// names the section about this endpoint's errors.
    public func make(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ message: String,
        _ hint: String,
        reference: String? = nil
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: reference ?? endpoint.errorSection,
            retryAfter: headers.retryAfter,
            providerResponse: providerResponse
        )
    }

    /// The provider's explanation, without the request's secrets.
    var providerResponse: IdentityError.ProviderResponse {
        IdentityError.ProviderResponse(
            error: error,
            errorDescription: errorDescription,
            errorURI: errorURI,
            status: status,
            traceID: headers[traceIDHeader] ?? headers["X-Request-Id"]
        ).hiding(redacted)
    }
}

extension TokenErrorResponse: Redacted {
    /// The status; no text of the provider.
    public var description: String { "TokenErrorResponse(HTTP \(status))" }
}

/// The grant type of a token request; the meaning of some errors depends on it.
public enum TokenGrant: Sendable {
    /// An authorization code (RFC 6749 section 4.1.3).
    case authorizationCode
    /// A refresh token (RFC 6749 section 6).
    case refreshToken
    /// A device code (RFC 8628 section 3.4).
    case deviceCode
}

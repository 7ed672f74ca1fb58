internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Creates the errors for error responses of Bolt's token endpoint.
///
/// Bolt's documentation and recorded responses differ in the status (422 and 400 for the same error) and in the spelling
/// (`invalid _grant`). So the name in `error` decides, without regard to spaces and case; without `error`, an error object in Bolt's own
/// format decides. If neither is known, or if the status shows an outage (429 or 5xx), the status decides.
enum BoltTokenError {
    private static let known = [
        "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "invalid_request", "temporarily_unavailable", "server_error",
    ]

    static func error(for failure: TokenErrorResponse) -> IdentityError {
        if failure.error == nil, let refusal = failure.object.flatMap({ BoltErrorResponse($0) }) {
            return error(refusal, failure)
        }
        let name = String(
            decoding: (failure.error ?? "").utf8.filter { $0 > 0x20 }.map(ASCII.lowercased),
            as: UTF8.self
        )
        if name == "request_forbidden", !failure.isOutage {
            return failure.make(
                .configuration,
                .unauthorizedClient,
                "Bolt does not permit the token request of this merchant (request_forbidden).",
                "Check that publishableKey, and apiKey if it is set, belong to the configured environment. If they do, ask Bolt's "
                    + "support whether single sign-on is enabled for the merchant, and send the trace id in providerResponse to the "
                    + "support. Sessions are kept."
            )
        }
        guard known.contains(name) else { return failure.standardError }
        var normalized = failure
        normalized.error = name
        // Status 401 is kept: with it, `unauthorized_client` means that the client's authentication failed.
        if failure.status != 401, !failure.isOutage { normalized.status = 400 }
        let error = normalized.standardError
        return failure.make(error.kind, error.code, error.message, hint(for: error))
    }

    /// The error for a response in the format of Bolt's other APIs; it never ends a session, because only an OAuth error does.
    private static func error(_ refusal: BoltErrorResponse, _ failure: TokenErrorResponse) -> IdentityError {
        let isRedirect = (300..<400).contains(failure.status)
        // After an outage or a redirect, Bolt may have used the refresh token. Only an OAuth error would prove that Bolt has not used it.
        guard !failure.isOutage, !isRedirect, let name = refusal.code.map({ String($0) }) ?? refusal.name else {
            return failure.standardError
        }
        var failure = failure
        failure.error = name
        failure.errorDescription = refusal.message
        if refusal.code == BoltErrorResponse.wrongKeyCode {
            return failure.make(
                .configuration,
                .invalidClient,
                BoltErrorResponse.wrongKeyMessage,
                "\(BoltErrorResponse.wrongKeyHint) Sessions are kept."
            )
        }
        return failure.make(
            .rejected,
            .unexpectedResponse,
            "Bolt rejected the token request (HTTP \(failure.status)).",
            "Read providerResponse of this error: it contains Bolt's error and, if Bolt sent one, its explanation."
        )
    }

    // The standard hints name `clientID` and `clientSecret`, which a Bolt configuration does not have.
    private static func hint(for error: IdentityError) -> String {
        switch error.code {
        case .invalidClient:
            "\(BoltErrorResponse.wrongKeyHint) If they do, try the other value of clientIDForm. Sessions are kept."
        case .unauthorizedClient, .unsupportedGrantType:
            "Check publishableKey and environment, and ask Bolt which grants the merchant may use. Sessions are kept."
        case .invalidRequest where error.kind == .rejected:
            "Compare publishableKey, clientIDForm and redirectURI with the merchant's settings at Bolt."
        default: error.hint ?? ""
        }
    }
}

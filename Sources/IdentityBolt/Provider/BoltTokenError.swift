internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// The meaning of error responses of Bolt's token endpoint.
///
/// Bolt's documentation and recorded responses differ in the status (422 and 400 for one error) and in the spelling
/// (`invalid _grant`). So the error name decides, compared without spaces and without case. The status decides only if there is no
/// name, if it is 401 (a failed authentication of the client), or if it shows an outage (429 and 5xx).
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
        if name == "request_forbidden" {
            return failure.make(
                .configuration,
                .unauthorizedClient,
                "Bolt does not permit this merchant to use single sign-on.",
                "Check that publishableKey and apiKey belong to the configured environment. If they do, ask Bolt's support to "
                    + "enable single sign-on for the merchant, with the trace id in providerResponse. Sessions are kept."
            )
        }
        guard known.contains(name) else { return failure.standardError }
        var normalized = failure
        normalized.error = name
        if failure.status != 401, !failure.isOutage { normalized.status = 400 }
        let error = normalized.standardError
        return failure.make(error.kind, error.code, error.message, hint(for: error))
    }

    /// The meaning of an error in one of the formats of Bolt's other APIs; only an OAuth error ends a session.
    private static func error(_ refusal: BoltErrorResponse, _ failure: TokenErrorResponse) -> IdentityError {
        let isRedirect = (300..<400).contains(failure.status)
        // With such a status, only an OAuth error shows that the refresh token was not used.
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
            "Read providerResponse of this error: it contains Bolt's explanation."
        )
    }

    /// Bolt's configuration has its own names for client id and secret.
    private static func hint(for error: IdentityError) -> String {
        switch error.code {
        case .invalidClient:
            "\(BoltErrorResponse.wrongKeyHint) Sessions are kept."
        case .unauthorizedClient, .unsupportedGrantType:
            "Check that publishableKey belongs to the configured environment, and ask Bolt what the merchant may do. Sessions are kept."
        case .invalidRequest where error.kind == .rejected:
            "Compare publishableKey, clientIDForm and redirectURI with the merchant's settings at Bolt."
        default: error.hint ?? ""
        }
    }
}

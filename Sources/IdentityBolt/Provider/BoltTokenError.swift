internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// What a refusal of Bolt's token endpoint means.
///
/// Its pages and its recorded answers disagree about the status (422 and 400 for one error) and even the spelling
/// (`invalid _grant`): the name decides, without blanks and case, and the status only where there is none.
enum BoltTokenError {
    private static let known = [
        "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "invalid_request", "temporarily_unavailable", "server_error",
    ]

    static func error(_ failure: TokenFailure) -> IdentityError {
        let name = String(
            decoding: (failure.error ?? "").utf8.filter { $0 > 0x20 }.map(ASCII.lowercased),
            as: UTF8.self
        )
        if name == "request_forbidden" {
            return failure.make(
                .configuration,
                .unauthorizedClient,
                "Bolt does not let this merchant do that.",
                "Bolt has to switch single sign-on on for the merchant; ask its support, with the trace id. Check also that "
                    + "publishableKey and apiKey belong to environment."
            )
        }
        guard known.contains(name) else { return failure.standardError }
        var named = failure
        named.error = name
        named.status = 400
        let meaning = named.standardError
        return failure.make(meaning.kind, meaning.code, meaning.message, hint(for: meaning))
    }

    /// Bolt's configuration has other names for the client's id and secret than OpenID Connect.
    private static func hint(for meaning: IdentityError) -> String {
        switch meaning.code {
        case .invalidClient:
            "Check publishableKey and apiKey, and that both belong to environment. Sessions are kept."
        case .unauthorizedClient, .unsupportedGrantType:
            "Check that publishableKey belongs to environment, and ask Bolt what the merchant may do. Sessions are kept."
        default: meaning.hint ?? ""
        }
    }
}

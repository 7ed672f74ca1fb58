internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// What a refusal of Bolt's token endpoint means.
///
/// Its pages and its recorded answers disagree about the status (422 and 400 for one error) and even the spelling
/// (`invalid _grant`): the name decides, without blanks and case, and the status only where there is none.
enum BoltTokenRefusal {
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
                    + "keys and environment belong together."
            )
        }
        guard known.contains(name) else { return failure.standardError }
        var named = failure
        named.error = name
        named.status = 400
        let meaning = named.standardError
        return failure.make(meaning.kind, meaning.code, meaning.message, meaning.hint ?? "")
    }
}

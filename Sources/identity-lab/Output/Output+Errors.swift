internal import IdentityKit

extension Output {
    /// Prints an error: with `--json` as an event, otherwise as message and hint on standard error.
    func error(_ error: IdentityError, isVerbose: Bool) {
        guard isJSON else {
            note("identity-lab: \(error.message.printable)")
            if let hint = error.hint { note("  \(hint.printable)") }
            if isVerbose { note(details(of: error)) }
            return
        }
        event(
            "error",
            [
                "kind": .string(error.kind.rawValue),
                "code": .string(error.code.rawValue),
                "message": .string(error.message),
                "hint": error.hint.map { .string($0) } ?? .null,
                "correlation_id": .string(error.correlationID),
            ],
            text: ""
        )
        if isVerbose { note(details(of: error)) }
    }

    /// Prints a warning of a successful command on standard error.
    func warning(_ warning: IdentityError) {
        note("identity-lab: \(warning.message.printable)")
        if let hint = warning.hint { note("  \(hint.printable)") }
    }

    private func details(of error: IdentityError) -> String {
        var parts = ["\(error.kind.rawValue)/\(error.code.rawValue)", "correlation id \(error.correlationID)"]
        if let reference = error.reference { parts.append(reference) }
        if let answer = error.providerAnswer {
            if let status = answer.status { parts.append("the provider answered with status \(status)") }
            // Only standard error codes: other text of a provider may repeat secrets of the request.
            if let code = answer.error, Self.standardErrors.contains(code) { parts.append("its error is \(code)") }
        }
        // Causes contain no secrets; the limit keeps the output short.
        if let cause = error.cause { parts.append("because: \("\(cause)".prefix(300).printable)") }
        return "  [\(parts.joined(separator: ", "))]"
    }

    /// The error codes of RFC 6749 sections 4.1.2.1 and 5.2, and of OpenID Connect Core section 3.1.2.6.
    private static let standardErrors: Set<String> = [
        "access_denied", "account_selection_required", "consent_required", "interaction_required", "invalid_client",
        "invalid_grant", "invalid_request", "invalid_scope", "login_required", "server_error",
        "temporarily_unavailable",
        "unauthorized_client", "unsupported_grant_type", "unsupported_response_type",
    ]
}

internal import IdentityKit

extension Output {
    func error(_ error: IdentityError, isVerbose: Bool) {
        guard isJSON else {
            note("identity-lab: \(error.message.printable)")
            if error.isAttackSuspected { note("  An attack is suspected.") }
            if let hint = error.hint { note("  \(hint.printable)") }
            if let answer = error.providerResponse, let line = line(about: answer) { note("  \(line)") }
            if isVerbose {
                note(details(of: error))
            } else if error.cause != nil {
                // Some hints refer to the cause of the error, which is printed only with --verbose.
                note("  With --verbose, the command also prints the cause.")
            }
            return
        }
        var members: JSONObject = [
            "kind": .string(error.kind.rawValue),
            "code": .string(error.code.rawValue),
            "message": .string(error.message),
            "hint": error.hint.map { .string($0) } ?? .null,
            "correlation_id": .string(error.correlationID),
            "provider_error": (error.providerResponse?.error).map { .string($0.printable) } ?? .null,
            "provider_error_description":
                (error.providerResponse?.errorDescription).map { .string($0.printable) } ?? .null,
            "provider_status": (error.providerResponse?.status).map { .integer($0) } ?? .null,
        ]
        if error.isAttackSuspected { members["attack_suspected"] = .bool(true) }
        members["cause"] = cause(of: error).map { .string($0) }
        event("error", members)
        if isVerbose { note(details(of: error)) }
    }

    func warning(_ warning: IdentityError) {
        note("identity-lab: \(warning.message.printable)")
        if let hint = warning.hint { note("  \(hint.printable)") }
    }

    private func details(of error: IdentityError) -> String {
        var parts = ["\(error.kind.rawValue)/\(error.code.rawValue)", "correlation id \(error.correlationID)"]
        if let reference = error.reference { parts.append(reference) }
        if let cause = cause(of: error) { parts.append("because: \(cause)") }
        return "  [\(parts.joined(separator: ", "))]"
    }

    /// Returns at most 300 characters of an error's cause; causes contain no secrets.
    private func cause(of error: IdentityError) -> String? {
        error.cause.map { String("\($0)".printable.prefix(300)) }
    }

    /// The SDK has already shortened each text to 500 Unicode scalars, and replaced the request's secrets of at least 6 bytes by `…`.
    private func line(about answer: IdentityError.ProviderResponse) -> String? {
        let texts = [answer.error, answer.errorDescription].compactMap { $0?.printable }.filter { !$0.isEmpty }
        let status = answer.status.map { "HTTP \($0)" }
        guard !texts.isEmpty else { return status.map { "The provider responded with status \($0)." } }
        return "The provider said\(status.map { " (\($0))" } ?? ""): \(texts.joined(separator: ": "))"
    }
}

internal import IdentityKit

/// A command line that cannot be followed.
struct UsageError: Error {
    let message: String
    let hint: String

    init(_ message: String, suggestion: String? = nil, command: (any Command.Type)? = nil) {
        let help = command.map { "identity-lab \($0.name) --help" } ?? "identity-lab --help"
        let meant = suggestion.map { "Did you mean \($0)? " } ?? ""
        self.message = message
        hint = "\(meant)Run \"\(help)\"."
    }

    /// The same as the SDK's errors are shown.
    var identityError: IdentityError {
        IdentityError(.configuration, IdentityError.Code(rawValue: "usage_invalid"), message, hint: hint)
    }
}

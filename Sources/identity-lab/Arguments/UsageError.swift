internal import IdentityKit

/// An error in the command line; the hint names the command that prints the help.
struct UsageError: Error {
    let message: String
    let hint: String

    init(_ message: String, suggestion: String? = nil, command: (any Command.Type)? = nil) {
        let words = ["identity-lab", command?.name ?? "", "--help"]
        let help = words.filter { !$0.isEmpty }.joined(separator: " ")
        let correction = suggestion.map { "Did you mean \($0)? " } ?? ""
        self.message = message
        hint = "\(correction)Run \"\(help)\" for usage."
    }

    /// This error as an `IdentityError`, because the output prints errors of this type.
    var identityError: IdentityError {
        IdentityError(.configuration, IdentityError.Code(rawValue: "usage_invalid"), message, hint: hint)
    }
}

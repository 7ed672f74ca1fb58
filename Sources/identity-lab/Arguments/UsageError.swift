internal import IdentityKit

struct UsageError: Error {
    let message: String
    private let suggestion: String?
    /// The command whose help the hint names; nil for the help of the program.
    var command: (any Command.Type)?

    init(_ message: String, suggestion: String? = nil, command: (any Command.Type)? = nil) {
        self.message = message
        self.suggestion = suggestion
        self.command = command
    }

    var hint: String {
        let words = ["identity-lab", command?.name ?? "", "--help"]
        let help = words.filter { !$0.isEmpty }.joined(separator: " ")
        let correction = suggestion.map { "Did you mean \($0)? " } ?? ""
        return "\(correction)Run \"\(help)\" for usage."
    }

    var identityError: IdentityError {
        IdentityError(.configuration, IdentityError.Code(rawValue: "usage_invalid"), message, hint: hint)
    }
}

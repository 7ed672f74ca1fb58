internal import IdentityKit

/// The exit statuses of the program; keep them equal to the text in `Help`.
enum ExitStatus {
    static let done: Int32 = 0
    /// The command did its work, but its output could not be written.
    static let outputIncomplete: Int32 = 1
    /// Success, but an operator must act, because new tokens could not be stored or work was still in progress at its time limit.
    static let operatorMustAct: Int32 = 3

    static func of(_ kind: IdentityError.Kind) -> Int32 {
        switch kind {
        case .rejected, .signInAgain: 1
        case .configuration: 2
        case .retryLater: 75
        case .cancelled: 130
        }
    }
}

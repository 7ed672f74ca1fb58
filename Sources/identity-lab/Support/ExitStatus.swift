internal import IdentityKit

/// What the program leaves behind for the script that called it.
enum ExitStatus {
    static let done: Int32 = 0
    /// Done, but an operator must act: new tokens are stored nowhere durable.
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

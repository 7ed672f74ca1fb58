internal import IdentityKit

extension IdentityError {
    /// The same error, of something that went wrong after the token endpoint had answered.
    ///
    /// Without the failure of the other endpoint: who finds it there takes the token request for unanswered, and sends a token again
    /// that is spent.
    var behindTokenAnswer: IdentityError {
        guard kind == .retryLater else { return self }
        return IdentityError(kind, code, message, hint: hint, reference: reference, retryAfter: retryAfter)
    }
}

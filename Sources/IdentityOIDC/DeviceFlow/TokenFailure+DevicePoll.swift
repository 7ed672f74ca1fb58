internal import IdentityKit

extension TokenFailure {
    /// What a poll came to that brought no tokens (RFC 8628 section 3.5).
    ///
    /// The words count in whatever answer of the client's fault they stand, for providers send them with 200, 403, 428 and 429;
    /// in a server's fault they count for nothing.
    ///
    /// - Throws: `IdentityError` when the login has ended.
    func devicePoll(classify: (TokenFailure) -> IdentityError) throws(IdentityError) -> DevicePoll {
        if status < 300 || (400..<500).contains(status) {
            switch error ?? "" {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            case "expired_token":
                throw make(
                    .rejected,
                    .attemptExpired,
                    "The code expired before the buyer signed in.",
                    "Start the login again.",
                    reference: "RFC 8628 section 3.5"
                )
            case "access_denied":
                throw AuthorizationErrorResponse.error(for: providerAnswer)
            default: break
            }
        }
        let refusal = classify(self)
        guard refusal.kind == .retryLater else { throw refusal }
        return .unanswered(refusal)
    }
}

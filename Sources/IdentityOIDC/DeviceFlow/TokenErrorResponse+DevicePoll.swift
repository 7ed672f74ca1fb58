internal import IdentityKit

extension TokenErrorResponse {
    /// The outcome of a poll whose response contains no tokens (RFC 8628 section 3.5).
    ///
    /// The error names of RFC 8628 are read in responses with status 2xx and 4xx, because some providers send them with 200, 403, 428
    /// or 429. They are ignored in 3xx and 5xx responses.
    ///
    /// - Throws: `IdentityError` when the login has failed, for example because the buyer refused or the code expired.
    func devicePoll(classify: (TokenErrorResponse) -> IdentityError) throws(IdentityError) -> DevicePoll {
        if status < 300 || (400..<500).contains(status) {
            switch error ?? "" {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            case "expired_token":
                throw make(
                    .rejected,
                    .attemptExpired,
                    "The device code expired before the buyer signed in.",
                    "Start the login again.",
                    reference: "RFC 8628 section 3.5"
                )
            case "access_denied":
                throw AuthorizationErrorResponse.error(for: providerResponse, reference: "RFC 8628 section 3.5")
            default: break
            }
        }
        let refusal = classify(self)
        guard refusal.kind == .retryLater else { throw refusal }
        return .unanswered(refusal)
    }
}

internal import FoundationEssentials
internal import IdentityKit

/// How one kind of signed token is refused.
struct SignedTokenErrors: Sendable {
    /// What errors call the token.
    let token: String
    /// What errors advise.
    let hint: String

    /// An error; a section is one of OpenID Connect Core, unless a specification stands before it.
    func error(_ code: IdentityError.Code, _ problem: String, _ section: String) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The \(token) \(problem).",
            hint: hint,
            reference: section.hasPrefix("section") ? "OpenID Connect Core \(section)" : section
        )
    }

    /// An error with code `id_token_time` whose hint names this machine's clock, which may be the one that is wrong.
    ///
    /// - Parameters:
    ///   - problem: What is wrong with the token.
    ///   - claim: What the time in the token says, as a verb phrase.
    ///   - time: The time in the token.
    ///   - now: What this machine's clock says.
    ///   - section: As above.
    func error(_ problem: String, _ claim: String, _ time: Date, now: Date, _ section: String) -> IdentityError {
        let clock =
            "This machine's clock says \(now.formatted(.iso8601)); the token \(claim) \(time.formatted(.iso8601))."
        return SignedTokenErrors(token: token, hint: "\(clock) Set this clock by NTP if it is wrong. \(hint)")
            .error(.idTokenTime, problem, section)
    }
}

internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

struct SignedTokenErrors: Sendable {
    /// The token's name in errors.
    let token: String
    /// The end of the hint of every error that this type creates.
    let hint: String

    /// Creates an error; `section` belongs to OpenID Connect Core unless it names another specification, and `hint` follows `advice`.
    func error(
        _ code: IdentityError.Code,
        _ problem: String,
        _ section: String,
        advice: String? = nil
    ) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The \(token) \(problem).",
            hint: advice.map { "\($0) \(hint)" } ?? hint,
            reference: section.hasPrefix("section") ? "OpenID Connect Core \(section)" : section
        )
    }

    /// An error with code `id_token_time` whose hint shows this machine's clock, which may be wrong.
    ///
    /// `statement` is what the token says about `time`, for example "expires at". `now` is the clock's time at the token's receipt: the
    /// current time or, if `isStored` is true, a stored time.
    func error(
        _ problem: String,
        _ statement: String,
        _ time: Date,
        now: Date,
        _ section: String,
        isStored: Bool = false
    ) -> IdentityError {
        let reading =
            isStored ? "said \(now.formatted(.iso8601)) when the token was received" : "says \(now.formatted(.iso8601))"
        let clock =
            "Compare the clocks of this machine and of the provider. "
            + "This machine's clock \(reading); the token \(statement) \(time.formatted(.iso8601)). "
            + "If this machine's clock is wrong, set the clock by NTP. Otherwise report the token's times to the provider."
        return error(.idTokenTime, problem, section, advice: clock)
    }
}

/// Prepares a name from a token or a client key for an error message, for example an algorithm or an audience.
///
/// An attacker may have chosen the name. So a text that is longer than 128 bytes, or has characters that a name or URL does not need, is
/// shown as "…".
enum LoggableName {
    static func shown(_ name: String) -> String {
        let isName =
            (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { ASCII.unreserved.contains($0) || ":/".utf8.contains($0) }
        return isName ? name : "…"
    }

    static func shown(_ names: [String]) -> String {
        names.prefix(4).map { shown($0) }.joined(separator: ", ") + (names.count > 4 ? ", …" : "")
    }
}

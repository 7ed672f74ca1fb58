internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// Keeps the attempts of logins whose callback this process has checked, at least until their codes have expired.
///
/// The code exchange needs the attempt's nonce and redirect URI. ``BoltLoginResult`` does not contain them, because Bolt's SDK defines the
/// members of this result.
final class CheckedAttempts: Sendable {
    /// The lifetime of Bolt's authorization codes, in seconds.
    private static let codeLifetime = 300.0

    private let maximum: Int
    private let attempts = Mutex<[(attempt: LoginAttempt, end: Date)]>([])

    init(maximum: Int = 10_000) {
        self.maximum = maximum
    }

    /// Adds an attempt; throws an error if `maximum` attempts whose codes are still valid are already kept.
    ///
    /// The oldest attempt stays: otherwise an attacker could send many callbacks until a login's nonce is removed, and use a stolen code
    /// without a check of the nonce.
    func add(_ attempt: LoginAttempt, at now: Date) throws(IdentityError) {
        let isAdded = attempts.withLock { attempts in
            attempts.removeAll { $0.end < now || $0.attempt.state.isEqual(to: attempt.state) }
            guard attempts.count < maximum else { return false }
            attempts.append((attempt, now + Self.codeLifetime))
            return true
        }
        guard isAdded else {
            throw IdentityError(
                .retryLater,
                .providerUnavailable,
                "This process has checked the callbacks of \(maximum) logins in the last five minutes, which is the limit.",
                hint:
                    "Start the login again in five minutes. If this error happens often, limit in the app how many Bolt logins one IP "
                    + "address may start.",
                reference: "RFC 9700 section 4.5.3"
            )
        }
    }

    // The attempt stays stored, because the app may repeat an exchange that failed before its request was sent. An attempt whose code has
    // expired is returned too: without an attempt, the exchange would not check the nonce of the ID token.
    func attempt(_ state: Secret) -> LoginAttempt? {
        attempts.withLock { attempts in attempts.first { $0.attempt.state.isEqual(to: state) }?.attempt }
    }
}

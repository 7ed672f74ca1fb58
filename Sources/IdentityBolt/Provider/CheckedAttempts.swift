internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The attempts of logins whose callback was checked in this process, until their codes have expired.
///
/// The code exchange needs an attempt's nonce and redirect URI. A ``BoltLoginResult`` contains neither, because Bolt's SDK defines its
/// members.
final class CheckedAttempts: Sendable {
    /// A code of Bolt is valid for five minutes.
    private static let codeLifetime = 300.0

    private let maximum: Int
    private let attempts = Mutex<[(attempt: LoginAttempt, end: Date)]>([])

    init(maximum: Int = 10_000) {
        self.maximum = maximum
    }

    /// Keeps an attempt until its code has expired.
    ///
    /// If `maximum` attempts are kept, a new one is refused. If the oldest were removed instead, a flood of callbacks could remove the
    /// nonce with which a stolen code is detected.
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
                    "Start the login again in five minutes. If this error happens often, limit how many logins one client address may "
                    + "start (loginLimit of SignInRoutes).",
                reference: "RFC 9700 section 4.5.3"
            )
        }
    }

    /// The attempt with this state; nil if none was added, or if it was removed.
    ///
    /// The attempt is kept, because an exchange that failed before its request was sent may be repeated.
    func attempt(_ state: Secret) -> LoginAttempt? {
        attempts.withLock { attempts in attempts.first { $0.attempt.state.isEqual(to: state) }?.attempt }
    }
}

internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The attempts of logins whose callback was checked in this process, until their codes are exchanged.
///
/// A ``BoltLoginResult`` contains neither nonce nor redirect URI, because Bolt's SDK defines its members.
final class CheckedAttempts: Sendable {
    /// A code of Bolt is valid for five minutes.
    private static let codeLifetime = 300.0
    private static let maximum = 1024

    private let attempts = Mutex<[(attempt: LoginAttempt, end: Date)]>([])

    func add(_ attempt: LoginAttempt, at now: Date) {
        attempts.withLock { attempts in
            attempts.removeAll { $0.end < now || $0.attempt.state.isEqual(to: attempt.state) }
            if attempts.count >= Self.maximum { attempts.removeFirst() }
            attempts.append((attempt, now + Self.codeLifetime))
        }
    }

    func take(_ state: Secret) -> LoginAttempt? {
        attempts.withLock { attempts in
            guard let index = attempts.firstIndex(where: { $0.attempt.state.isEqual(to: state) }) else { return nil }
            return attempts.remove(at: index).attempt
        }
    }
}

internal import FoundationEssentials
internal import IdentityKit

/// The logins that an ``AuthClient`` started, by state: each is valid for one callback and ten minutes.
///
/// There are several, so that a login in a second tab does not replace the first.
struct PendingLogins: Sendable {
    /// The login of a callback's state.
    enum Match: Sendable {
        case pending(LoginAttempt)
        /// A login whose callback was handled before.
        case repeated
        case unknown
    }

    /// A login whose callback was checked and whose code was not exchanged yet.
    struct CheckedLogin: Sendable {
        let code: Secret
        let callback: LoginCallback
        let attempt: LoginAttempt
    }

    private static let capacity = 64
    private var pending: [LoginAttempt] = []
    private var checked: [CheckedLogin] = []
    private var ended: [Secret] = []

    mutating func add(_ attempt: LoginAttempt, at now: Date) {
        pending.removeAll { $0.expiresAt <= now }
        Self.append(attempt, to: &pending)
    }

    /// Removes and returns the login of a callback; the same callback is a repeated one afterwards.
    mutating func take(state: Secret, at now: Date) -> Match {
        pending.removeAll { $0.expiresAt <= now }
        if let index = pending.firstIndex(where: { $0.state.isEqual(to: state) }) {
            Self.append(state, to: &ended)
            return .pending(pending.remove(at: index))
        }
        return ended.contains { $0.isEqual(to: state) } ? .repeated : .unknown
    }

    mutating func add(_ login: CheckedLogin) {
        Self.append(login, to: &checked)
    }

    /// Removes and returns the checked login of a code, or the pending login that was started with this code verifier.
    mutating func take(
        code: Secret,
        verifier: Secret?,
        at now: Date
    ) -> (attempt: LoginAttempt, callback: LoginCallback?)? {
        func isOwn(_ attempt: LoginAttempt) -> Bool {
            guard let verifier else { return true }
            return attempt.codeVerifier.map { $0.isEqual(to: verifier) } ?? false
        }
        checked.removeAll { $0.attempt.expiresAt <= now }
        if let index = checked.firstIndex(where: { $0.code.isEqual(to: code) && isOwn($0.attempt) }) {
            let login = checked.remove(at: index)
            return (login.attempt, login.callback)
        }
        guard let verifier else { return nil }
        guard
            let attempt = pending.first(where: {
                $0.expiresAt > now && ($0.codeVerifier.map { $0.isEqual(to: verifier) } ?? false)
            })
        else { return nil }
        _ = take(state: attempt.state, at: now)
        return (attempt, nil)
    }

    /// Whether a pending login waits for its callback at this redirect URI.
    func awaits(_ redirectURI: (String) -> Bool) -> Bool {
        pending.contains { $0.redirectURI.map(redirectURI) ?? false }
    }

    private static func append<Element>(_ element: Element, to list: inout [Element]) {
        if list.count >= capacity { list.removeFirst(list.count - capacity + 1) }
        list.append(element)
    }
}

internal import FoundationEssentials
internal import IdentityKit

/// The logins that an ``AuthClient`` has begun: kept by state, each good for one callback and ten minutes.
///
/// One slot for "the" login would let a second tab overwrite the first.
struct PendingLogins: Sendable {
    /// What a callback's state leads to.
    enum Match: Sendable {
        case pending(LoginAttempt)
        /// A login whose callback came before: nothing more is to be said about it.
        case repeated
        case unknown
    }

    /// A callback that was checked and waits for its code to be exchanged.
    struct Answered: Sendable {
        let code: Secret
        let callback: LoginCallback
        let attempt: LoginAttempt
    }

    private static let capacity = 64
    private var pending: [LoginAttempt] = []
    private var answered: [Answered] = []
    private var ended: [Secret] = []

    mutating func add(_ attempt: LoginAttempt, at now: Date) {
        pending.removeAll { $0.expiresAt <= now }
        Self.append(attempt, to: &pending)
    }

    /// Takes the login that a callback belongs to; from then on the callback is a repeated one.
    mutating func take(state: Secret, at now: Date) -> Match {
        pending.removeAll { $0.expiresAt <= now }
        if let index = pending.firstIndex(where: { $0.state.isEqual(to: state) }) {
            Self.append(state, to: &ended)
            return .pending(pending.remove(at: index))
        }
        return ended.contains { $0.isEqual(to: state) } ? .repeated : .unknown
    }

    mutating func add(_ answer: Answered) {
        Self.append(answer, to: &answered)
    }

    /// Takes the answered login of a code, or with a verifier of its own the pending login that was begun with it.
    mutating func take(
        code: Secret,
        verifier: Secret?,
        at now: Date
    ) -> (attempt: LoginAttempt, callback: LoginCallback?)? {
        func isOwn(_ attempt: LoginAttempt) -> Bool {
            guard let verifier else { return true }
            return attempt.codeVerifier.map { $0.isEqual(to: verifier) } ?? false
        }
        answered.removeAll { $0.attempt.expiresAt <= now }
        if let index = answered.firstIndex(where: { $0.code.isEqual(to: code) && isOwn($0.attempt) }) {
            let login = answered.remove(at: index)
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

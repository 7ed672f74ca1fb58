internal import FoundationEssentials
internal import IdentityKit

/// The pending logins of an ``AuthClient``: at most 64, so a further login ends the oldest login.
///
/// A login is valid for one callback, for at most ten minutes, and not after a logout. Several logins can be pending, so that a login in a
/// second browser tab does not end the login in the first tab.
struct PendingLogins: Sendable {
    enum Match: Sendable {
        case pending(LoginAttempt)
        /// A callback with this state was handled before.
        case repeated
        case unknown
    }

    enum CodeOwner: Sendable {
        /// `AuthClient.handleCallback` has checked the callback and returned the code.
        case checked(CheckedLogin)
        /// The client has started the login, and the app has read the code from the callback itself.
        case pending(LoginAttempt)
        /// The app has built the authorization URL itself, with this code verifier.
        case app(verifier: Secret)
        case repeated
        case unknown
    }

    struct CheckedLogin: Sendable {
        let code: Secret
        let callback: LoginCallback
        let attempt: LoginAttempt
    }

    private static let capacity = 64
    private var pending: [LoginAttempt] = []
    private var checked: [CheckedLogin] = []
    /// The states, code verifiers and codes that must not be used again, at most the latest 192.
    private var ended: [Secret] = []
    /// The latest 64 states that belonged to no login; a separate list, so that forged callbacks remove no entry of `ended`.
    private var unknown: [Secret] = []
    /// The latest verifier from ``AuthClient/generateCodeVerifier()``, until it is used or has expired.
    private var offered: (verifier: Secret, until: Date)?
    /// The latest 64 verifiers from ``AuthClient/generateCodeVerifier()``; a logout ends all of them.
    private var generated: [Secret] = []

    mutating func add(_ attempt: LoginAttempt, at now: Date) {
        removeExpired(at: now)
        if pending.count >= Self.capacity { _ = removePending(at: 0) }
        pending.append(attempt)
    }

    /// Records a code verifier that the app may use for an authorization URL of its own.
    mutating func recordVerifier(_ verifier: Secret, until end: Date) {
        // An empty verifier means that the system returned no random bytes.
        offered = verifier.isEmpty ? nil : (verifier, end)
        if !verifier.isEmpty { Self.append(verifier, to: &generated) }
    }

    mutating func take(state: Secret, at now: Date) -> Match {
        removeExpired(at: now)
        if let index = pending.firstIndex(where: { $0.state.isEqual(to: state) }) {
            end(state)
            return .pending(removePending(at: index))
        }
        guard !(ended + unknown).contains(where: { $0.isEqual(to: state) }) else { return .repeated }
        Self.append(state, to: &unknown)
        return .unknown
    }

    mutating func add(_ login: CheckedLogin) {
        Self.append(login, to: &checked)
    }

    mutating func endAll() {
        while !pending.isEmpty { _ = removePending(at: 0) }
        checked = []
        for verifier in generated where !ended.contains(where: { $0.isEqual(to: verifier) }) { end(verifier) }
        generated = []
        offered = nil
    }

    /// Removes and returns the login of a code; `repeated` if the code was passed before.
    ///
    /// The login of a code from `AuthClient.handleCallback` is known; the result is `unknown` if `verifier` belongs to another login. The
    /// login of another code is found by `verifier` or, if `verifier` is nil and `usesRecorded` is true, by the latest recorded verifier.
    /// Without a verifier, or if the verifier was used before or its login has ended, the result is `unknown`.
    mutating func take(code: Secret, verifier: Secret?, orRecorded usesRecorded: Bool, at now: Date) -> CodeOwner {
        removeExpired(at: now)
        guard !ended.contains(where: { $0.isEqual(to: code) }) else { return .repeated }
        let owner = owner(of: code, verifier, orRecorded: usesRecorded)
        if case .unknown = owner { return owner }
        end(code)
        return owner
    }

    private mutating func owner(of code: Secret, _ verifier: Secret?, orRecorded usesRecorded: Bool) -> CodeOwner {
        func isOwn(_ attempt: LoginAttempt, _ verifier: Secret) -> Bool {
            attempt.codeVerifier?.isEqual(to: verifier) ?? false
        }
        if let index = checked.firstIndex(where: { $0.code.isEqual(to: code) }) {
            let isItsVerifier = verifier.map { isOwn(checked[index].attempt, $0) } ?? true
            return isItsVerifier ? .checked(checked.remove(at: index)) : .unknown
        }
        guard let verifier = verifier ?? (usesRecorded ? offered?.verifier : nil) else { return .unknown }
        if let index = pending.firstIndex(where: { isOwn($0, verifier) }) {
            let attempt = removePending(at: index)
            end(attempt.state)
            return .pending(attempt)
        }
        guard !ended.contains(where: { $0.isEqual(to: verifier) }) else { return .unknown }
        end(verifier)
        return .app(verifier: verifier)
    }

    func awaits(_ redirectURI: (String) -> Bool) -> Bool {
        pending.contains { $0.redirectURI.map(redirectURI) ?? false }
    }

    private mutating func removeExpired(at now: Date) {
        while let index = pending.firstIndex(where: { $0.expiresAt <= now }) { _ = removePending(at: index) }
        checked.removeAll { $0.attempt.expiresAt <= now }
        if let until = offered?.until, until <= now { offered = nil }
    }

    private mutating func removePending(at index: Int) -> LoginAttempt {
        let attempt = pending.remove(at: index)
        if let verifier = attempt.codeVerifier { end(verifier) }
        return attempt
    }

    private mutating func end(_ secret: Secret) {
        if offered?.verifier.isEqual(to: secret) == true { offered = nil }
        Self.append(secret, to: &ended, capacity: 3 * Self.capacity)
    }

    private static func append<Element>(
        _ element: Element,
        to list: inout [Element],
        capacity: Int = PendingLogins.capacity
    ) {
        if list.count >= capacity { list.removeFirst(list.count - capacity + 1) }
        list.append(element)
    }
}

internal import IdentityKit

/// Tells on standard error what happens to logins and sessions.
struct EventPrinter: IdentityObserver {
    let output: Output

    func identityEvent(_ event: IdentityEvent) {
        let session = event.session.map { " session \($0)" } ?? ""
        output.note(
            "· \(words(event.kind)) provider \(event.provider.printable)\(session) in \(event.duration.readable), "
                + "correlation id \(event.correlationID)"
        )
    }

    private func words(_ kind: IdentityEvent.Kind) -> String {
        switch kind {
        case .loginStarted: "login started"
        case .loginCompleted: "login completed"
        case .loginFailed(let code): "login failed (\(code))"
        case .loginTokensDropped(true): "tokens of a failed login revoked"
        case .loginTokensDropped(false): "tokens of a failed login not revoked"
        case .renewed(let outcome): "token renewed (\(outcome.rawValue))"
        case .renewalFailed(let code): "renewal failed (\(code))"
        case .renewalInDoubt: "an answer was lost, asking again"
        case .renewalRepaired: "renewal repaired"
        case .lockWaited: "waited for another process"
        case .providerPaused(let pause): "provider left alone for \(pause.readable)"
        case .providerResumed: "provider answers again"
        case .storeFailed(let code): "the store failed (\(code))"
        case .tokensSpooled: "new tokens put aside until the store takes them"
        case .tokensNotDurable: "new tokens are stored nowhere durable"
        case .swept(let count): "\(count) expired removed"
        case .sessionEnded(let reason): "session ended (\(reason.rawValue))"
        case .loggedOut: "logged out"
        case .logoutRefused(let code): "logout refused (\(code))"
        case .revocationFailed(let code): "tokens not revoked (\(code))"
        case .participantFailed(let code): "a cart could not follow (\(code))"
        case .keySetRefreshed: "keys fetched"
        case .keySetUnavailable(let code): "keys cannot be had (\(code))"
        case .keySetRefetchRefused: "no more fetches for unknown keys for now"
        }
    }
}

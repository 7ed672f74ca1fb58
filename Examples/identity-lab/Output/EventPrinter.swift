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
        case .renewed: "token renewed"
        case .renewalFailed(let code): "renewal failed (\(code))"
        case .sessionEnded: "session ended"
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

internal import IdentityKit

struct EventPrinter: IdentityObserver {
    let output: Output

    func identityEvent(_ event: IdentityEvent) {
        let session = event.session.map { " session \($0)" } ?? ""
        let provider = event.provider.isEmpty ? "" : " provider \(event.provider.printable)"
        let suspicion = event.isAttackSuspected ? "; attack suspected;" : ""
        let correlation = event.correlationID.isEmpty ? "" : ", correlation id \(event.correlationID)"
        output.note(
            "· \(text(for: event.kind))\(suspicion)\(provider)\(session) in \(event.duration.readable)\(correlation)"
        )
    }

    private func text(for kind: IdentityEvent.Kind) -> String {
        switch kind {
        case .loginStarted: "login started"
        case .loginCompleted: "login completed"
        case .loginFailed(let code): "login failed (\(code))"
        case .loginTokensDropped(true): "tokens of a failed login revoked"
        case .loginTokensDropped(false): "tokens of a failed login not revoked"
        case .refreshed(let outcome): "token refreshed (\(outcome.rawValue))"
        case .tokensReduced(let losses):
            "the refreshed tokens no longer have \(TokenCommand.text(for: losses))"
        case .refreshFailed(let code): "refresh failed (\(code))"
        case .refreshInDoubt: "no response shows whether the refresh token was used; the token is sent again"
        case .refreshRepaired: "the session has valid tokens again"
        case .lockWaited: "waited for the session's lock"
        case .providerPaused(let pause): "circuit breaker opened for \(pause.readable)"
        case .providerResumed: "circuit breaker closed"
        case .storeFailed(let code): "the store, its spool, a repair or a sweep failed (\(code))"
        case .tokensSpooled: "new tokens, or a response with tokens, are in the spool until the store works again"
        case .tokensNotDurable: "new tokens, or a response with tokens, are in memory only"
        case .swept(let count): "\(count) expired records removed"
        case .sessionEnded(let reason): "session ended (\(reason.rawValue))"
        case .sessionReplaced: "session replaced by a new one"
        case .loggedOut: "logged out"
        case .logoutRefused(let code): "logout token, or return from a logout page, not accepted (\(code))"
        case .revocationFailed(let code): "tokens not revoked (\(code))"
        case .participantFailed(let code): "a change of the session was not applied, for example to its cart (\(code))"
        case .requestFailed(let code): "request answered with an error (\(code))"
        case .keySetRefreshed: "keys fetched"
        case .keySetUnavailable(let code): "keys could not be fetched (\(code))"
        case .metadataUnavailable(let code): "metadata could not be fetched, or were refused (\(code))"
        case .keySetRefetchRefused: "too many unknown key ids; the key set is not fetched again yet"
        }
    }
}

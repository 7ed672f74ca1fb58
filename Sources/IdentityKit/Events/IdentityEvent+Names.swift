extension IdentityEvent.Kind {
    /// The kind as a stable text in snake case, suitable as the name of a metric.
    public var name: String {
        switch self {
        case .loginStarted: "login_started"
        case .loginCompleted: "login_completed"
        case .loginFailed: "login_failed"
        case .loginTokensDropped: "login_tokens_dropped"
        case .refreshed: "refreshed"
        case .tokensReduced: "tokens_reduced"
        case .refreshFailed: "refresh_failed"
        case .refreshInDoubt: "refresh_in_doubt"
        case .refreshRepaired: "refresh_repaired"
        case .lockWaited: "lock_waited"
        case .providerPaused: "provider_paused"
        case .providerResumed: "provider_resumed"
        case .storeFailed: "store_failed"
        case .tokensSpooled: "tokens_spooled"
        case .tokensNotDurable: "tokens_not_durable"
        case .swept: "swept"
        case .sessionEnded: "session_ended"
        case .sessionReplaced: "session_replaced"
        case .loggedOut: "logged_out"
        case .logoutRefused: "logout_refused"
        case .revocationFailed: "revocation_failed"
        case .participantFailed: "participant_failed"
        case .keySetRefreshed: "key_set_refreshed"
        case .keySetUnavailable: "key_set_unavailable"
        case .keySetRefetchRefused: "key_set_refetch_refused"
        }
    }

    /// The outcome, error code or reason as a stable text, suitable as a metric's label; nil if the kind has none.
    public var detail: String? {
        switch self {
        case .refreshed(let outcome): outcome.rawValue
        case .tokensReduced(let losses): losses.name
        case .sessionEnded(let reason): reason.rawValue
        case .loginTokensDropped(let isRevoked): isRevoked ? "revoked" : "not_revoked"
        case .loginFailed(let code), .refreshFailed(let code), .storeFailed(let code), .logoutRefused(let code),
            .revocationFailed(let code), .participantFailed(let code), .keySetUnavailable(let code):
            code.rawValue
        case .loginStarted, .loginCompleted, .refreshInDoubt, .refreshRepaired, .lockWaited, .providerPaused,
            .providerResumed, .tokensSpooled, .tokensNotDurable, .swept, .sessionReplaced, .loggedOut, .keySetRefreshed,
            .keySetRefetchRefused:
            nil
        }
    }

    static func breaker(_ change: CircuitBreaker.Change) -> Self {
        switch change {
        case .opened(let pause): .providerPaused(pause)
        case .closed: .providerResumed
        }
    }
}

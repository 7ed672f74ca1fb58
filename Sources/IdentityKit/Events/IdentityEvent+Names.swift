extension IdentityEvent.Kind {
    /// The kind as a stable text in snake case, suitable as the name of a metric.
    public var name: String { nameAndDetail.name }

    /// The outcome, error code or reason as a stable text, suitable as a metric's label; nil if the kind has none.
    public var detail: String? { nameAndDetail.detail }

    private var nameAndDetail: (name: String, detail: String?) {
        switch self {
        case .loginStarted: ("login_started", nil)
        case .loginCompleted: ("login_completed", nil)
        case .loginFailed(let code): ("login_failed", code.rawValue)
        case .loginTokensDropped(let isRevoked): ("login_tokens_dropped", isRevoked ? "revoked" : "not_revoked")
        case .refreshed(let outcome): ("refreshed", outcome.rawValue)
        case .tokensReduced(let losses): ("tokens_reduced", losses.name)
        case .refreshFailed(let code): ("refresh_failed", code.rawValue)
        case .refreshInDoubt: ("refresh_in_doubt", nil)
        case .refreshRepaired: ("refresh_repaired", nil)
        case .lockWaited: ("lock_waited", nil)
        case .providerPaused: ("provider_paused", nil)
        case .providerResumed: ("provider_resumed", nil)
        case .storeFailed(let code): ("store_failed", code.rawValue)
        case .tokensSpooled: ("tokens_spooled", nil)
        case .tokensNotDurable: ("tokens_not_durable", nil)
        case .swept: ("swept", nil)
        case .sessionEnded(let reason): ("session_ended", reason.rawValue)
        case .sessionReplaced: ("session_replaced", nil)
        case .loggedOut: ("logged_out", nil)
        case .logoutRefused(let code): ("logout_refused", code.rawValue)
        case .revocationFailed(let code): ("revocation_failed", code.rawValue)
        case .participantFailed(let code): ("participant_failed", code.rawValue)
        case .requestFailed(let code): ("request_failed", code.rawValue)
        case .keySetRefreshed: ("key_set_refreshed", nil)
        case .keySetUnavailable(let code): ("key_set_unavailable", code.rawValue)
        case .metadataUnavailable(let code): ("metadata_unavailable", code.rawValue)
        case .keySetRefetchRefused: ("key_set_refetch_refused", nil)
        }
    }
}

/// Sends events to the observers.
///
/// If ``providers`` is set, an event of an unknown provider has an empty provider name: a request with an invented name must not add a
/// label to a metric. The name of a provider that was removed from the configuration is also unknown.
struct EventSource: Sendable {
    let observers: [any IdentityObserver]
    let clock: any IdentityClock
    /// The registered providers; nil for events that a provider itself reports.
    let providers: ProviderRegistry?

    func emit(
        _ kind: @autoclosure () -> IdentityEvent.Kind,
        provider: String,
        session: SessionID? = nil,
        since start: Duration? = nil,
        because error: (any Error)? = nil
    ) {
        guard !observers.isEmpty else { return }
        let kind = kind()
        let event = IdentityEvent(
            kind: kind,
            provider: providers.map { $0.knownName(provider) } ?? provider,
            session: session?.reference,
            duration: start.map { clock.elapsed - $0 } ?? .zero,
            correlationID: Correlation.current ?? "",
            isAttackSuspected: error.map { IdentityError.wrapping($0).isAttackSuspected } ?? false,
            browser: kind.isSignIn ? BuyerBrowser.current : nil
        )
        for observer in observers { observer.identityEvent(event) }
    }

    /// Reports a failure to the observers, and returns the error to throw.
    func failed(
        _ kind: (IdentityError.Code) -> IdentityEvent.Kind,
        _ error: any Error,
        provider: String,
        since start: Duration
    ) -> IdentityError {
        let wrapped = IdentityError.wrapping(error)
        emit(kind(wrapped.code), provider: provider, since: start, because: wrapped)
        return wrapped
    }
}

extension IdentityEvent.Kind {
    fileprivate var isSignIn: Bool {
        switch self {
        case .loginStarted, .loginCompleted, .loginFailed: true
        default: false
        }
    }
}

extension IdentityEnvironment {
    /// Sends an event that belongs to a provider, but to no session, to the environment's observers.
    package func report(_ kind: IdentityEvent.Kind, provider: String, since start: Duration) {
        EventSource(observers: observers, clock: clock, providers: nil).emit(kind, provider: provider, since: start)
    }
}

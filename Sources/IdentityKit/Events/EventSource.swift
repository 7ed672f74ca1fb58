/// Tells observers what happens; costs a comparison when there are none.
///
/// An event never carries the name of a provider that is not registered: a name may come from a request, or from a session
/// whose provider has left the configuration.
struct EventSource: Sendable {
    let observers: [any IdentityObserver]
    let clock: any IdentityClock
    let providers: ProviderRegistry

    func emit(
        _ kind: @autoclosure () -> IdentityEvent.Kind,
        provider: String,
        session: SessionID? = nil,
        since start: Duration? = nil
    ) {
        guard !observers.isEmpty else { return }
        let event = IdentityEvent(
            kind: kind(),
            provider: providers.knownName(provider),
            session: session,
            duration: start.map { clock.elapsed - $0 } ?? .zero,
            correlationID: Correlation.current ?? ""
        )
        for observer in observers { observer.identityEvent(event) }
    }
}

/// Tells observers what happens; costs a comparison when there are none.
struct EventSource: Sendable {
    let observers: [any IdentityObserver]
    let clock: any IdentityClock

    func emit(
        _ kind: @autoclosure () -> IdentityEvent.Kind,
        provider: String,
        session: SessionID? = nil,
        since start: Duration? = nil
    ) {
        guard !observers.isEmpty else { return }
        let event = IdentityEvent(
            kind: kind(),
            provider: provider,
            session: session,
            duration: start.map { clock.elapsed - $0 } ?? .zero,
            correlationID: Correlation.current ?? ""
        )
        for observer in observers { observer.identityEvent(event) }
    }
}

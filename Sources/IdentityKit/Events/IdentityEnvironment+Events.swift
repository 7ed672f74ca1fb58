extension IdentityEnvironment {
    /// Sends an event of a provider, without a session, to the environment's observers.
    package func report(_ kind: IdentityEvent.Kind, provider: String, since start: Duration) {
        guard !observers.isEmpty else { return }
        let event = IdentityEvent(
            kind: kind,
            provider: provider,
            session: nil,
            duration: clock.elapsed - start,
            correlationID: Correlation.current ?? "",
            isAttackSuspected: false,
            browser: nil
        )
        for observer in observers { observer.identityEvent(event) }
    }
}

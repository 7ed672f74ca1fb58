extension IdentityEnvironment {
    /// Tells the observers of something that belongs to a provider and to no session; costs nothing when there are none.
    package func report(_ kind: IdentityEvent.Kind, provider: String, since start: Duration) {
        guard !observers.isEmpty else { return }
        let event = IdentityEvent(
            kind: kind,
            provider: provider,
            session: nil,
            duration: clock.elapsed - start,
            correlationID: Correlation.current ?? ""
        )
        for observer in observers { observer.identityEvent(event) }
    }
}

extension IdentityEnvironment {
    /// Sends an event of a provider, without a session, to the environment's observers.
    package func report(_ kind: IdentityEvent.Kind, provider: String, since start: Duration) {
        EventSource(observers: observers, clock: clock, providers: nil).emit(kind, provider: provider, since: start)
    }
}

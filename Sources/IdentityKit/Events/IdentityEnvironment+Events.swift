extension IdentityEnvironment {
    /// Sends an event that belongs to a provider and to no session to the environment's observers.
    package func report(_ kind: IdentityEvent.Kind, provider: String, since start: Duration) {
        EventSource(observers: observers, clock: clock, providers: nil).emit(kind, provider: provider, since: start)
    }
}
